"""A whole campaign, the corpus and the reports."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from capfuzz.attacks.vectors import load
from capfuzz.gate.campaign import attack
from capfuzz.gate.events import Report
from capfuzz.gate.plan import Plan
from capfuzz.gate.report import as_json, files
from capfuzz.targets.spec import Options
from capfuzz.targets.spec import load as load_target


def bench_campaign(benchmark: Any, work: Callable[..., Any]) -> None:
    """Time the reference engine under attack, quick profile; says cases a second."""
    report = work(_campaign, rounds=3)
    counts = report.counts
    cases = counts["attacks"] + counts["controls"] + counts["generated"]
    if benchmark.stats is not None:  # None where benchmarks are run once, not timed
        benchmark.extra_info["cases_a_second"] = cases / benchmark.stats.stats.median


def bench_corpus_load(work: Callable[..., Any]) -> None:
    """Time reading and checking every vector that is shipped."""
    work(load)


def bench_report_text(work: Callable[..., Any], broken: Report) -> None:
    """Time the JSON of a report with findings."""
    work(lambda: as_json.to_text(broken), rounds=15, iterations=100)


def bench_report_file(work: Callable[..., Any], broken: Report, tmp_path: Path) -> None:
    """Time the same, written to a file."""
    place = str(tmp_path / "report.json")
    work(lambda: files.write(place, as_json.to_text(broken)), rounds=15, iterations=20)


@pytest.fixture(scope="module")
def broken() -> Report:
    """Return the report of a faulty target."""
    return _campaign("py:capfuzz.targets.broken.session:exists_leak")


def _campaign(spec: str = "engine") -> Report:
    target = load_target(spec, Options())
    try:
        *_, report = attack(target, Plan(load(), "quick"))
    finally:
        target.close()
    assert isinstance(report, Report)
    return report

"""
Cases a second of one campaign in one process, in two, and on two workers of Dask.

Whole commands are timed, from their start to their end, in turns; the reports must be the same.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import NamedTuple

from capfuzz.gate.bench.interpreter import this_build

CAPFUZZ = Path(sys.executable).parent / "capfuzz"
# What a campaign gains on a second processor, where nobody else wants it.
WAYS = {
    "-j 1": ((), 1.0),
    "-j 2": (("-j", "2"), 1.7),
    "Dask, 2 workers": (("--cluster", "local", "-j", "2"), 1.5),
}


class Run(NamedTuple):
    """
    One campaign: its cases, its report but for durations, and the seconds that it took.

    ``processor``: those of all its processes together, which no other program lengthens much.
    """

    cases: int
    seconds: float
    processor: float
    report: object

    @property
    def rate(self) -> float:
        """Cases a second."""
        return self.cases / self.seconds


def main(arguments: Sequence[str] | None = None) -> int:
    """Time all ways and print a table; 1 where one gains less than it should, or reports else."""
    asked = _parser().parse_args(arguments)
    runs: dict[str, list[Run]] = {name: [] for name in WAYS}
    for _ in range(asked.rounds):
        for name, (words, _) in WAYS.items():
            runs[name].append(timed([asked.spec, "--profile", asked.profile, *words]))
    rates = {name: median(run.rate for run in some) for name, some in runs.items()}
    gains = {name: rate / rates["-j 1"] for name, rate in rates.items()}
    same = len({json.dumps(run.report) for some in runs.values() for run in some}) == 1
    print(f"{about(asked)}\n")
    headings = ("way", "cases", "s", "processor s", "cases/s", "gain", "goal")
    for line in (headings, ("---",) * len(headings), *_rows(runs, rates, gains)):
        print(f"| {' | '.join(line)} |")
    print(f"\nThe reports {'are the same' if same else 'DIFFER'}.")
    enough = all(gains[name] >= goal for name, (_, goal) in WAYS.items())
    return 0 if same and enough else 1


def about(asked: argparse.Namespace) -> str:
    """Return what the figures were taken on and with."""
    suite = ", ".join(
        f"{name} {version(name)}" for name in ("capfuzz", "hypothesis", "distributed")
    )
    return (
        f"{datetime.now(UTC).date().isoformat()}; {platform.system()} {platform.release()}, "
        f"{this_build().processor}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end; "
        f"Python {platform.python_version()}, {suite}; "
        f"{asked.spec}, --profile {asked.profile}, median of {asked.rounds}"
    )


def timed(words: Sequence[str]) -> Run:
    """Run a campaign; raises where it did not hold or could not be measured."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.json")
        spent, started = _spent(), time.perf_counter()
        subprocess.run([CAPFUZZ, "attack", *words, "--json", path], check=True, capture_output=True)
        seconds, spent = time.perf_counter() - started, _spent() - spent
        report = json.loads(path.read_text())
    del report["duration_s"]
    counts = report["counts"]
    cases = sum(counts[one] for one in ("attacks", "controls", "generated"))
    return Run(cases, seconds, spent, report)


def _spent() -> float:
    """Return the processor time of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _rows(
    runs: dict[str, list[Run]], rates: dict[str, float], gains: dict[str, float]
) -> list[tuple[str, ...]]:
    return [
        (
            name,
            str(some[0].cases),
            f"{median(run.seconds for run in some):.1f}",
            f"{median(run.processor for run in some):.1f}",
            f"{rates[name]:.0f}",
            f"{gains[name]:.2f}",
            f"{WAYS[name][1]:.1f}",
        )
        for name, some in runs.items()
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", nargs="?", default="engine", help="a target that holds")
    parser.add_argument("--profile", default="deep", choices=["quick", "standard", "deep"])
    parser.add_argument("--rounds", type=int, default=1, help="the median of so many counts")
    return parser


if __name__ == "__main__":
    sys.exit(main())

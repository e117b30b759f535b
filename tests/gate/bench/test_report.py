"""Tables and JSON: growth as factors, verdicts, and what is missing shown as missing."""

import io
import json
from dataclasses import replace

from capfuzz.gate.bench.interpreter import this_build
from capfuzz.gate.bench.paired import Paired
from capfuzz.gate.bench.report import Outcomes, show, to_dict, to_text
from capfuzz.gate.bench.results import Change, Outcome
from capfuzz.gate.events import Report, Tally
from rich.console import Console

from .made import row

HUNT = Report(
    spec="py:my:box",
    surface="session",
    seed=0,
    profile="standard",
    verdict="held",
    counts={"attacks": 3, "controls": 1, "generated": 2, "ops": 9},
    invariants={"bounded-cost": Tally(6, 0)},
    findings=(),
    duration_s=1.0,
    remarks=("tool: every honest op was refused",),
)
ROWS = (
    row(),
    row(name="fs_read denied", allowed=False, units=(5.0,)),
    row(name="a", group="roots", size=1, units=(2.0,)),
    row(name="b", group="roots", size=100, units=(9.0,)),
)


def outcomes(*found):
    """Return what a run showed whose changes came out like this."""
    changes = tuple(Change(f"n{at}", Paired(1.1, 1.0, 1.2), one) for at, one in enumerate(found))
    against = "before.json" if found else None
    return Outcomes(HUNT, this_build(), 3, ROWS, against, 0.05, changes)


def shown(whole):
    """Return the tables as text."""
    text = io.StringIO()
    show(whole, Console(file=text, width=200))
    return text.getvalue()


def test_growth_is_told_as_a_factor():
    """Somebody would have to divide by hand, and by the wrong row."""
    over = {one["over"]: one for one in to_dict(outcomes())["growth"]}
    assert {"1": 1.0, "100": 4.5} == over["roots"]["allowed"]
    assert {} == over["roots"]["denied"]
    assert "4.50x" in shown(outcomes())


def test_every_result_is_a_time_and_a_ratio():
    """Across machines and days only the ratio says anything."""
    first = to_dict(outcomes())["benchmarks"][0]
    assert (1.05, 10.0, [9.0, 11.0]) == (
        first["us_per_op"],
        first["ratio"],
        first["ratio_interval"],
    )
    assert "0.50x" in shown(outcomes())  # denied by allowed


def test_the_verdict_follows_the_worst():
    """A slowdown would be lost behind noise, or noise pass for a verdict."""
    assert "held" == outcomes().verdict
    assert "held" == outcomes(Outcome.HELD).verdict
    assert "inconclusive" == outcomes(Outcome.HELD, Outcome.UNDECIDED).verdict
    assert "broken" == outcomes(Outcome.UNDECIDED, Outcome.SLOWER).verdict


def test_a_change_is_told_with_its_interval():
    """Nobody could see why it is too noisy to say."""
    text = shown(outcomes(Outcome.UNDECIDED))
    for part in ("+10.0 %", "+0.0 %", "+20.0 %", "too noisy to say", "fail above 5 %"):
        assert part in text


def test_the_json_is_an_attacks_with_the_times_beside_it():
    """Scripts read these names."""
    whole = json.loads(to_text(outcomes(Outcome.HELD)))
    names = "tool target verdict counts findings invariants build benchmarks growth comparison"
    assert set(names.split()) <= set(whole)
    assert {"against", "fail_above", "changes"} == set(whole["comparison"])
    assert to_dict(outcomes())["comparison"] is None


def test_what_could_not_be_timed_is_told():
    """A missing row would look like a kind that does not exist."""
    assert "not measured: tool: every honest op was refused" in shown(outcomes())


def test_the_last_line_says_what_the_rest_changes():
    """A person would take a verdict for one about what was not measured, too."""
    last = shown(outcomes()).splitlines()[-1]
    assert last.endswith("; what was not measured does not change the exit status")
    assert "the median of 3 processes" in last
    whole = replace(outcomes(), processes=1, hunt=replace(HUNT, remarks=()))
    last = shown(whole).splitlines()[-1]
    assert "from one process" in last
    assert "not measured" not in last

"""What finds the faults: rivals that get a fair chance, and a table that adds up."""

# ruff: noqa: E402 - the scripts are found by their folder; tests read expected == actual

import sys
from dataclasses import replace
from pathlib import Path

import pytest

DETECTION = Path(__file__).parents[2] / "benchmarks" / "detection"
sys.path.insert(0, str(DETECTION))

import discovery
import discovery_tables
import rivals
from capfuzz.attacks.case import Surface
from capfuzz.attacks.invariants import Severity
from capfuzz.gate.log import Log
from capfuzz.gate.selftest_tasks import Kill
from capfuzz.targets.base import TargetError
from capfuzz.targets.broken import FAULTS, Fault
from capfuzz.targets.right import RIGHT
from capfuzz.targets.spec import Options, load
from discovery import EVERYTHING, STRATEGIES, Found, approaches, attempt, task_for

KILL = Kill("confined", "climb", 7, 0.5, 1, "generated")
FEW = 60
PLAIN = Fault("py:m:plain", Surface.PATH, ("confined",), "CWE-22", 1, "join of text")
LONG = Fault("py:m:long", Surface.SESSION, ("confined",), "CWE-22", 2, "meter")


# --- the rivals -------------------------------------------------------------------------------


@pytest.mark.parametrize("file", [rivals.TRAVERSALS, rivals.HOSTS], ids=lambda file: file.name)
def test_a_list_is_as_long_as_such_lists_and_repeats_nothing(file):
    """A rival with a poor list would make ours look good."""
    found = rivals.entries(file)
    assert len(found) >= 150
    assert len(set(found)) == len(found)
    assert not [one for one in found if "{allowed}" in one or "{nul}" in one or not one]


def test_the_lists_hold_what_such_lists_hold():
    """The plainest entries of all would be missing."""
    assert {"../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd"} < set(
        rivals.entries(rivals.TRAVERSALS)
    )
    assert {"127.1", "2130706433", "[::1]", "api.internal@evil.test"} < set(
        rivals.entries(rivals.HOSTS)
    )


@pytest.mark.parametrize("surface", rivals.SURFACES)
@pytest.mark.parametrize("name", list(rivals.rivals()))
def test_a_rival_draws_the_same_again(name, surface):
    """The table could not be measured a second time."""
    first = rivals.drawn(name, surface, FEW, 0)
    rivals.drawn.cache_clear()
    again = rivals.drawn(name, surface, FEW, 0)
    assert [one.case for one in first] == [one.case for one in again]
    assert [one.seconds for one in first] == sorted(one.seconds for one in first)
    silent = (name, surface) in {
        ("traversal list", Surface.HOST),
        ("host list", Surface.PATH),
    }
    assert silent == (len(first) == 0)


@pytest.mark.parametrize("surface", rivals.SURFACES)
@pytest.mark.parametrize("name", list(rivals.rivals()))
def test_no_rival_accuses_a_right_target(name, surface):
    """A rival would be credited with faults that are none."""
    right = next(one for one in RIGHT if one.surface is surface)
    target = load(right.spec, Options(surface=surface))
    drawn = rivals.drawn(name, surface, FEW, 0)
    cases = [one for one in drawn if target.adapt(one.case) is not None]
    log = Log()
    try:
        for _ in discovery._theirs(target, cases)(log):
            pass
    finally:
        target.close()
    assert [] == [key for key in log.hits if key.severity is Severity.ERROR]
    assert len(cases) == log.cases


def test_a_list_finds_what_it_was_made_for():
    """The harness would keep the strings away from the target."""
    (climbs,) = [one for one in FAULTS if (one.surface, one.name) == ("path", "no_check")]
    (suffix,) = [one for one in FAULTS if (one.surface, one.name) == ("host", "hostname_suffix")]
    found = [
        attempt(task_for(climbs, "traversal list", "quick", 0)),
        attempt(task_for(climbs, "host list", "quick", 0)),
        attempt(task_for(suffix, "host list", "quick", 0)),
    ]
    assert [True, False, True] == [one.kill is not None for one in found]
    assert [True, False, True] == [one.tried for one in found]
    assert ["", "", ""] == [one.problem for one in found]


def test_drawing_counts():
    """A rival that draws slowly would look fast, since its cases are drawn beforehand."""
    (climbs,) = [one for one in FAULTS if (one.surface, one.name) == ("path", "no_check")]
    asked = task_for(climbs, "traversal list", "quick", 0)
    slow = replace(asked, drawn=tuple(replace(one, seconds=100.0) for one in asked.drawn))
    assert 100 < attempt(slow).kill.seconds < 200


def test_a_target_that_cannot_be_loaded_is_told():
    """A typo would count as a fault that nobody finds."""
    with pytest.raises(TargetError, match="cannot import m"):
        attempt(task_for(PLAIN, STRATEGIES, "quick", 0))


# --- the table --------------------------------------------------------------------------------


def outcomes():
    """Return outcomes of both faults: text and everything find the plain one."""
    found = {
        (fault.spec, approach): Found() for fault in (PLAIN, LONG) for approach in approaches()
    }
    found[PLAIN.spec, "host list"] = Found(tried=False)
    found[PLAIN.spec, EVERYTHING] = Found(KILL)
    found[PLAIN.spec, "text"] = Found(KILL)
    return found


def test_the_rows_add_up():
    """A fault would be counted twice, or under a style that is not its own."""
    table = discovery_tables.rows([PLAIN, LONG], approaches(), outcomes())
    assert [
        ("path: join of text (1)", "1", "0", "-", "0", "1"),
        ("session: meter, in sequence (1)", "0", "0", "0", "0", "0"),
        ("all (2)", "1", "0", "0", "0", "1"),
        ("median seconds to kill", "0.50", "-", "-", "-", "0.50"),
        ("median cases to kill", "7", "-", "-", "-", "7"),
    ] == table


def test_what_was_missed_or_not_measured_is_said():
    """The table would hide what ours does not find, and what was never tried."""
    found = outcomes()
    found[LONG.spec, "text"] = Found(problem="Traceback\nTargetError: nothing there\n")
    assert [
        "found by neither text nor list: 1 of 2",
        "missed by corpus and strategies: session:long",
        "not measured: py:m:long by text: TargetError: nothing there",
    ] == discovery_tables.remarks([PLAIN, LONG], approaches(), found)


def test_the_command_writes_its_table(tmp_path, capsys):
    """Results could not be published as they were measured."""
    file = tmp_path / "table.md"
    status = discovery.main(
        ["--profile", "quick", "--only", "host:url_substring", "-j", "1", "--markdown", str(file)]
    )
    assert status == 0
    out, written = capsys.readouterr().out, file.read_text()
    assert "host: text (1)" in out
    assert "| host: text (1) | 0 | - | 1 | 1 | 1 |" in written
    assert (
        "- command: python benchmarks/detection/discovery.py --only host:url_substring "
        "--profile quick"
    ) in written
    assert written.startswith("# What finds the faults\n")


def test_an_unknown_fault_is_one_line(capsys):
    """A typo would measure nothing and look like a result."""
    assert discovery.main(["--only", "host:url_substrin"]) == 2
    said = capsys.readouterr().err
    assert "--only host:url_substrin: no such target; did you mean host:url_substring?" in said

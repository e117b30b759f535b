"""The self-test tells killed from survived and acquitted from accused, and says so in its status."""

import json
import re

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.gate.cli_selftest import run as run_plan
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Progress
from capfuzz.gate.grouping import Key
from capfuzz.gate.plan import Plan as Campaign
from capfuzz.gate.report.selftest import summary, to_dict
from capfuzz.gate.selftest import (
    FaultResult,
    Plan,
    Result,
    RightResult,
    chosen,
    label,
    selftest,
)
from capfuzz.gate.selftest_tasks import (
    FaultRun,
    FaultTask,
    Kill,
    RightRun,
    TimedLog,
    attempt,
    shown,
)
from capfuzz.gate.trials import trials
from capfuzz.targets.broken import FAULTS, Fault
from capfuzz.targets.right import RIGHT, Right
from capfuzz.targets.spec import Options, load

BROKEN = "py:capfuzz.targets.broken.host:url_substring"
HELD = "py:capfuzz.targets.right.host:strict_regex"
FAULT = Fault(BROKEN, Surface.HOST, ("alias-denied",), "CWE-187", style="text")
SURVIVOR = Fault(HELD, Surface.HOST, ("alias-denied",), "nothing", style="regex")
INNOCENT = Right(HELD, Surface.HOST, "one strict regular expression")
IMPOSTOR = Right(BROKEN, Surface.HOST, "a substring test")
KILL = Kill("alias-denied", "url-userinfo", 46, 0.25, 1, "corpus")
KILLED = (FaultRun(0, KILL),)
ACQUITTED = (RightRun(0, "held"),)


def outcome(faults=(), rights=()) -> Result:
    """Run a self-test of these targets in one worker and return its result."""
    plan = Plan(faults=faults, rights=rights, seeds=(0,), profile="quick", jobs=1)
    *_, result = selftest(plan)
    assert isinstance(result, Result)
    return result


def result(fault_runs=KILLED, right_runs=ACQUITTED):
    """Return a result as if this had been measured."""
    seeds = tuple(run.seed for run in fault_runs)
    faults, rights = (FaultResult(FAULT, fault_runs),), (RightResult(INNOCENT, right_runs),)
    return Result("quick", seeds, faults, rights, 1.0)


# --- one task ---------------------------------------------------------------------------------


def test_a_fault_is_killed_with_what_it_breaks():
    """A kill would not say by what and after how much, which is all that it is for."""
    run = attempt(FaultTask(FAULT, 0, "quick"))
    kill = run.kill
    assert ("alias-denied", 1, "corpus") == (kill.invariant, kill.ops, kill.source)
    assert 1 < kill.examples < 500
    assert kill.seconds > 0


def test_a_fault_that_only_a_comparison_shows_is_killed_by_one():
    """Faults that no single run shows would count as survived, or as found by the wrong part."""
    (fault,) = [one for one in FAULTS if one.name == "nondeterministic"]
    kill = attempt(FaultTask(fault, 0, "quick")).kill
    assert ("deterministic", "comparisons") == (kill.invariant, kill.source)


def test_a_target_that_cannot_be_loaded_is_not_measured():
    """A typo in a registry would count as a survivor, or as a target that held."""
    nowhere = "py:capfuzz.targets.broken.host:nothing"
    fault = Fault(nowhere, Surface.HOST, ("alias-denied",), "nothing")
    whole = outcome([fault], [Right(nowhere, Surface.HOST, "nothing")])
    (first,), (second,) = whole.faults[0].runs, whole.rights[0].runs
    assert [False, False] == [first.measured, second.measured]
    assert ("inconclusive", 2) == (whole.verdict, whole.exit_status)
    assert "has no nothing" in whole.problems[0]
    assert not second.accused


def test_only_what_the_fault_breaks_counts_as_a_kill(vectors):
    """Any accusation would count, and a fault that was never found would pass for found."""
    target = load(BROKEN, Options(surface=Surface.HOST))
    log = TimedLog()
    for progress in trials(target, Campaign(vectors), log):
        if progress.stage != "controls" and log.hits:
            break
    other = Fault(BROKEN, Surface.HOST, ("confined", "control-allowed"), "nothing")
    assert shown(FAULT, log)
    assert [] == shown(other, log)
    assert set(log.hits) == set(log.first_seen)


def test_over_blocking_kills_only_a_fault_that_does_nothing_else():
    """A warning would be enough to convict of an escape, or over-blocking could not be told."""
    log = TimedLog()
    log.hits[Key("control-allowed", "hosts", "over-blocking-host", "warning")] = None
    blocks = Fault(BROKEN, Surface.HOST, ("control-allowed",), "nothing")
    both = Fault(BROKEN, Surface.HOST, ("control-allowed", "alias-denied"), "nothing")
    assert [1, 0] == [len(shown(one, log)) for one in (blocks, both)]


# --- many tasks -------------------------------------------------------------------------------


def test_a_survivor_and_a_false_alarm_are_told():
    """The suite would call itself good whatever it misses and whomever it accuses."""
    whole = outcome([FAULT, SURVIVOR], [INNOCENT, IMPOSTOR])
    assert [True, False] == [one.killed for one in whole.faults]
    assert [False, True] == [one.survived for one in whole.faults]
    assert [False, True] == [one.accused for one in whole.rights]
    assert ("broken", 1) == (whole.verdict, whole.exit_status)
    assert {"faults": 2, "killed": 1, "right": 2, "accused": 1} == {
        name: whole.counts[name] for name in ("faults", "killed", "right", "accused")
    }


def test_progress_counts_every_run_of_a_kind():
    """A bar that does not fill, or fills too soon, tells nothing."""
    plan = Plan(faults=[FAULT], rights=[], seeds=(0, 1), profile="quick", jobs=2)
    *progress, last = selftest(plan)
    assert [("host faults", 1, 2), ("host faults", 2, 2)] == [
        (one.stage, one.done, one.total) for one in progress if isinstance(one, Progress)
    ]
    assert [0, 1] == [run.seed for run in last.faults[0].runs]


@pytest.mark.parametrize(
    ("faults", "rights"), [([SURVIVOR], []), ([], [IMPOSTOR])], ids=["survivor", "false alarm"]
)
def test_the_status_is_1_for_either(faults, rights, capsys):
    """CI would stay green with a suite that does not bite, or that bites the innocent."""
    status = run_plan(Plan(faults, rights, (0,), "quick"), None)
    assert status == 1
    assert "broken: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("runs", "right_runs", "status"),
    [
        (KILLED, ACQUITTED, 0),
        ((FaultRun(0, KILL), FaultRun(1)), ACQUITTED, 1),
        (KILLED, (RightRun(0, "broken", ("CF-1",)),), 1),
        (KILLED, (RightRun(0, "inconclusive"),), 1),
        ((FaultRun(0, problem="died"),), ACQUITTED, 2),
        (KILLED, (RightRun(0, problem="died"),), 2),
        ((FaultRun(0, problem="died"), FaultRun(1)), ACQUITTED, 1),
    ],
)
def test_the_status_follows_from_the_runs(runs, right_runs, status):
    """One seed that fails among ten would be lost, or what was not measured taken for good."""
    assert status == result(runs, right_runs).exit_status


def test_nothing_asked_is_nothing_shown():
    """An empty list would be a vacuous pass."""
    assert Result("quick", (0,), (), (), 0.0).exit_status == 2


# --- the report -------------------------------------------------------------------------------


def test_the_json_has_the_names_that_programs_read():
    """Whoever reads the report would find other names, or a survivor without its row."""
    runs = (FaultRun(0, KILL), FaultRun(1))
    told = to_dict(result(runs, (RightRun(0, "broken", ("CF-1",)),)))
    assert ["tool", "profile", "seeds", "verdict", "counts", "time_to_kill_s"] == list(told)[:6]
    assert ["faults", "right", "duration_s"] == list(told)[6:]
    (fault,) = told["faults"]
    assert {"name", "spec", "surface", "style", "modelled_on", "breaks", "in_sequence"} < set(fault)
    assert {
        "seed": 0,
        "killed": True,
        "invariant": "alias-denied",
        "technique": "url-userinfo",
        "examples": 46,
        "seconds": 0.25,
        "ops": 1,
        "ops_needed": 1,
        "source": "corpus",
        "not_measured": None,
    } == fault["runs"][0]
    assert (False, None) == (fault["runs"][1]["killed"], fault["runs"][1]["invariant"])
    (run,) = told["right"][0]["runs"]
    assert ("broken", ["CF-1"]) == (run["verdict"], run["findings"])
    assert {"median": 0.25, "worst": 0.25} == told["time_to_kill_s"]
    assert told == json.loads(json.dumps(told))


def test_a_reproducer_that_is_too_long_is_counted_and_does_not_fail():
    """Longer reproducers would creep in unseen, or fail a suite that does find its faults."""
    long = result((FaultRun(0, Kill("alias-denied", "url-userinfo", 46, 0.25, 3, "corpus")),))
    assert (1, 0) == (long.counts["longer_than_needed"], long.exit_status)
    assert "1 reproducers longer than needed" in summary(long).plain
    assert "longer" not in summary(result()).plain


def test_the_summary_says_what_counts():
    """The one line that people quote would say something else than the table."""
    assert summary(result()).plain == (
        "held: 1 of 1 faults killed with 1 seed, 1 of 1 right targets held; "
        "median time to kill 0.25 s, worst 0.25 s (1 s)"
    )


def test_the_same_seed_gives_the_same_outcome_but_for_times():
    """A survivor could not be looked at again."""
    wanted = ({"url_substring", "hostname_in_list"}, {"strict_regex"})
    faults = [one for one in FAULTS if one.surface is Surface.HOST and one.name in wanted[0]]
    rights = [one for one in RIGHT if one.surface is Surface.HOST and one.name in wanted[1]]
    one, two = (_timeless(to_dict(outcome(faults, rights))) for _ in range(2))
    assert one == two
    assert len(one["faults"]) == len(wanted[0])


def _timeless(told):
    for fault in told["faults"]:
        for run in fault["runs"]:
            del run["seconds"]
    return {name: told[name] for name in told if name not in {"duration_s", "time_to_kill_s"}}


# --- what is chosen ---------------------------------------------------------------------------


def test_everything_is_chosen_unless_named():
    """A target that was registered would not be tried."""
    assert (FAULTS, RIGHT) == chosen((), [*Surface])
    faults, rights = chosen(())
    assert {one.surface for one in (*faults, *rights)} == {"session", "path", "host"}


def test_a_name_stands_for_its_surface_or_all():
    """One fault could not be asked for alone."""
    short, _ = chosen(["links_followed"])
    one, none = chosen(["path:links_followed"])
    by_spec, _ = chosen([one[0].spec])
    assert {"path:links_followed", "session:links_followed"} == set(map(label, short))
    assert ["path:links_followed"] == [*map(label, one)] == [*map(label, by_spec)]
    assert none == ()


def test_labels_are_unique():
    """Two targets of one label could not be told apart in the table."""
    for known in (FAULTS, RIGHT):
        assert len(known) == len({label(one) for one in known})


@pytest.mark.parametrize("name", ["links_folowed", "path:links_folowed"])
def test_a_typo_names_the_nearest(name):
    """A typo would silently test nothing."""
    with pytest.raises(
        UsageError, match=re.escape(f"--only {name}: no such target; did you mean ")
    ):
        chosen([name])


# --- the command ------------------------------------------------------------------------------


def test_the_command_writes_its_report(run, tmp_path):
    """The numbers could not be kept, or the status would not be theirs."""
    ran = run("selftest", "--seeds", 2, "--only", "url_substring", "-j", 1, "--json", "out.json")
    told = json.loads((tmp_path / "out.json").read_text())
    assert (0, "held", [0, 1]) == (ran.returncode, told["verdict"], told["seeds"])
    assert [True, True] == [one["killed"] for one in told["faults"][0]["runs"]]
    assert "1 of 1 faults killed with each of 2 seeds" in ran.stdout
    assert "host faults: 2 done" in ran.stderr
    assert ["out.json"] == [one.name for one in tmp_path.iterdir()]


def test_json_goes_to_standard_output_alone(run):
    """A pipe would be handed the table, too."""
    ran = run("selftest", "--seeds", 1, "--only", "url_substring", "-j", 1, "--json", "-")
    assert json.loads(ran.stdout)["counts"]["killed"] == 1
    assert "1 of 1 faults killed" in ran.stderr


def test_an_unknown_name_is_one_line(run):
    """A newcomer would be shown a traceback."""
    ran = run("selftest", "--only", "url_substrin")
    assert (2, "") == (ran.returncode, ran.stdout)
    assert ran.stderr == "Error: --only url_substrin: no such target; did you mean url_substring?\n"


DYING = """
import os

def dies(allowed, url):
    os._exit(3)
"""


def test_a_worker_that_dies_is_told(tmp_path, monkeypatch, capsys):
    """A target that ends its process would hang the self-test, or pass for one that held."""
    (tmp_path / "dying_target.py").write_text(DYING)
    monkeypatch.syspath_prepend(tmp_path)
    dying = Right("py:dying_target:dies", Surface.HOST, "none")
    status = run_plan(Plan([FAULT], [dying], (0,), "quick", jobs=1), None)
    out = capsys.readouterr().out
    assert status == 2
    assert "not measured: the process died in which this was attacked (host:dies)" in out
    assert "1 of 1 faults killed" in out


REWRITING = """
from capfuzz.targets.broken.session import prefix_without_boundary

def rewrites(caps, world):
    object.__setattr__(caps, "fs_read", ("/",))
    return prefix_without_boundary(caps, world)
"""


def test_what_a_target_changes_does_not_outlive_it(tmp_path, monkeypatch):
    """A target that rewrites the grants of the corpus would hide what is wrong with the next."""
    (tmp_path / "rewriting_target.py").write_text(REWRITING)
    monkeypatch.syspath_prepend(tmp_path)
    rewriting = Fault("py:rewriting_target:rewrites", Surface.SESSION, ("deterministic",), "none")
    (before,) = outcome([one for one in FAULTS if label(one) == "path:no_check"]).faults
    *_, after = outcome([rewriting, before.fault]).faults
    assert [kill.examples for kill in before.kills] == [kill.examples for kill in after.kills]


@pytest.mark.slow
def test_every_fault_is_killed_and_nobody_accused():
    """The suite would ship with a fault that it does not find, or a false alarm."""
    *_, whole = selftest(Plan(seeds=(0,), jobs=2))
    missed = [label(one.fault) for one in whole.faults if not one.killed]
    assert ([], []) == (missed, [label(one.right) for one in whole.rights if one.accused])
    assert whole.exit_status == 0

"""The hunt in a process of its own: what it says arrives, and what cannot be interrupted is told."""

import time

import pytest
from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.engine import Capabilities
from capfuzz.gate.bench import search
from capfuzz.gate.bench.alone import Asking, StuckError, alone
from capfuzz.gate.bench.search import Catch, Errand, searched
from capfuzz.gate.events import Progress
from capfuzz.targets.base import TargetError
from capfuzz.targets.options import Options

CASE = Case(Capabilities(), WorldSpec(), (("tool", "a"), ("tool", "b")), ("x", "y"), "f")
BEGUN = Catch({"ops": 7}, (), Progress("vectors", 1, 9))


def errand():
    """Return an errand to the engine."""
    return Errand("engine", Options(op_limit=0.5), quick=True, only=frozenset({"climb"}))


def says(errand, say):
    """Say two things, one of which needs an answer in time."""
    say("before")
    say(Asking("op", 60.0))
    say(None)
    say(errand)


def sleeps(_errand, say):
    """Ask an op that is never answered."""
    say("before")
    say(Asking("op", 0.1))
    time.sleep(600)


def raises(_errand, _say):
    """End with an error."""
    raise SystemExit(3)


@pytest.mark.slow
def test_what_a_process_says_arrives_but_for_what_it_asks():
    """A message would be lost, or a promise be taken for one."""
    assert ["before", "after"] == list(alone(says, "after", "spec"))


@pytest.mark.slow
def test_a_process_that_does_not_keep_its_promise_is_ended():
    """An op that cannot be interrupted would keep the command for good, and stay unknown."""
    told = alone(sleeps, None, "spec")
    assert "before" == next(told)
    with pytest.raises(StuckError) as stuck:
        next(told)
    assert "op" == stuck.value.what


@pytest.mark.slow
def test_what_ends_a_process_is_told_in_one_line():
    """A target that exits would look like one that was measured."""
    with pytest.raises(TargetError, match=r"^spec: raised while it was timed: SystemExit: 3 "):
        list(alone(raises, None, "spec"))


@pytest.mark.slow
def test_a_hunt_apart_comes_to_what_it_was_sent_for():
    """Nothing would be hunted, or what was found stay in the other process."""
    told = []
    catch = searched(errand(), told.append)
    assert [Progress, 0, True] == [type(told[-1]), len(catch.faults), catch.counts["attacks"] > 0]


def stuck(*before):
    """Return a process that says something and then hangs on the second op of a case."""

    def talk(_work, sent, _spec):
        yield from before
        sent.begun.value = 2
        raise StuckError(CASE)

    return talk


def test_an_op_that_cannot_be_interrupted_is_a_fault(monkeypatch):
    """A target that hangs for good would only be told to be unmeasurable."""
    monkeypatch.setattr(search, "alone", stuck(BEGUN))
    catch = searched(errand(), lambda _: None)
    (fault,) = catch.faults
    assert [{"ops": 7}, "hang", "y", CASE.ops] == [
        catch.counts,
        fault.kind,
        fault.technique,
        fault.case.ops,
    ]
    assert "no answer within the limit of 0.5 s, nor could it be interrupted" in fault.observed


def test_an_honest_op_that_cannot_be_interrupted_is_no_fault(monkeypatch):
    """A target that never works would be accused of an attack on it."""
    monkeypatch.setattr(search, "alone", stuck())
    with pytest.raises(TargetError, match="hung on an honest op"):
        searched(errand(), lambda _: None)

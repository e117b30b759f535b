"""The hunt finds what costs too much and accuses nothing else; costs are counted, not timed."""

import math
import re
from collections import Counter

import pytest
from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.attacks.trace import Answer, Step, Trace
from capfuzz.engine import Capabilities
from capfuzz.gate.bench.faults import findings
from capfuzz.gate.bench.hunt import Hunt, hang
from capfuzz.gate.bench.stopwatch import clocked
from capfuzz.targets.base import TargetError
from capfuzz.targets.options import Options
from capfuzz.targets.path import PathTarget

from .made import engine, made_of

FAMILIES = {"path-encoding", "path-traversal", "path-honest", "path-links"}


class Counted:
    """A path target that says itself what each call cost, so that no clock is asked."""

    def __init__(self, cost):
        self._spent = []
        self._cost = cost
        self.target = PathTarget("py:my:join", self._asked)

    def _asked(self, _root, path):
        self._spent.append(float(self._cost(path)))

    def run(self, case, patience=1.0):
        """Run a case as a clocked target does."""
        self._spent.clear()
        return self.target.run(case, patience), list(self._spent)


def hunted(cost, vectors, *only):
    """Hunt through a target of this cost, in nanoseconds by the path."""
    some = [one for one in vectors if one.case.family in FAMILIES]
    target = Counted(cost)
    hunt = Hunt(target, some, frozenset(only))
    try:
        for _ in hunt.run():
            pass
    finally:
        target.target.close()
    return hunt


def one_slash_at_a_time(path):
    """Count the characters that a quadratic normaliser looks at and copies."""
    copied = 0
    while "//" in path:
        path = path.replace("//", "/", 1)
        copied += len(path)
    return 1_000 + copied


def rebuilt_at_each_letter(path):
    """Count the letters that are copied where a list is made anew for each."""
    return sum(range(len(path)))


def decoded_at_each_percent(path):
    """Count what a decoder costs that starts anew behind each percent sign."""
    return 1_000 + 20 * path.count("%") * len(path)


def dear_word(path):
    """Cost much where one short word is in it, whatever the length."""
    return 5e6 if "%2e" in path else 2_000.0


QUADRATIC = {
    "slashes": (one_slash_at_a_time, "longer-path-slashes"),
    "letters": (rebuilt_at_each_letter, "longer-path-long-name"),
    "percents": (decoded_at_each_percent, "longer-path-percent-25"),
}
HONEST = {
    "constant": lambda path: 30e6,
    "linear": lambda path: 20_000.0 * len(path),
    "sorted": lambda path: 3_000.0 * len(path) * math.log2(len(path) + 2),
    "segments": lambda path: 50_000.0 * (path.count("/") + 1),
    "cheap": lambda path: len(path) ** 2 / 100,
}


@pytest.mark.parametrize(("cost", "technique"), QUADRATIC.values(), ids=QUADRATIC)
def test_a_quadratic_cost_is_found(cost, technique, vectors):
    """A cost that grows with the square of the input would be called held (CWE-407)."""
    faults = hunted(cost, vectors, technique).faults
    assert [("growth", technique)] == [(one.kind, one.technique) for one in faults]
    assert re.search(r"grows with exponent (1\.[6-9]|2\.0)", faults[0].observed)


def test_a_quadratic_cost_is_found_without_knowing_where(vectors):
    """Only somebody who knows the fault would find it."""
    hunt = hunted(one_slash_at_a_time, vectors)
    assert {"growth"} == {one.kind for one in hunt.faults}
    assert hunt.counts["attacks"] > 100


def test_an_input_far_dearer_than_its_like_is_found(vectors):
    """A short input that costs milliseconds would be lost among thousands."""
    hunt = hunted(dear_word, vectors)
    assert {"outlier"} == {one.kind for one in hunt.faults}
    assert all("%2e" in str(one.case.ops[-1]) for one in hunt.faults)
    assert all(one.vector for one in hunt.faults)


@pytest.mark.parametrize("cost", HONEST.values(), ids=HONEST)
def test_an_honest_cost_is_not_accused(cost, vectors):
    """People would stop to believe the findings."""
    assert [] == hunted(cost, vectors).faults


def test_noise_that_does_not_come_again_is_no_fault(vectors):
    """A pause of the machine would be held against the target."""
    calls = iter(range(10**9))
    hunt = hunted(lambda path: 50e6 if next(calls) % 97 == 0 else 2_000.0, vectors)
    assert [] == hunt.faults


def test_a_fault_must_show_in_both_rounds(vectors):
    """A slow spell that ends in between would be a finding today and none tomorrow."""
    seen = Counter()

    def cost(path):
        seen[path] += 1
        return 2_000.0 if "%2e" not in path or 2 <= seen[path] <= 4 else 5e6

    assert [] == [one for one in hunted(cost, vectors).faults if one.kind == "outlier"]


def test_one_technique_alone_is_still_measured_by_all(vectors):
    """A finding could not be shown again by its own command."""
    (technique, *_) = (one.technique for one in hunted(dear_word, vectors).faults)
    assert {technique} == {one.technique for one in hunted(dear_word, vectors, technique).faults}


def test_one_fault_is_one_finding(vectors):
    """A page of findings would say the same thing."""
    faults = hunted(one_slash_at_a_time, vectors).faults
    assert len(faults) > 1
    (finding,) = findings(faults, "py:my:join", PathTarget.surface, Options())
    assert len(faults) == finding.hits
    assert "bounded-cost" == finding.invariant
    assert ("CWE-407", "error") == (finding.cwe, finding.severity)
    worst = max(faults, key=lambda one: one.cost)
    assert f"capfuzz bench py:my:join --as path --only {worst.technique}" == finding.replay


def catastrophic(root, path):
    """Match names as many do by hand, with a repetition inside a repetition (CWE-1333)."""
    return path if re.fullmatch(r"(/?([\w-]+ ?)+)*/?", path) else None


@pytest.mark.slow
def test_a_catastrophic_expression_hangs_and_is_found(vectors):
    """The hang would stop the suite, or pass for a refusal. The limit, not a clock, decides."""
    made = clocked(made_of(catastrophic, "path", op_limit=0.2))
    hunt = Hunt(made, vectors, frozenset({"longer-path-long-name"}))
    for _ in hunt.run():
        pass
    made.target.close()
    assert {"hang"} == {one.kind for one in hunt.faults}


@pytest.mark.slow
def test_ops_within_ops_and_floods_are_left_out(vectors):
    """A tool that calls back, or a megabyte of its output, would be held against the engine."""
    some = [one for one in vectors if one.case.family.startswith(("toolrun", "budget"))]
    hunt = Hunt(clocked(engine()), some, frozenset(one.technique for one in some))
    for _ in hunt.run():
        pass
    assert hunt.counts["attacks"] > 50
    assert [] == hunt.faults


def test_a_hang_names_its_op_and_the_time_it_was_given():
    """A finding could not be shown again without the limit."""
    case = Case(
        Capabilities(),
        WorldSpec(),
        (("tool", "a"), ("tool", "b"), ("tool", "c")),
        tuple("xyz"),
        "f",
    )
    found = hang(case, 1, 1.0, "within the limit of 2 s")
    assert [(("tool", "a"), ("tool", "b")), "y"] == [found.case.ops, found.technique]
    assert "5 characters, and no answer within the limit of 2 s" == found.observed


class Never:
    """A target that answers nothing in time."""

    def __init__(self, target):
        self.target = target
        self.asked = []

    def run(self, case, patience=1.0):
        """Say of each op that it hung."""
        self.asked.append(case)
        hung = Answer(ok=False, hung=True)
        return Trace(
            case,
            Surface.SESSION,
            tuple(Step(op, hung, (), at, at, at) for at, op in enumerate(case.ops)),
        ), []


def test_a_target_that_answers_no_honest_op_is_not_accused(vectors):
    """Whatever is asked of it would be taken for an attack that makes it hang."""
    target = Never(engine().target)
    with pytest.raises(TargetError, match="hangs on honest ops"):
        list(Hunt(target, vectors, frozenset()).run())
    assert {3} == {len(target.asked)}

"""Two runs compared: each relation sees one fault that no single run shows, and only that."""

import itertools
from types import SimpleNamespace

import pytest
from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.attacks.invariants import judge
from capfuzz.engine import Capabilities
from capfuzz.gate.comparisons import RELATIONS, base_of, broken
from capfuzz.strategies import stage
from capfuzz.targets.right import RIGHT
from capfuzz.targets.session import SessionTarget, engine_factory
from capfuzz.targets.spec import Options, load

READ = ("fs_read", "/work/data.txt")
SECRET = ("fs_read", "/etc/passwd")
GRANT = Capabilities(
    fs_read=("/work/", "/other"),
    fs_write=("/work/out/",),
    net_hosts=("api.internal", "10.0.0.1"),
    allowed_tools=("summarize",),
)


def case(*ops, grant=GRANT, world=stage.WORLD):
    """Return the ops as a case on the stage."""
    return Case(grant, world, ops, ("made-here",) * len(ops), "made here")


def wrapped(answer):
    """Return a target whose every answer goes through ``answer(result, op, caps, ops so far)``."""

    def make(caps, world):
        box, count = engine_factory(caps, world), itertools.count()
        return SimpleNamespace(run=lambda op: answer(box.run(op), op, caps, next(count)))

    return SessionTarget("made here", make)


def refused(result, detail="refused", violation="fs_read_denied"):
    """Return a soft refusal."""
    return SimpleNamespace(
        ok=False, output=None, violation=violation, hard=False, detail=detail, was=result
    )


def counts_runs():
    """Return a target that names its runs in what a granted read gives back."""
    runs = itertools.count()

    def make(caps, world):
        box, number = engine_factory(caps, world), next(runs)

        def run(op):
            result = box.run(op)
            return SimpleNamespace(ok=result.ok, output=f"{number}") if result.ok else result

        return SimpleNamespace(run=run)

    return SessionTarget("made here", make)


def tells_what_exists(caps, world):
    """Make a box that names the reason of a refusal by whether the file is there."""

    def run(op):
        result = box.run(op)
        there = op[0] == "fs_read" and world.vfs.exists(op[1])
        return result if result.ok else refused(result, "forbidden" if there else "no such file")

    box = engine_factory(caps, world)
    return SimpleNamespace(run=run)


def locks_out(caps, world):
    """Make a box that refuses everything after three refusals."""
    box, strikes = engine_factory(caps, world), []

    def run(op):
        if len(strikes) >= 3:
            return refused(None)
        result = box.run(op)
        strikes.extend([op] * (not result.ok))
        return result

    return SimpleNamespace(run=run)


def denies_by_text(result, op, _caps, _count):
    """Refuse one granted file by its text alone."""
    return refused(result) if op == READ else result


def first_host_only(result, op, caps, _count):
    """Refuse every host but the first of the list."""
    is_other = op[0] == "net_fetch" and op[1] != caps.net_hosts[0]
    return refused(result, violation="egress_denied") if is_other else result


def refuses_many_roots(result, op, caps, _count):
    """Refuse reads where the grant has more than one root."""
    return refused(result) if op[0] == "fs_read" and len(caps.fs_read) > 1 else result


FAULTS = {
    "again": (counts_runs(), case(READ)),
    "existence": (SessionTarget("made here", tells_what_exists), case(SECRET)),
    "denials": (SessionTarget("made here", locks_out), case(READ)),
    "spelling": (wrapped(denies_by_text), case(READ)),
    "order": (wrapped(first_host_only), case(("net_fetch", "api.internal", "/status"))),
    "smaller": (wrapped(refuses_many_roots), case(READ)),
}
ENGINE = SessionTarget("engine", engine_factory)


def test_every_relation_has_a_fault_of_its_own():
    """A relation that nothing falls to would check nothing."""
    assert set(RELATIONS) == set(FAULTS)


@pytest.mark.parametrize("name", RELATIONS)
def test_a_relation_sees_its_fault(name):
    """State that should not be left, and answers that tell too much, would stay unseen."""
    target, one = FAULTS[name]
    assert [other for other in RELATIONS if broken(target, one, other)] == [name]


@pytest.mark.parametrize("name", RELATIONS)
def test_the_judge_alone_does_not_see_it(name):
    """The relation would only tell a second time what one run shows."""
    target, one = FAULTS[name]
    assert {breach.severity for breach in judge(target.run(one)).breaches} <= {"warning"}


@pytest.mark.parametrize("name", RELATIONS)
def test_the_engine_holds_every_relation(name):
    """The reference would be accused."""
    ops = (READ, SECRET, ("fs_write", "/work/out/a", "b"), ("net_fetch", "10.0.0.1", "/status"))
    for one in (case(*ops), *(case(op) for op in ops), *(one for _, one in FAULTS.values())):
        assert not broken(ENGINE, one, name)


@pytest.mark.parametrize("right", [one for one in RIGHT if one.surface == "session"])
def test_no_right_session_breaks_a_relation(right):
    """A style that may differ from the engine would be accused."""
    target = load(right.spec, Options())
    found = [
        (name, one.ops)
        for name in RELATIONS
        for _, one in FAULTS.values()
        if broken(target, one, name)
    ]
    assert found == []


def test_what_one_run_shows_is_not_told_again():
    """One fault would come out as two findings."""
    open_ = wrapped(
        lambda result, _op, _caps, _count: SimpleNamespace(ok=True, output=result.detail)
    )
    trace = open_.run(case(SECRET))
    assert base_of(open_, trace, judge(trace)) is None


def test_a_target_that_flickers_is_blamed_for_that_alone():
    """Every relation would be broken by chance."""
    assert not broken(counts_runs(), case(READ), "order")


def test_a_clock_that_runs_by_itself_stands_still_for_the_refusals():
    """A right target would run out of time earlier, and be accused."""
    tight = case(READ, READ, READ, grant=Capabilities(fs_read=("/work",), max_wall=2, max_ops=3))
    for world in (stage.WORLD, WorldSpec(files=stage.WORLD.files, ticks=(0, 1, 5, -3, 9))):
        one = case(*tight.ops, grant=tight.grant, world=world)
        assert not broken(ENGINE, one, "denials")


def test_the_words_of_a_refusal_may_count():
    """A detail such as "3 of 5 ops used" would be an accusation."""

    def counting(result, _op, _caps, count):
        return result if result.ok else refused(result, f"op {count}", result.violation)

    assert not broken(wrapped(counting), case(READ, SECRET), "denials")

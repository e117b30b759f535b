"""Ops tried together: what happens is told of the right op, and judged by the kindest order."""

import threading
import time
from types import SimpleNamespace

import pytest
from capfuzz.attacks.case import Behaviour, Case, WorldSpec
from capfuzz.attacks.invariants import judge
from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.broken import session as broken
from capfuzz.targets.race import Meeting
from capfuzz.targets.right import RIGHT
from capfuzz.targets.session import SessionTarget, engine_factory
from capfuzz.targets.spec import Options, load
from capfuzz.targets.world import EFFECT

WORLD = WorldSpec(
    files={"/work/ten": b"0123456789"},
    hosts={"api.internal": {"/ten": "0123456789"}},
    tools={"echo": Behaviour.ECHO},
    at_once=True,
)
DOORS = (
    ("fs_read", "/work/ten"),
    ("fs_write", "/work/note", b"text"),
    ("net_fetch", "api.internal", "/ten"),
    ("tool", "echo", "0123456789"),
)


def case(*ops, **budgets):
    """Return ops that are all granted, tried together."""
    grant = Capabilities(
        fs_read=("/work",),
        fs_write=("/work",),
        net_hosts=("api.internal",),
        allowed_tools=("echo",),
        **budgets,
    )
    return Case(grant, WORLD, ops, ("race",) * len(ops), "made here")


CASES = [
    *(case(*[op] * 4, max_ops=left) for op in DOORS for left in (1, 3)),
    case(*DOORS, max_ops=2),
    *(case(*[op] * 4, max_output_bytes=15) for op in DOORS if op[0] != "fs_write"),
    case(*DOORS, max_output_bytes=15),
]


def broke(factory, one):
    """Return the invariants that a case shows to be broken, once a busy machine lets threads meet."""
    target, tries = SessionTarget("made here", factory), range(50)
    seen = ({breach.invariant for breach in judge(target.run(one)).breaches} for _ in tries)
    return next(filter(None, seen), set())


@pytest.mark.parametrize("one", CASES)
def test_the_engine_holds_its_budgets_between_threads(one):
    """A check that another thread can part from its charge grants the last unit twice."""
    trace = SessionTarget("engine", engine_factory).run(one)
    assert judge(trace).breaches == ()
    assert sum(step.answer.ok for step in trace.steps) <= one.grant.max_ops
    assert {step.op for step in trace.steps} == set(one.ops)


@pytest.mark.parametrize("right", [one for one in RIGHT if one.surface == "session"])
def test_no_right_session_is_accused(right):
    """Threads end in any order, and a false alarm would come and go."""
    target = load(right.spec, Options())
    assert [one for one in CASES if judge(target.run(one)).breaches] == []


def test_the_last_op_is_taken_once():
    """The one fault that only threads can show would pass."""
    assert broke(broken.budget_race, CASES[0]) == {"within-budget"}
    assert broke(broken.ops_race, CASES[0]) == {"within-budget"}


def test_the_last_bytes_are_taken_once():
    """Output that is compared and charged apart would pass."""
    over = case(*[DOORS[0]] * 4, max_output_bytes=15)
    assert broke(broken.output_race, over) == {"within-budget"}


def test_effects_belong_to_the_thread_that_made_them():
    """An op would be blamed for what another one did."""
    trace = SessionTarget("engine", engine_factory).run(case(*DOORS))
    seen = {step.op[0]: [effect.kind for effect in step.effects] for step in trace.steps}
    assert seen == {
        "fs_read": ["read"],
        "fs_write": ["write"],
        "net_fetch": ["fetch"],
        "tool": ["tool"],
    }


def test_a_deadlock_is_told_as_a_hang():
    """Two locks taken in two orders would stop the suite for good."""

    def make(caps, world):
        lock = threading.Lock()
        lock.acquire()
        return SimpleNamespace(run=lambda _op: lock.acquire())

    trace = SessionTarget("made here", make, op_limit=0.1).run(case(*DOORS))
    assert [step.answer.hung for step in trace.steps] == [True] * 4


def test_an_answer_that_says_nothing_is_an_error():
    """What a thread raises would be printed, and the op taken for one that hung."""
    target = SessionTarget("made here", lambda _caps, _world: SimpleNamespace(run=lambda _op: "ok"))
    with pytest.raises(TargetError, match=r"without \.ok"):
        target.run(case(*DOORS))


def test_a_meeting_waits_for_all_that_are_present():
    """Threads that pass each other never meet between a check and its charge."""
    meeting, passed = Meeting(2), []

    def go(pause):
        time.sleep(pause)
        passed.append(len(passed))
        meeting.wait(EFFECT)
        meeting.leave()

    threads = [threading.Thread(target=go, args=(pause,)) for pause in (0, 0.001)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert passed == [0, 1]

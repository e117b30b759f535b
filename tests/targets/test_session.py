"""Session targets: what is asked, what is seen, and what is refused as no answer at all."""

import time
from contextlib import suppress
from enum import Enum
from types import SimpleNamespace

import pytest
from capfuzz.attacks.case import Behaviour, Case, Surface, WorldSpec
from capfuzz.attacks.trace import Answer, Effect
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError
from capfuzz.targets.session import SessionTarget, answer_of, engine_factory

LIMIT = 0.2
FOREVER = 30
FILES = {"/work/data.txt": b"ledger", "/etc/passwd": b"root"}
TOOLS = {"again": Behaviour.REENTER, "echo": Behaviour.ECHO, "fails": Behaviour.RAISE}
READ = ("fs_read", "/work/data.txt")
SECRET = ("fs_read", "/etc/passwd")


def case(*ops, ticks=(), **grant):
    """Return a case under a grant of /work and the tools."""
    granted = Capabilities(**{"fs_read": ("/work",), "allowed_tools": set(TOOLS), **grant})
    return Case(granted, WorldSpec(FILES, tools=TOOLS, ticks=ticks), ops, (), "test")


def box(run):
    """Return a factory of targets that answer with ``run(world, op)``."""
    return lambda caps, world: SimpleNamespace(run=lambda op: run(world, op))


def attack(factory, *ops, **grant):
    """Return the trace of the ops on what ``factory`` makes."""
    return SessionTarget("py:a:b", factory, LIMIT).run(case(*ops, **grant))


def refusal(factory, *ops):
    """Return the sentence with which a target is refused."""
    with pytest.raises(TargetError) as caught:
        attack(factory, *ops or (READ,))
    return str(caught.value)


# ---------------------------------------------------------------- steps


def test_every_op_is_a_step_with_its_own_effects():
    """An effect would be held against another op than the one that had it."""
    trace = attack(engine_factory, READ, SECRET, ("tool", "echo", "a"))
    assert [step.op for step in trace.steps] == [READ, SECRET, ("tool", "echo", "a")]
    assert [step.asked for step in trace.steps] == [0, 1, 2]
    assert [step.answer.ok for step in trace.steps] == [True, False, True]
    assert [
        (Effect("read", "/work/data.txt", 6),),
        (),
        (Effect("tool", "echo", 1),),
    ] == [step.effects for step in trace.steps]
    assert Surface.SESSION is trace.surface


def test_ops_tried_from_inside_a_tool_nest():
    """Charges would be counted in the wrong order, and a right target blamed for its budget."""
    inner = ("tool", "again", *READ)
    trace = attack(engine_factory, ("tool", "again", *inner), READ)
    assert [("tool", "again", *inner), inner, READ, READ] == [step.op for step in trace.steps]
    assert [step.asked for step in trace.steps] == [0, None, None, 1]
    assert [(step.began, step.ended) for step in trace.steps] == [(1, 6), (2, 5), (3, 4), (7, 8)]


def test_effects_inside_a_tool_belong_to_the_op_that_it_tried():
    """The outer op, which is granted, would be blamed for an escape of the inner one."""

    def run(world, op):
        return (world.tools["again"](*op[2:]) if op[0] == "tool" else world.vfs.read(op[1])) != ""

    outer, inner = attack(box(run), ("tool", "again", *SECRET)).steps
    assert (Effect("read", "/etc/passwd", 4),) == inner.effects
    assert (Effect("tool", "again", 4),) == outer.effects


def test_a_tool_learns_whether_the_op_that_it_tried_was_allowed():
    """A re-entrant tool would tell nothing, and its output weigh nothing."""
    denied, allowed = (
        attack(engine_factory, ("tool", "again", *op)).steps[0].answer.output
        for op in (SECRET, READ)
    )
    assert (denied, allowed) == ("False", "True")


def test_the_clock_stands_while_an_op_is_under_way():
    """A target that reads the clock in another rhythm would be held to other ticks."""
    seen = []

    def run(world, op):
        seen.append((world.clock(), world.clock()))
        return op[0] != "tool" or world.tools["again"](*op[2:])[:0] == ""

    attack(box(run), READ, ("tool", "again", *READ), READ, ticks=(0, 3, 1, 9, 20))
    assert seen == [(3, 3), (1, 1), (9, 9), (20, 20)]


# ---------------------------------------------------------------- hangs


def test_a_hang_ends_the_case():
    """A target that hangs once would be asked on in a state that nobody knows."""
    trace = attack(box(lambda _, op: op == READ or time.sleep(FOREVER)), READ, SECRET, READ)
    assert [step.answer.hung for step in trace.steps] == [False, True]
    assert not trace.steps[1].answer.ok


def test_who_swallows_the_interruption_still_hung():
    """A target that catches everything and answers late would count as one that answers."""

    def run(_world, _op):
        for _ in range(2):
            with suppress(BaseException):
                time.sleep(FOREVER)
        return True

    (step,) = attack(box(run), READ, READ).steps
    assert Answer(ok=False, hung=True) == step.answer


def test_what_happened_before_a_hang_inside_a_tool_is_told():
    """An escape would be hidden by hanging after it."""

    def run(world, op):
        if op[0] == "tool":
            return world.tools["again"](*op[2:]) == "True"
        world.vfs.read(op[1])
        time.sleep(FOREVER)
        return True

    outer, inner = attack(box(run), ("tool", "again", *SECRET), READ).steps
    assert (Effect("read", "/etc/passwd", 4),) == inner.effects
    assert [outer.answer.hung, inner.answer.hung] == [True, True]
    assert (Effect("tool", "again", failed=True),) == outer.effects
    assert outer.began < inner.began < inner.ended < outer.ended


def test_patience_lengthens_the_limit():
    """A busy machine would be told from a hang by nobody."""
    target = SessionTarget("x", box(lambda _w, _op: time.sleep(LIMIT) or True), LIMIT / 2)
    assert [target.run(case(READ), patience).steps[0].answer.hung for patience in (1, 100)] == [
        True,
        False,
    ]


# ---------------------------------------------------------------- what comes out


@pytest.mark.parametrize("error", [ValueError, SystemExit, RecursionError])
def test_what_is_raised_is_told_and_the_case_goes_on(error):
    """An exception would pass for a refusal, or end the suite."""

    def run(_world, op):
        if op == READ:
            raise error
        return True

    trace = attack(box(run), READ, SECRET)
    assert [error.__name__, None] == [step.answer.raised for step in trace.steps]
    assert [step.answer.ok for step in trace.steps] == [False, True]


def test_ctrl_c_ends_the_suite():
    """Nobody could stop an attack."""

    def run(_world, _op):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attack(box(run), READ)


class _Truth:
    def __init__(self, says):
        self.says = says

    def __bool__(self):
        return self.says


class _Verdict(Enum):
    YES = True
    NO = False

    def __bool__(self):
        return self.value


class _Word(Enum):
    DENIED = "denied"


@pytest.mark.parametrize(
    ("result", "ok"),
    [
        (True, True),
        (False, False),
        (None, False),
        (1, True),
        (0, False),
        (_Truth(says=True), True),
        (_Truth(says=False), False),
        (_Verdict.NO, False),
    ],
)
def test_truth_is_taken_for_an_answer(result, ok):
    """The plainest targets could not be attacked."""
    assert Answer(ok=ok) == answer_of(result)


def test_a_result_tells_what_it_has():
    """Reasons and output would not be judged."""
    result = SimpleNamespace(ok=1, output=b"x", violation="tool_denied", hard=0, detail=7)
    assert Answer(True, b"x", "tool_denied", False, "7") == answer_of(result)  # noqa: FBT003
    assert Answer(ok=False) == answer_of(SimpleNamespace(ok=False))


@pytest.mark.parametrize(
    "result", [{"ok": False}, (False, "why"), ["no"], "denied", b"", object(), _Word.DENIED]
)
def test_a_result_that_says_neither_yes_nor_no_is_refused(result):
    """``{"ok": False}`` is true as it stands: every refusal would be taken for a yes."""
    said = refusal(box(lambda _w, _op: result))
    assert f"returned a {type(result).__name__} without .ok" in said


def test_a_result_whose_ok_is_a_method_is_refused():
    """A bound method is always true: every refusal would be taken for a yes."""

    class Result:
        def ok(self):
            return False

    assert "Result whose .ok is a method" in refusal(box(lambda _w, _op: Result()))


def test_an_asynchronous_target_is_refused():
    """Nothing would run, and everything be called blocked."""

    async def run(op):
        return True

    coroutines = []

    def keep(op):
        coroutines.append(run(op))
        return coroutines[-1]

    assert "coroutine" in refusal(lambda _c, _w: SimpleNamespace(run=keep))
    coroutines[0].close()


# ---------------------------------------------------------------- the factory


@pytest.mark.parametrize("error", [ValueError("no luck"), SystemExit("no luck")])
def test_a_factory_that_raises_is_named_with_what_it_raised(error):
    """A target that does not start would be called held, or crash the suite."""

    def factory(_caps, _world):
        raise error

    assert f"py:a:b: the factory raised {type(error).__name__}: no luck" == refusal(factory)


def test_a_factory_that_hangs_is_told():
    """The suite would wait for a target that never starts."""
    assert (
        refusal(lambda _c, _w: time.sleep(FOREVER)) == "py:a:b: the factory did not return in 0.2 s"
    )


@pytest.mark.parametrize("made", [None, object(), SimpleNamespace(run="run")])
def test_a_factory_must_return_something_to_run(made):
    """Every op would raise, and that pass for fail-closed."""
    assert f"py:a:b: the factory returned a {type(made).__name__} without run(op)" == refusal(
        lambda _c, _w: made
    )


def test_every_case_gets_a_fresh_target_in_a_fresh_world():
    """One case would be judged by what another left behind."""
    target = SessionTarget("engine", engine_factory, LIMIT)
    write = case(("fs_write", "/work/data.txt", b"new"), fs_write=("/work",), max_ops=1)
    read = case(READ, max_ops=1)
    assert target.run(write).steps[0].answer.ok
    assert target.run(read).steps[0].answer.output == b"ledger"


# ---------------------------------------------------------------- the grant


def test_a_grant_that_is_left_alone_is_kept():
    """Every target would be accused of changing its grant."""
    assert attack(engine_factory, READ).grant_kept


@pytest.mark.parametrize("name", ["fs_read", "net_hosts", "max_ops"])
def test_a_grant_that_is_changed_is_told(name):
    """A target could widen its own grant unseen."""

    def factory(caps, _world):
        wider = 99 if name == "max_ops" else ("/",)
        return SimpleNamespace(run=lambda _op: object.__setattr__(caps, name, wider) is None)

    assert not attack(factory, READ).grant_kept


# ---------------------------------------------------------------- what can be asked


def test_only_urls_are_not_a_sessions():
    """A vector of another surface would be a malformed op here."""
    target = SessionTarget("engine", engine_factory, LIMIT)
    odd = case(None, (), "url", ["url", "x"], ("fs_read",))
    assert odd is target.adapt(odd)
    assert target.adapt(case(READ, ("url", "http://evil.test/"))) is None

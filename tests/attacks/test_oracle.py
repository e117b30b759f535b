"""The oracle: budgets, time and output as a right target keeps them, step by step."""

import pytest
from capfuzz.attacks.case import Behaviour, Case, Surface, Verdict, WorldSpec
from capfuzz.attacks.oracle import HARD_REASONS, rulings
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.engine import Capabilities
from capfuzz.targets.session import SessionTarget, engine_factory

DENY, ALLOW, CONTAIN = Verdict.DENY, Verdict.ALLOW, Verdict.CONTAIN
ENGINE = SessionTarget("engine", engine_factory)
FILES = {"/work/data.txt": b"0123456789", "/work/more.txt": b"01234", "/etc/passwd": b"s" * 20}
TOOLS = {"again": Behaviour.REENTER, "fails": Behaviour.RAISE, "echo": Behaviour.ECHO}
READ, MORE, SECRET = (
    ("fs_read", path) for path in ("/work/data.txt", "/work/more.txt", "/etc/passwd")
)
MISSING = ("fs_read", "/work/missing")
YES, NO = Answer(ok=True), Answer(ok=False)


def case(*ops, ticks=(), verdicts=(), **grant):
    """Return a case over the usual files and tools."""
    caps = {"fs_read": ["/work"], "fs_write": ["/work/out"], "allowed_tools": TOOLS, **grant}
    world = WorldSpec(FILES, tools=TOOLS, ticks=ticks)
    return Case(Capabilities(**caps), world, ops, ("plain",) * len(ops), "test", verdicts)


def read(op):
    """Return the effect of a read."""
    return Effect("read", op[1], len(FILES[op[1]]))


def trace(one, *told):
    """Return a trace of (answer, effects) in the order of the ops, one after another."""
    steps = [
        Step(op, answer, tuple(effects), 2 * index, 2 * index + 1, index)
        for index, (op, (answer, *effects)) in enumerate(zip(one.ops, told, strict=False))
    ]
    return Trace(one, Surface.SESSION, tuple(steps))


def nested(one, outer, inner):
    """Return a trace of one op, with another tried from inside it."""
    (op,) = one.ops
    outer_answer, *outer_effects = outer
    inner_op, inner_answer, *inner_effects = inner
    return Trace(
        one,
        Surface.SESSION,
        (
            Step(op, outer_answer, tuple(outer_effects), 1, 4, 0),
            Step(inner_op, inner_answer, tuple(inner_effects), 2, 3, None),
        ),
    )


def short(ruled):
    """Return rulings in short: the verdict, or the reasons of a hard one; None for unknown."""
    return [
        None if one is None else "+".join(sorted(one.reasons)) if one.hard else one.verdict
        for one in ruled
    ]


def engine(one):
    """Return what the oracle says of the engine's trace, and what the engine said."""
    done = ENGINE.run(one)
    return short(rulings(done)), [step.answer.violation for step in done.steps]


# ---------------------------------------------------------------- ops


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4])
def test_the_op_that_exceeds_max_ops_halts(limit):
    """If it fails, the oracle lets a target run one op too many, or one too few."""
    halted = "halted+max_ops"
    expected = [ALLOW] * min(limit, 3) + ["max_ops", halted, halted][: max(0, 3 - limit)]
    ruled, said = engine(case(READ, READ, READ, max_ops=limit))
    assert expected == ruled
    assert [one if one in {"max_ops", None} else "halted" for one in said] == [
        None if one is ALLOW else str(one).partition("+")[0] for one in expected
    ]


def test_refused_and_malformed_ops_are_charged():
    """If it fails, ten thousand guesses cost nothing."""
    ruled, _ = engine(case(SECRET, None, MISSING, READ, max_ops=3))
    assert ruled == [DENY, DENY, CONTAIN, "max_ops"]


def test_an_op_that_a_tool_tries_is_charged():
    """If it fails, a tool is a way around the budget."""
    ruled, said = engine(case(("tool", "again", *READ), READ, max_ops=2))
    assert ruled == [ALLOW, ALLOW, "max_ops"]
    assert said == [None, None, "max_ops"]


def test_halted_is_right_under_either_name():
    """If it fails, a target that repeats the first reason is warned."""
    done = ENGINE.run(case(READ, READ, READ, max_ops=1))
    assert [set(), {"max_ops"}, {"halted", "max_ops"}] == [
        set(one.reasons) & HARD_REASONS for one in rulings(done)
    ]
    assert [one.strict for one in rulings(done)] == [False, True, True]


# ---------------------------------------------------------------- time


@pytest.mark.parametrize(
    ("ticks", "limit", "expected"),
    [
        ((), 2, [ALLOW, ALLOW, "max_wall"]),
        ((), 0, ["max_wall", "halted+max_wall", "halted+max_wall"]),
        ((5,), 0, [ALLOW, ALLOW, ALLOW]),
        ((7, 7, 8), 0, [ALLOW, "max_wall", "halted+max_wall"]),
        ((0, 10, 20, 30), 30, [ALLOW, ALLOW, ALLOW]),
        ((0, 10, 20, 31), 30, [ALLOW, ALLOW, "max_wall"]),
        # A step back counts as nothing and gives nothing back.
        ((0, 10, 0, 10), 19, [ALLOW, ALLOW, "max_wall"]),
        ((0, 10, 0, 10), 20, [ALLOW, ALLOW, ALLOW]),
        ((100, 0, 50, 0), 50, [ALLOW, ALLOW, ALLOW]),
        ((-5, -1, 0, 0), 4, [ALLOW, "max_wall", "halted+max_wall"]),
    ],
)
def test_only_steps_forward_are_counted(ticks, limit, expected):
    """If it fails, a clock that is set back buys time, or an honest target is halted early."""
    ruled, said = engine(case(READ, READ, READ, ticks=ticks, max_wall=limit))
    assert expected == ruled
    assert [one is ALLOW for one in expected] == [one is None for one in said]


def test_ops_are_charged_before_time():
    """If it fails, the reason for a halt depends on the order in which nobody looked."""
    ruled, said = engine(case(READ, READ, ticks=(0, 0, 99), max_ops=1, max_wall=5))
    assert ruled == [ALLOW, "max_ops"]
    assert said == [None, "max_ops"]


def test_time_passes_inside_a_tool():
    """If it fails, the ticks of a nested op are lost, or counted twice."""
    ruled, said = engine(case(("tool", "again", *READ), READ, ticks=(0, 1, 2, 3), max_wall=2))
    assert ruled == [ALLOW, ALLOW, "max_wall"]
    assert said == [None, None, "max_wall"]


# ---------------------------------------------------------------- output


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (25, [ALLOW, ALLOW, ALLOW]),
        (24, [ALLOW, ALLOW, "max_output_bytes"]),
        (15, [ALLOW, ALLOW, "max_output_bytes"]),
        (14, [ALLOW, "max_output_bytes", "halted+max_output_bytes"]),
        (9, ["max_output_bytes", "halted+max_output_bytes", "halted+max_output_bytes"]),
    ],
)
def test_output_is_charged_to_the_byte(limit, expected):
    """If it fails, a target may give back more than was granted, or less."""
    ruled, said = engine(case(READ, MORE, READ, max_output_bytes=limit))
    assert expected == ruled
    assert [one is ALLOW for one in expected] == [one is None for one in said]


def test_the_effect_of_an_op_that_gives_back_too_much_is_right():
    """If it fails, a tool that ran and was then kept back is an effect on a denial."""
    late = [one.late for one in rulings(ENGINE.run(case(READ, READ, max_output_bytes=5)))]
    assert late == [True, False]


def test_output_is_charged_when_an_op_ends():
    """If it fails, a tool that tries an op is charged in the wrong order."""
    one = case(("tool", "again", *READ), max_output_bytes=12)
    ruled, said = engine(one)
    assert ruled == ["max_output_bytes", ALLOW]  # 10 bytes for the read, then 4 for "True"
    assert said == ["max_output_bytes", None]


def test_what_is_refused_gives_nothing_back():
    """If it fails, a refusal fills the budget or buys more of it."""
    refused = (SECRET, SECRET, ("tool", "fails"))
    for limit, expected in ((10, ALLOW), (9, "max_output_bytes")):
        ruled, _ = engine(case(*refused, READ, max_output_bytes=limit))
        assert ruled == [DENY, DENY, CONTAIN, expected]


def test_an_honest_op_that_is_refused_is_not_charged():
    """If it fails, over-blocking once makes every later op a fault."""
    one = case(READ, READ, max_output_bytes=10)
    assert short(rulings(trace(one, (NO, read(READ)), (YES, read(READ))))) == [ALLOW, ALLOW]


def test_an_error_of_the_world_gives_nothing_back():
    """If it fails, what was not there is charged."""
    one = case(MISSING, READ, max_output_bytes=10)
    told = (YES, Effect("read", "/work/missing", 99, failed=True)), (YES, read(READ))
    assert short(rulings(trace(one, *told))) == [CONTAIN, ALLOW]


def test_looking_twice_at_one_thing_is_charged_once():
    """If it fails, a target that checks what it opened is said to exceed its budget."""
    one = case(READ, max_output_bytes=10)
    assert short(rulings(trace(one, (YES, read(READ), read(READ))))) == [ALLOW]


@pytest.mark.parametrize(("op", "verdict"), [(SECRET, DENY), (MISSING, CONTAIN)])
def test_a_look_before_a_refusal_is_no_output(op, verdict):
    """If it fails, a target that looks first and refuses then is called halted for good."""
    one = case(op, READ, max_output_bytes=12)
    looked = Effect("read", op[1], 20)
    first, second = rulings(trace(one, (NO, looked), (YES, read(READ))))
    assert (verdict, False, None) == (first.verdict, first.hard, second)
    # Whoever calls that too much output is right as well.
    assert {"fs_read_denied", "max_output_bytes"} == first.reasons


def test_output_that_should_have_been_kept_back_ends_the_following():
    """If it fails, a target is judged on a state that it is not in."""
    one = case(READ, READ, READ, max_output_bytes=5)
    told = [(YES, read(READ))] * 3
    assert short(rulings(trace(one, *told))) == [
        "max_output_bytes",
        "halted+max_output_bytes",
        None,
    ]


# ---------------------------------------------------------------- halting and being halted


def test_an_op_in_flight_is_halted_by_one_that_its_tool_tries():
    """If it fails, what comes out of a halted sandbox is taken for right."""
    one = case(("tool", "again", *READ), max_ops=1)
    done = ENGINE.run(one)
    outer, inner = rulings(done)
    assert short([outer, inner]) == ["halted+max_ops", "max_ops"]
    assert (outer.late, inner.late) == (True, False)
    assert [step.answer.violation for step in done.steps] == ["halted", "max_ops"]


@pytest.mark.parametrize(
    "halted",
    [
        Answer(ok=False, hard=True),
        Answer(ok=False, violation="halted"),
        Answer(ok=False, violation="max_ops"),
        Answer(ok=False, violation="max_wall", hard=True),
        Answer(ok=True, hard=True),
    ],
)
def test_a_target_that_halts_unasked_is_followed_no_further(halted):
    """If it fails, whoever halts on a denial is blamed for every op that it refuses then."""
    one = case(SECRET, READ, READ)
    assert short(rulings(trace(one, (halted,), (NO,), (NO,)))) == [DENY, None, None]


@pytest.mark.parametrize("said", [None, "fs_read_denied", "SomeError"])
def test_a_soft_refusal_halts_nothing(said):
    """If it fails, the ops after a denial are not judged."""
    told = (Answer(ok=False, violation=said, hard=False),), (YES, read(READ))
    assert short(rulings(trace(case(SECRET, READ), *told))) == [DENY, ALLOW]


def test_a_target_that_goes_on_after_a_halt_is_followed_no_further():
    """If it fails, one fault of a target is told for every op that follows it."""
    one = case(READ, READ, READ, max_ops=1)
    told = [(YES, read(READ))] * 3
    assert short(rulings(trace(one, *told))) == [ALLOW, "max_ops", None]


def test_a_nested_op_that_passes_after_a_halt_leaves_nothing_to_judge():
    """If it fails, the op around it is judged on a state that nobody knows."""
    one = case(("tool", "again", *READ), max_ops=0)
    told = nested(one, (YES, Effect("tool", "again", 4)), (READ, YES, read(READ)))
    assert short(rulings(told)) == ["max_ops", "halted+max_ops"]


@pytest.mark.parametrize(
    "inner", [Answer(ok=False, hard=True), Answer(ok=False, violation="halted")]
)
def test_an_op_whose_tool_tripped_a_target_unasked_is_not_judged(inner):
    """If it fails, whoever halts on a nested denial is blamed for all that it refuses then."""
    again = ("tool", "again", *SECRET)
    one = case(again, READ)
    steps = (
        Step(again, Answer(ok=False, violation="halted"), (Effect("tool", "again", 5),), 1, 4, 0),
        Step(SECRET, inner, (), 2, 3, None),
        Step(READ, NO, (), 5, 6, 1),
    )
    assert short(rulings(Trace(one, Surface.SESSION, steps))) == [None, DENY, None]


def test_a_nested_op_after_the_state_is_lost_is_not_judged():
    """If it fails, an op is judged on a state that nobody knows."""
    (tool,) = (("tool", "again", *READ),)
    one = case(SECRET, tool)
    steps = (
        Step(SECRET, Answer(ok=False, hard=True), (), 1, 2, 0),
        Step(tool, YES, (Effect("tool", "again", 4),), 3, 6, 1),
        Step(READ, YES, (read(READ),), 4, 5, None),
    )
    assert short(rulings(Trace(one, Surface.SESSION, steps))) == [DENY, None, None]


# ---------------------------------------------------------------- what is written


def test_a_file_that_was_written_can_be_read():
    """If it fails, reading back is no control."""
    new = "/work/out/new"
    one = case(("fs_read", new), ("fs_write", new, "x"), ("fs_read", new))
    grant = {"fs_read": ["/work"], "fs_write": ["/work/out"]}
    assert engine(case(*one.ops, **grant))[0] == [CONTAIN, ALLOW, ALLOW]


def test_a_write_that_failed_leaves_no_file():
    """If it fails, a right target is told off for not reading what was never written."""
    below = "/work/data.txt/below"
    one = case(("fs_write", below, "x"), ("fs_read", below), fs_write=["/work"])
    assert engine(one)[0] == [CONTAIN, CONTAIN]


def test_what_was_read_was_not_written():
    """If it fails, a target that answers for a file that is not there must do so again."""
    one = case(MISSING, MISSING)
    told = [(YES, Effect("read", "/work/missing"))] * 2
    assert short(rulings(trace(one, *told))) == [CONTAIN, CONTAIN]


def test_what_a_denied_write_left_is_there():
    """If it fails, the oracle does not know the state that a faulty target is in."""
    one = case(("fs_write", "/work/x", "x"), ("fs_read", "/work/x"))
    told = (NO, Effect("write", "/work/x")), (YES, Effect("read", "/work/x", 1))
    assert short(rulings(trace(one, *told))) == [DENY, ALLOW]


# ---------------------------------------------------------------- verdicts that a vector states


def test_a_stated_verdict_replaces_the_ruling():
    """If it fails, what a vector demands or lets pass is not heard."""
    one = case(READ, SECRET, MISSING, verdicts=(CONTAIN, CONTAIN, ALLOW))
    ruled = rulings(trace(one, (YES, read(READ)), (NO,), (NO,)))
    assert short(ruled) == [CONTAIN, CONTAIN, ALLOW]
    assert {"fs_read_denied"} == ruled[1].reasons


def test_a_stated_denial_stands_for_the_op_itself():
    """If it fails, a vector cannot deny what the rules leave open."""
    one = case(MISSING, READ, verdicts=(DENY, ALLOW))
    assert short(rulings(trace(one, (NO,), (YES, read(READ))))) == [DENY, ALLOW]


def test_a_stated_denial_of_honest_work_is_left_to_the_budgets():
    """If it fails, a target that counts otherwise before is blamed for honest work."""
    one = case(READ, READ, verdicts=(ALLOW, DENY), max_ops=1)
    assert engine(one)[0] == [ALLOW, "max_ops"]
    ample = case(READ, READ, verdicts=(ALLOW, DENY))
    assert engine(ample)[0] == [ALLOW, ALLOW]


def test_a_budget_is_heard_before_a_stated_verdict():
    """If it fails, a vector that says `allow` lets a halted target go on."""
    ruled, _ = engine(case(READ, READ, verdicts=(ALLOW, ALLOW), max_ops=1))
    assert ruled == [ALLOW, "max_ops"]


def test_a_nested_op_is_ruled_by_itself():
    """If it fails, the verdict of a tool's call is taken for that of what the tool tries."""
    one = case(("tool", "again", *SECRET), verdicts=(CONTAIN,))
    assert engine(one)[0] == [CONTAIN, DENY]


def test_an_empty_trace_has_no_rulings():
    """If it fails, a target that hung in its first op crashes the judge."""
    assert rulings(trace(case(READ))) == ()


def test_the_surface_and_the_dialect_are_those_of_the_trace():
    """If it fails, a target that declares what it does is judged as if it had not."""
    one = case(("fs_read", "/work/%2e%2e/etc/passwd"))
    for dialect, expected in ((frozenset(), CONTAIN), (frozenset({"decodes-once"}), DENY)):
        told = Trace(one, Surface.PATH, trace(one, (NO,)).steps, dialect=dialect)
        assert [expected] == short(rulings(told))
    relative = case(("fs_read", "more.txt"))
    for surface, expected in ((Surface.PATH, CONTAIN), (Surface.SESSION, DENY)):
        assert [expected] == short(rulings(Trace(relative, surface, trace(relative, (NO,)).steps)))

"""The invariants: for each a table of traces that hold and of traces that break it."""

from dataclasses import replace

import pytest
from capfuzz.attacks.case import Behaviour, Case, Surface, Verdict, WorldSpec
from capfuzz.attacks.invariants import CHECKS, COMPARISONS, INVARIANTS, Breach, Severity, judge
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.engine import Capabilities

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
FILES = {
    "/work/data.txt": b"honest data",
    "/etc/passwd": b"root:x:0:0\nbin",
    "/etc/tag": b"xy",
    "/etc/pin": b"777",
    "/etc/code": b"9713",
    "/etc/raw": b"key \xff\xfe",
    "/etc/note": b"secret 42",
}
TOOLS = {"echo": Behaviour.ECHO, "again": Behaviour.REENTER, "shell": Behaviour.ECHO}
HOSTS = {"api.internal": {"/s": "ok"}, "10.0.0.1": {"/s": "ok"}, "fd00::a": {"/s": "ok"}}
GRANT = {
    "fs_read": ["/work"],
    "fs_write": ["/work/out"],
    "net_hosts": [*HOSTS],
    "allowed_tools": ["echo", "again"],
}

HONEST, SECRET = ("fs_read", "/work/data.txt"), ("fs_read", "/etc/passwd")
MISSING, ODD = ("fs_read", "/work/missing"), ("fs_read", "/work/%2e%2e/etc/passwd")
NUL = ("fs_read", "/work/data.txt\0")
WRITE, BAD_WRITE = ("fs_write", "/work/out/new", "x"), ("fs_write", "/work/data.txt", "x")
FETCH, BAD_FETCH = ("net_fetch", "api.internal", "/s"), ("net_fetch", "evil.test", "/s")
OCTAL = ("net_fetch", "012.0.0.1", "/s")
TOOL, BAD_TOOL = ("tool", "echo", "x"), ("tool", "shell", "x")

INSIDE, OUTSIDE = Effect("read", "/work/data.txt", 11), Effect("read", "/etc/passwd", 14)
WROTE, OVERWROTE = Effect("write", "/work/out/new"), Effect("write", "/work/data.txt")
FETCHED, LEAKED = Effect("fetch", "api.internal", 2), Effect("fetch", "evil.test", 2)
RAN, BAD_RAN = Effect("tool", "echo", 1), Effect("tool", "shell", 1)
ABSENT = Effect("read", "/work/missing", failed=True)

YES, NO = Answer(ok=True), Answer(ok=False)


def said(violation, **more):
    """Return a refusal for a reason."""
    return Answer(ok=False, violation=violation, **more)


def trace(*told, surface=Surface.SESSION, dialect=(), kept=True, verdicts=(), world=None, **grant):
    """Return a trace of (op, answer, effects) one after another."""
    spec = WorldSpec(FILES, hosts=HOSTS, tools=TOOLS, **(world or {}))
    ops = tuple(op for op, *_ in told)
    case = Case(Capabilities(**{**GRANT, **grant}), spec, ops, (), "test", verdicts)
    steps = tuple(
        Step(op, answer, tuple(effects), 2 * index, 2 * index + 1, index)
        for index, (op, answer, *effects) in enumerate(told)
    )
    return Trace(case, surface, steps, kept, frozenset(dialect))


def broken(one):
    """Return what a trace breaks, without the steps."""
    return [(breach.invariant, breach.severity) for breach in judge(one).breaches]


def held(one):
    """Return the invariants that a trace gave occasion to check."""
    return {name for name, count in judge(one).checked.items() if count}


def path(answer, *effects, op=ODD, reached=None, **changes):
    """Return a trace of one step on the path surface."""
    one = trace((op, answer, *effects), surface=Surface.PATH, **changes)
    return replace(one, steps=(one.steps[0]._replace(reached=reached),))


def started(number):
    """Return a trace in which so many processes were seen at once, where 16 may be."""
    use = Effect("use", "processes", number)
    return trace((("use_processes", 48), YES, use), surface=Surface.COMMAND, max_ops=16)


# ---------------------------------------------------------------- one table an invariant

# Ends in a refusal that halts; what follows it must be refused.
SPENT = (HONEST, said("max_ops", hard=True))
HOLDS = {
    "fail-closed": [
        trace((SECRET, NO)),
        trace((SECRET, said("fs_read_denied"))),
        trace((HONEST, YES, INSIDE)),
    ],
    "grant-immutable": [trace((HONEST, YES, INSIDE))],
    "halt-after-hard": [
        trace(SPENT, (HONEST, said("halted")), max_ops=0),
        trace(SPENT, (HONEST, NO), (SECRET, NO), max_ops=0),
        trace(SPENT, (HONEST, NO, INSIDE), max_ops=0),  # a look
    ],
    "within-budget": [
        trace(SPENT, max_ops=0),
        trace((HONEST, NO), max_wall=0, world={"ticks": (0, 5)}),
        trace((HONEST, NO, INSIDE), max_output_bytes=5),
        trace((FETCH, NO, FETCHED), max_output_bytes=1),  # late: the effect is right
        trace((TOOL, NO, RAN), max_output_bytes=0),
    ],
    "no-effect-on-denial": [
        trace((SECRET, NO)),
        trace((SECRET, NO, OUTSIDE)),  # a look
        trace((BAD_WRITE, NO)),
        trace((BAD_FETCH, NO)),
        trace((OCTAL, NO)),
        trace((BAD_TOOL, NO)),
        trace((("fs_write", "/work/out/../x", ""), NO, WROTE)),  # inside, though not where said
    ],
    "confined": [
        trace((HONEST, YES, INSIDE)),
        trace((WRITE, YES, WROTE)),
        trace((FETCH, YES, FETCHED)),
        trace((TOOL, YES, RAN)),
        trace((SECRET, YES, INSIDE)),  # what was asked for is not what was touched
        path(YES, Effect("read", "/work/%2e%2e/etc/passwd")),
        started(16),
    ],
    "alias-denied": [
        trace((SECRET, NO)),
        trace((SECRET, YES, INSIDE)),
        trace((OCTAL, NO)),
        trace((NUL, NO)),
        trace((BAD_TOOL, NO)),
        trace((("exec", "id"), NO)),
    ],
    "control-allowed": [
        trace((HONEST, YES, INSIDE)),
        trace((WRITE, YES, WROTE)),
        trace((FETCH, YES, FETCHED)),
        trace((TOOL, YES, RAN)),
        path(YES, op=HONEST),  # nothing to see but the yes
        trace((("url", "http://api.internal/s"), YES), surface=Surface.HOST),
    ],
    "right-reason": [
        trace((SECRET, said("fs_read_denied"))),
        trace((("fs_read", "/work/../etc/passwd"), said("path_traversal"))),
        trace((("fs_read", "/work/../etc/passwd"), said("fs_read_denied"))),
        trace((None, said("malformed_op"))),
        trace(SPENT, (HONEST, said("halted")), (HONEST, said("max_ops")), max_ops=0),
    ],
}
BREAKS = {
    "fail-closed": [
        (trace((SECRET, Answer(ok=False, raised="KeyError"))), ERROR),
        (trace((HONEST, Answer(ok=False, hung=True), INSIDE)), ERROR),
        (trace((MISSING, Answer(ok=False, raised="FileNotFoundError"), ABSENT)), WARNING),
        (trace((MISSING, Answer(ok=False, hung=True), ABSENT)), ERROR),
        (trace((MISSING, Answer(ok=False, raised="KeyError"), ABSENT, OUTSIDE)), ERROR),
        (trace((HONEST, Answer(ok=False, raised="KeyError"), INSIDE)), ERROR),
        (
            trace(
                (
                    ("net_fetch", "api.internal", "/none"),
                    Answer(ok=False, raised="NetError"),
                    Effect("fetch", "api.internal", failed=True),
                )
            ),
            WARNING,
        ),
        # An unhandled exception of a tool is not one of the world.
        (trace((TOOL, Answer(ok=False, raised="E"), Effect("tool", "echo", failed=True))), ERROR),
    ],
    "grant-immutable": [
        (trace((HONEST, YES, INSIDE), kept=False), ERROR),
        (trace((SECRET, YES, OUTSIDE), kept=False), ERROR),
    ],
    "halt-after-hard": [
        (trace(SPENT, (HONEST, YES, INSIDE), max_ops=0), ERROR),
        (trace(SPENT, (HONEST, YES), max_ops=0), ERROR),
        (trace(SPENT, (MISSING, YES, ABSENT), max_ops=0), ERROR),
        (trace(SPENT, (WRITE, NO, WROTE), max_ops=0), ERROR),
        (trace(SPENT, (SECRET, YES, OUTSIDE), max_ops=0), ERROR),
    ],
    "within-budget": [
        (trace((HONEST, YES, INSIDE), max_ops=0), ERROR),
        (trace((WRITE, NO, WROTE), max_ops=0), ERROR),
        (trace((HONEST, YES, INSIDE), max_output_bytes=10), ERROR),
        (trace((HONEST, YES), max_wall=0, world={"ticks": (0, 1)}), ERROR),
        (trace((SECRET, YES, OUTSIDE), max_ops=0), ERROR),
    ],
    "no-effect-on-denial": [
        (trace((BAD_WRITE, NO, OVERWROTE)), ERROR),
        (trace((BAD_FETCH, NO, LEAKED)), ERROR),
        (trace((BAD_TOOL, NO, BAD_RAN)), ERROR),
        (trace((BAD_WRITE, said("malformed_op"), OVERWROTE)), ERROR),
        # A strict denial forgives no effect, though the place is granted.
        (trace((OCTAL, NO, Effect("fetch", "10.0.0.1", 2))), ERROR),
        (trace((BAD_TOOL, NO, RAN)), ERROR),
        # Refused for whatever reason, yet something happened outside.
        (trace((HONEST, NO, OVERWROTE)), ERROR),
        (trace((MISSING, NO, LEAKED)), ERROR),
        (trace((FETCH, NO, FETCHED, LEAKED), max_output_bytes=1), ERROR),
    ],
    "confined": [
        (trace((SECRET, YES, OUTSIDE)), ERROR),
        (trace((HONEST, YES, INSIDE, OUTSIDE)), ERROR),
        (trace((BAD_WRITE, YES, OVERWROTE)), ERROR),
        (trace((BAD_FETCH, YES, LEAKED)), ERROR),
        (trace((BAD_TOOL, YES, BAD_RAN)), ERROR),
        (trace((ODD, YES, OUTSIDE)), ERROR),
        (trace((SECRET, YES, Effect("read", "/etc/missing", failed=True))), ERROR),
        (trace((FETCH, YES, Effect("fetch", "::ffff:10.0.0.1"))), ERROR),
        (started(17), ERROR),
        (trace((HONEST, YES, Effect("read", "/work/../etc/passwd"))), ERROR),
        (trace((HONEST, YES, Effect("read", "/work\\..\\x")), dialect=["windows"]), ERROR),
        (path(YES, OUTSIDE), ERROR),
        (path(YES, OUTSIDE, reached="/work/x"), ERROR),
        (
            path(YES, Effect("read", "/work/%2e%2e/etc/passwd"), dialect=["decodes-once"]),
            ERROR,
        ),
        # A refusal that tells what the file holds.
        (trace((SECRET, Answer(ok=False, output=b"root:x:0:0\nbin"))), ERROR),
        (trace((SECRET, Answer(ok=False, output="> root:x:0:0\nbin <"))), ERROR),
        (trace((SECRET, said("fs_read_denied", detail="not for you: root:x:0:0\nbin"))), ERROR),
        (trace((HONEST, Answer(ok=False, output="root:x:0:0\nbin"))), ERROR),
        (trace((HONEST, Answer(ok=False, output="9713"))), ERROR),
        (trace((("exec",), Answer(ok=False, output=b"key \xff\xfe"))), ERROR),
        (trace((MISSING, Answer(ok=False, output={"text": "secret 42"}))), ERROR),
    ],
    "alias-denied": [
        (trace((SECRET, YES)), ERROR),
        (trace((OCTAL, YES, Effect("fetch", "10.0.0.1", 2))), ERROR),
        (trace((NUL, YES, INSIDE)), ERROR),
        (trace((NUL, YES, ABSENT)), ERROR),
        (trace((BAD_TOOL, YES, RAN)), ERROR),
        (trace((("exec", "id"), YES)), ERROR),
        (trace((("url", "http://evil.test/"), YES), surface=Surface.HOST), ERROR),
        (path(YES, op=SECRET), ERROR),
        # Joined to the root as text; where links lead is seen by nobody.
        (path(YES, op=SECRET, reached="/work/etc/passwd"), NOTE),
        # A bare yes to what some consumer reads as an escape.
        (path(YES), NOTE),
        (path(YES, dialect=["decodes-once"]), ERROR),
    ],
    "control-allowed": [
        (trace((HONEST, NO)), WARNING),
        (trace((HONEST, said("fs_read_denied"))), WARNING),
        (trace((HONEST, YES)), WARNING),
        (trace((WRITE, NO, WROTE)), WARNING),
        (trace((FETCH, YES)), WARNING),
        (path(NO, op=HONEST), WARNING),
        (trace((("url", "http://api.internal/s"), NO), surface=Surface.HOST), WARNING),
    ],
    "right-reason": [
        (trace((SECRET, said("path_traversal"))), WARNING),
        (trace((SECRET, said("malformed_op"))), WARNING),
        (trace((BAD_WRITE, said("fs_read_denied"))), WARNING),
        (trace((SECRET, said("max_ops"))), WARNING),
        (trace((HONEST, said("max_wall")), max_ops=0), WARNING),
    ],
}


@pytest.mark.parametrize("name", CHECKS)
def test_a_trace_that_holds_is_checked_and_breaks_nothing(name):
    """If it fails, a right target is blamed, or an invariant is counted that nothing tried."""
    for one in HOLDS[name]:
        assert (one, []) == (one, broken(one))
        assert (one, True) == (one, name in held(one))


@pytest.mark.parametrize("name", CHECKS)
def test_a_trace_that_breaks_it_is_told_once_and_weighed(name):
    """If it fails, a fault goes unseen, is told twice, or weighs too much or too little."""
    for one, severity in BREAKS[name]:
        assert (one, [(name, severity)]) == (one, broken(one))
        assert name in held(one)


@pytest.mark.parametrize(
    ("one", "unchecked"),
    [
        (trace((HONEST, YES, INSIDE)), {"halt-after-hard", "within-budget", "alias-denied"}),
        (trace((HONEST, YES, INSIDE)), {"no-effect-on-denial", "right-reason"}),
        (trace((MISSING, NO)), {"no-effect-on-denial", "confined", "alias-denied"}),
        (trace((MISSING, said("fs_read_denied"))), {"control-allowed", "right-reason"}),
        (trace((SECRET, NO)), {"confined", "control-allowed", "right-reason"}),
        (trace((SECRET, said("PermissionError"))), {"right-reason"}),
        (trace((SECRET, YES, INSIDE)), {"right-reason", "no-effect-on-denial"}),
        (trace(SPENT, max_ops=0), {"halt-after-hard", "alias-denied", "control-allowed"}),
    ],
)
def test_what_a_trace_gives_no_occasion_for_is_not_counted(one, unchecked):
    """If it fails, the report counts as held what nothing has tried."""
    assert set() == held(one) & unchecked


def test_the_invariants_are_those_of_the_contract():
    """If it fails, a report names something that nobody can look up, or leaves one out."""
    expected = {
        *("confined", "no-effect-on-denial", "halt-after-hard", "within-budget", "alias-denied"),
        *("control-allowed", "no-existence-leak", "fail-closed", "grant-immutable"),
        *("deterministic", "monotone-authority", "right-reason"),
    }
    assert expected == set(INVARIANTS) == {*CHECKS, *COMPARISONS}
    assert set(CHECKS) == set(HOLDS) == set(BREAKS)


# ---------------------------------------------------------------- what a refusal quotes


class Mute:
    """An output that refuses to be written down."""

    def __init__(self, error):
        self.error = error

    def __repr__(self):
        """Raise."""
        raise self.error


@pytest.mark.parametrize(
    "output",
    [
        *(None, "", b"", "denied", 7, b"root", "777", "xy", "honest data", Mute(ValueError("no"))),
        Mute(SystemExit(1)),
    ],
)
def test_a_refusal_that_quotes_nothing_forbidden_is_confined(output):
    """If it fails, a short or a granted text is called a leak, or an output crashes the judge."""
    assert broken(trace((SECRET, Answer(ok=False, output=output)))) == []


def test_an_accepted_op_may_give_back_anything_it_saw():
    """If it fails, the content of a granted file is called a leak where another file equals it."""
    one = trace((HONEST, Answer(ok=True, output="root:x:0:0\nbin"), INSIDE))
    assert broken(one) == []


# ---------------------------------------------------------------- several steps


def test_a_step_breaks_one_invariant_only():
    """If it fails, one fault is told many times."""
    one = trace((BAD_WRITE, Answer(ok=False, raised="E", output=FILES["/etc/passwd"]), OVERWROTE))
    assert broken(one) == [("fail-closed", ERROR)]
    assert held(one) == {"fail-closed"}


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (trace((BAD_WRITE, Answer(ok=False, output=b"root:x:0:0\nbin"), OVERWROTE)), 4),
        (trace((SECRET, YES, OUTSIDE), max_ops=0), 3),
        (trace((BAD_WRITE, YES, OVERWROTE), kept=False), 1),
    ],
)
def test_the_first_that_fails_is_told(one, expected):
    """If it fails, the same fault is told under another name from run to run."""
    assert [list(CHECKS)[expected]] == [name for name, _ in broken(one)]


def test_nothing_is_judged_after_an_error():
    """If it fails, what follows from one fault is told as faults of its own."""
    one = trace((HONEST, YES, INSIDE), (SECRET, YES, OUTSIDE), (BAD_FETCH, YES, LEAKED))
    assert judge(one).breaches == (Breach("confined", 1, ERROR),)
    assert judge(one).checked["confined"] == 2


def test_judging_goes_on_after_a_warning_or_a_note():
    """If it fails, over-blocking hides an escape."""
    escaped = (SECRET, YES, OUTSIDE)
    one = trace((HONEST, NO), (SECRET, said("malformed_op")), escaped, escaped)
    assert judge(one).breaches == (
        Breach("control-allowed", 0, WARNING),
        Breach("right-reason", 1, WARNING),
        Breach("confined", 2, ERROR),
    )
    noted = trace((ODD, YES), (SECRET, YES), surface=Surface.PATH)
    assert broken(noted) == [("alias-denied", NOTE), ("alias-denied", ERROR)]


def test_a_trace_whose_state_is_lost_is_judged_no_further():
    """If it fails, a target that halts on a denial is blamed for what it refuses afterwards."""
    one = trace((SECRET, said("fs_read_denied", hard=True)), (HONEST, said("halted")), (HONEST, NO))
    assert broken(one) == []
    assert judge(one).checked["fail-closed"] == 1


def test_an_empty_trace_holds_and_checks_nothing():
    """If it fails, a case without ops counts as something that was measured."""
    assert (set(), []) == (held(trace()), broken(trace()))


def again(outer, inner, *, asked=("fs_read", "/etc/passwd"), **grant):
    """Return a trace of a tool that tries an op, and one honest op after it."""
    op = ("tool", "again", *asked)
    one = trace((op, *outer), (HONEST, YES, INSIDE), **grant)
    call, after = (step._replace(began=step.began * 9, ended=step.ended * 9) for step in one.steps)
    answer, *effects = inner
    return replace(one, steps=(call, Step(asked, answer, tuple(effects), 1, 2, None), after))


def test_an_op_that_a_tool_tries_is_judged_as_any_other():
    """If it fails, whatever a tool does inside is forgiven, or blamed on the tool."""
    ran = Effect("tool", "again", 5)
    assert broken(again((YES, ran), (said("fs_read_denied"),))) == []
    escaped = judge(again((YES, ran), (YES, OUTSIDE)))
    assert escaped.breaches == (Breach("confined", 1, ERROR),)


def test_a_tool_whose_op_trips_a_limit_is_refused_too():
    """If it fails, output comes out of a sandbox that is halted."""
    ran = Effect("tool", "again", 5)
    tripped = said("max_ops", hard=True)
    late = replace(again((said("halted", hard=True), ran), (tripped,), max_ops=1))
    assert broken(late) == [("halt-after-hard", ERROR)]  # the honest op after it passed
    early = replace(late, steps=late.steps[:2])
    assert broken(early) == []
    out = again((YES, ran), (tripped,), max_ops=1)
    assert judge(out).breaches == (Breach("halt-after-hard", 0, ERROR),)


def test_a_late_ruling_forgives_the_effect_and_not_the_output():
    """If it fails, a tool that ran and was kept back is blamed, or what it gave back is not."""
    assert broken(trace((TOOL, said("max_output_bytes", hard=True), RAN), max_output_bytes=0)) == []
    assert broken(trace((TOOL, YES, RAN), max_output_bytes=0)) == [("within-budget", ERROR)]


def test_a_stated_verdict_is_the_one_that_is_judged():
    """If it fails, what a vector demands is not asked of a target."""
    deny, allow, contain = Verdict.DENY, Verdict.ALLOW, Verdict.CONTAIN
    assert broken(trace((MISSING, NO), verdicts=(allow,))) == [("control-allowed", WARNING)]
    assert broken(trace((MISSING, YES), verdicts=(deny,))) == [("alias-denied", ERROR)]
    assert broken(trace((HONEST, NO), verdicts=(contain,))) == []
    assert broken(trace((SECRET, YES, OUTSIDE), verdicts=(contain,))) == [("confined", ERROR)]


# ---------------------------------------------------------------- the path surface


@pytest.mark.parametrize(
    "one",
    [
        path(NO),
        path(YES, Effect("read", "/work/%2e%2e/etc/passwd")),  # a place was named: it is inside
        path(YES, reached="/work/etc/passwd"),
        path(YES, op=MISSING),  # no consumer reads that as an escape
        path(YES, op=("fs_read", "/work/./data.txt")),
    ],
)
def test_what_can_be_followed_or_hints_at_nothing_gets_no_note(one):
    """If it fails, the report is full of notes about harmless names."""
    assert broken(one) == []


def test_a_bare_yes_of_a_session_is_no_note():
    """If it fails, a session is noted for a name whose effects anybody can see."""
    assert broken(trace((ODD, YES))) == []


def test_a_place_that_a_link_of_the_grant_leads_to_is_inside():
    """If it fails, a grant of `/tmp` that leads elsewhere makes every read an escape."""
    links = {"links": {"/tmp": "/private/tmp"}}
    for place, expected in (("/private/tmp/x", []), ("/private/x", [("confined", ERROR)])):
        one = trace(
            (("fs_read", "/tmp/x"), YES, Effect("read", place)), world=links, fs_read=["/tmp"]
        )
        assert expected == broken(one)


@pytest.mark.parametrize(
    ("asked", "led_to", "expected"),
    [
        ("/work/a", "/work/a", []),
        ("a", "/work/a", []),
        ("/work/a", "/work/b", [("control-allowed", Severity.WARNING)]),
        ("a", "/work/served/a", [("control-allowed", Severity.WARNING)]),
    ],
)
def test_an_honest_path_must_lead_to_its_own_file(asked, led_to, expected):
    """If it fails, a function that serves another folder counts as one that works."""
    grant, world = Capabilities(fs_read=("/work/",)), WorldSpec({"/work/a": b"x", "/work/b": b"y"})
    case = Case(grant, world, (("fs_read", asked),), (), "test", (Verdict.ALLOW,))
    step = Step(case.ops[0], YES, (Effect("read", led_to),), 0, 1, 0)
    assert expected == broken(Trace(case, Surface.PATH, (step,)))

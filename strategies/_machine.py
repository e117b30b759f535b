"""A state machine that attacks any session, one op after another."""

from typing import ClassVar, Protocol

from capfuzz.attacks.case import Case, Verdict, WorldSpec
from capfuzz.attacks.invariants import Severity, judge
from capfuzz.attacks.oracle import Ruling, rulings
from capfuzz.attacks.trace import Step, Trace
from capfuzz.engine import Capabilities
from capfuzz.strategies import _arguments, _paths
from capfuzz.strategies._grants import grants as any_grant
from capfuzz.strategies._ops import HOSTILE, Op, honest_ops
from capfuzz.strategies._spellings import NUMBERS
from capfuzz.strategies._worlds import ticks, world_of
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule


class Runs(Protocol):
    """Whatever can try a case and tell what happened, such as a session target."""

    def run(self, case: Case, /) -> Trace:
        """Try the ops of a case in a fresh world."""


def session_machine(
    target: Runs,
    *,
    max_ops: int = 20,
    grants: st.SearchStrategy[Capabilities] | None = None,
) -> type[RuleBasedStateMachine]:
    """
    Return a state machine that attacks ``target`` with up to ``max_ops`` ops a run.

    It draws a grant (of ``grants``, or of any) and a world, adds honest and hostile ops, and
    judges all that happened after each. A breach of severity error raises ``AssertionError`` with
    the grant, the ops, what was observed and what was expected. Shrinks towards few ops under a
    grant of little. Use::

        TestBox = session_machine(SessionTarget("mine", make)).TestCase

    Raises ``InvalidArgument`` for a target without ``run``, ``max_ops`` below 1 and grants that
    are no strategy.
    """
    _arguments.check_target("target", target)
    _arguments.check_size("max_ops", max_ops, least=1)
    if grants is not None:
        _arguments.check_strategy("grants", grants)
    given = any_grant() if grants is None else grants

    class SessionMachine(_SessionMachine):
        pass

    SessionMachine.target, SessionMachine.grants = target, given
    usual = SessionMachine.TestCase.settings
    SessionMachine.TestCase.settings = settings(
        usual,
        stateful_step_count=max_ops,
        # Explaining takes fifty times as long as shrinking, and the message says what it would.
        phases=[phase for phase in usual.phases if phase is not Phase.explain],
    )
    return SessionMachine


class _SessionMachine(RuleBasedStateMachine):
    """One run: a grant, a world, and the ops so far, tried again from the start after each."""

    target: ClassVar[Runs]
    grants: ClassVar[st.SearchStrategy[Capabilities]]

    def __init__(self) -> None:
        super().__init__()
        self.grant = Capabilities()
        self.world = WorldSpec()
        self.ops: list[Op] = []

    @initialize(data=st.data())
    def open(self, data: st.DataObject) -> None:
        """Draw the grant, the links and the clock."""
        self.grant = data.draw(self.grants, label="grant")
        links = data.draw(_paths.chosen_links(self.grant, min_size=0), label="links")
        self.world = world_of(self.grant, links, data.draw(ticks(), label="ticks"))

    def honest(self, kind: str) -> st.SearchStrategy[Op]:
        """Return the ops of one kind that the grant allows."""
        every = honest_ops(self.grant)
        return st.sampled_from([op for op in every if isinstance(op, tuple) and op[0] == kind])

    def hostile(self, door: str) -> st.SearchStrategy[Op]:
        """Return ops that come to one door and are not granted there."""
        made = HOSTILE[door]
        return st.integers(0, NUMBERS - 1).map(lambda number: made(self.grant, number))

    @precondition(lambda self: self.grant.fs_read)
    @rule(data=st.data())
    def honest_read(self, data: st.DataObject) -> None:
        """Read what may be read."""
        self.attempt(data.draw(self.honest("fs_read"), label="op"))

    @precondition(lambda self: self.grant.fs_write)
    @rule(data=st.data())
    def honest_write(self, data: st.DataObject) -> None:
        """Write where writing is granted."""
        self.attempt(data.draw(self.honest("fs_write"), label="op"))

    @precondition(lambda self: self.grant.net_hosts)
    @rule(data=st.data())
    def honest_fetch(self, data: st.DataObject) -> None:
        """Fetch from a granted host."""
        self.attempt(data.draw(self.honest("net_fetch"), label="op"))

    @precondition(lambda self: self.grant.allowed_tools)
    @rule(data=st.data())
    def honest_call(self, data: st.DataObject) -> None:
        """Call a granted tool."""
        self.attempt(data.draw(self.honest("tool"), label="op"))

    @rule(data=st.data(), door=st.sampled_from(["read", "write"]))
    def hostile_file(self, data: st.DataObject, door: str) -> None:
        """Read or write by a technique's spelling."""
        self.attempt(data.draw(self.hostile(door), label="op"))

    @rule(data=st.data(), door=st.sampled_from(["fetch", "call"]))
    def hostile_name(self, data: st.DataObject, door: str) -> None:
        """Turn to a host or a tool that resembles a granted one."""
        self.attempt(data.draw(self.hostile(door), label="op"))

    @precondition(lambda self: bool(_paths.linked_paths(self.grant, self.world.links)))
    @rule(data=st.data(), writes=st.booleans())
    def through_link(self, data: st.DataObject, writes: bool) -> None:  # noqa: FBT001 - drawn
        """Read or write through a link, to wherever it leads."""
        paths = _paths.linked_paths(self.grant, self.world.links)
        path = data.draw(st.sampled_from(paths), label="path")
        self.attempt(("fs_write", path, "text") if writes else ("fs_read", path))

    @rule(data=st.data())
    def odd(self, data: st.DataObject) -> None:
        """Try what is no op, or one of an odd type, or one from inside a tool."""
        self.attempt(data.draw(self.hostile("odd"), label="op"))

    def attempt(self, op: Op) -> None:
        """Add an op, run the case so far and judge it; raises AssertionError for a breach."""
        self.ops.append(op)
        tried = tuple(self.ops)
        trace = self.target.run(
            Case(self.grant, self.world, tried, ("generated",) * len(tried), "generated")
        )
        for breach in judge(trace).breaches:
            if breach.severity is Severity.ERROR:
                raise AssertionError(told(trace, breach.invariant, breach.step))


def told(trace: Trace, invariant: str, at: int) -> str:
    """Return a message with all that is needed to see a breach: at which step, of what."""
    step, ruling = trace.steps[at], rulings(trace)[at]
    assert ruling is not None  # or nothing could have been broken
    lines = [
        f"{invariant} is broken by {step.op!r}",
        f"  observed: {_observed(step)}",
        f"  expected: {_expected(ruling)}",
        f"  grant:    {trace.case.grant!r}",
        f"  links:    {dict(trace.case.world.links)!r}",
        f"  ticks:    {trace.case.world.ticks or '0, 1, 2, ...'}",
        "  ops:",
        *(f"    {op!r}" for op in trace.case.ops),
    ]
    return "\n".join(lines)


def _observed(step: Step) -> str:
    answer = step.answer
    said = "accepted" if answer.ok else f"refused ({answer.violation})"
    said = f"raised {answer.raised}" if answer.raised else "hung" if answer.hung else said
    return "; ".join([said, *map(repr, step.effects)])


def _expected(ruling: Ruling) -> str:
    allowed = {Verdict.ALLOW: "allowed", Verdict.CONTAIN: "refused, or kept inside the grant"}
    reasons = " or ".join(sorted(ruling.reasons))
    refused = f"{'halted' if ruling.hard else 'refused'}, without effect ({reasons})"
    return allowed.get(ruling.verdict, refused)

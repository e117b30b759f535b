"""Faults of the meter: what is counted, when, and what running out means."""

from collections.abc import Callable
from typing import Any, NoReturn

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Meter, Pieces, Session, World
from capfuzz.targets.right.refusals import HARD, DenialError, FailureError


class _OneMore(Meter):
    def is_spent(self) -> bool:
        return self.ops > self.caps.max_ops


@fault(Surface.SESSION, "within-budget", modelled_on="CWE-193", ops=2, style="meter")
def max_ops_off_by_one(caps: Capabilities, world: World) -> Session:
    """Write ``>`` where ``>=`` was meant: one op more than granted. CWE-193."""
    return Session(caps, world, Pieces(meter=_OneMore))


class _ZeroIsUnlimited(Meter):
    def is_spent(self) -> bool:
        return bool(self.caps.max_ops) and super().is_spent()

    def is_late(self) -> bool:
        return bool(self.caps.max_wall) and super().is_late()

    def overflows(self, size: int) -> bool:
        return bool(self.caps.max_output_bytes) and super().overflows(size)


@fault(
    Surface.SESSION,
    "within-budget",
    "monotone-authority",
    modelled_on="a zero cap never tripped",
    style="meter",
)
def zero_budget_means_unlimited(caps: Capabilities, world: World) -> Session:
    """Ask for the truth of a budget first, so that 0 sets no limit. CWE-1188."""
    return Session(caps, world, Pieces(meter=_ZeroIsUnlimited))


class _NoHalt(Meter):
    def trip(self, reason: str) -> NoReturn:
        raise DenialError(reason)


@fault(
    Surface.SESSION,
    "halt-after-hard",
    modelled_on="CWE-754, retry of a tripped op",
    ops=2,
    style="meter",
)
def no_halt_after_hard(caps: Capabilities, world: World) -> Session:
    """Refuse the one op that hit a hard limit and let a smaller one through. CWE-754."""
    return Session(caps, world, Pieces(meter=_NoHalt))


class _HalfOpen(Meter):
    refusals = 0

    def admit(self) -> None:
        self.refusals += self.halted
        if self.refusals >= 3:  # noqa: PLR2004 - the breaker's own patience
            self.refusals, self.halted = 0, False
        super().admit()


@fault(
    Surface.SESSION,
    "halt-after-hard",
    modelled_on="CWE-754, half-open circuit breaker",
    ops=5,
    style="meter",
)
def halt_forgets(caps: Capabilities, world: World) -> Session:
    """Try again after a few refusals, as a half-open circuit breaker does. CWE-754."""
    return Session(caps, world, Pieces(meter=_HalfOpen))


class _Refunding(Session):
    """Gives an op back that came to nothing."""

    def refunds(self, reason: str) -> bool:
        return reason not in HARD | {"malformed_op"}

    def deny(self, denial: DenialError) -> Any:
        self.meter.ops -= self.refunds(denial.reason)
        return super().deny(denial)


@fault(Surface.SESSION, "within-budget", modelled_on="CWE-307", ops=3, style="meter")
def denied_ops_not_charged(caps: Capabilities, world: World) -> Session:
    """Charge only ops that were allowed, so that guessing is free. CWE-307."""
    return _Refunding(caps, world)


class _RefundingMalformed(_Refunding):
    def refunds(self, reason: str) -> bool:
        return reason == "malformed_op"


@fault(Surface.SESSION, "within-budget", modelled_on="CWE-770", ops=3, style="meter")
def malformed_not_charged(caps: Capabilities, world: World) -> Session:
    """Charge only ops that could be read, so that garbage is free. CWE-770."""
    return _RefundingMalformed(caps, world)


class _RefundingErrors(Session):
    def perform(self, kind: str, effect: Callable[..., Any], *args: object) -> Any:
        try:
            return super().perform(kind, effect, *args)
        except FailureError:
            self.meter.ops -= 1
            raise


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="a cost not charged on failing paths",
    ops=3,
    style="meter",
)
def failed_ops_not_charged(caps: Capabilities, world: World) -> Session:
    """Charge only what succeeded: a tool that raises has run all the same. CWE-770."""
    return _RefundingErrors(caps, world)


class _FreshAfterGarbage(Session):
    def deny(self, denial: DenialError) -> Any:
        if denial.reason == "malformed_op":
            self.meter = Meter(self.caps, self.world.clock)
        return super().deny(denial)


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="a retry with a fresh allowance",
    ops=4,
    style="meter",
)
def reset_budget_by_op(caps: Capabilities, world: World) -> Session:
    """Begin a new session, with new budgets, after an op that could not be read. CWE-840."""
    return _FreshAfterGarbage(caps, world)


class _ChargeLater(Meter):
    def admit(self) -> None:
        super().admit()
        self.ops -= 1


class _ChargedAfter(Session):
    def run(self, op: object) -> Any:
        answer = super().run(op)
        self.meter.ops += 1
        return answer


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-696, charge after the effect",
    ops=2,
    style="meter",
)
def charged_after_effect(caps: Capabilities, world: World) -> Session:
    """Charge an op when it is done, so that a tool which calls ``run`` is never out. CWE-696."""
    return _ChargedAfter(caps, world, Pieces(meter=_ChargeLater))


class _Racing(Meter):
    def admit(self) -> None:
        if self.halted:
            raise DenialError("halted")
        if self.is_spent():
            self.trip("max_ops")
        self.tick()  # and meanwhile others compare the same count
        self.ops += 1
        if self.is_late():
            self.trip("max_wall")


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-362, check and charge apart",
    ops=2,
    style="meter",
)
def budget_race(caps: Capabilities, world: World) -> Session:
    """Look at the counter and charge it in two steps, between which threads pass. CWE-362."""
    return Session(caps, world, Pieces(meter=_Racing))


class _Batching(Session):
    def shape(self, op: object) -> tuple[str, tuple[Any, ...]]:
        if type(op) is tuple and op and type(op[0]) is str and op[0] == "batch":
            return "batch", tuple(map(super().shape, op[1:]))
        return super().shape(op)

    def batch(self, *calls: tuple[str, tuple[Any, ...]]) -> None:
        for kind, args in calls:
            self.doors[kind](*args)


@fault(
    Surface.SESSION,
    "within-budget",
    "alias-denied",
    modelled_on="CWE-799, batched requests",
    style="meter",
)
def batch_charged_once(caps: Capabilities, world: World) -> Session:
    """Take ``("batch", op, op, ...)`` for one op, whatever it holds. CWE-799."""
    session = _Batching(caps, world)
    session.doors["batch"] = session.batch
    return session

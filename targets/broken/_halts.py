"""Faults of the halt: whom it stops, from when on, and until when."""

from typing import Any, NoReturn

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken._parts import kind_of
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Meter, Pieces, Session, World
from capfuzz.targets.right.guards import SegmentGuard, TrieGuard
from capfuzz.targets.right.refusals import HARD, DenialError

_PAUSE = 10  # ticks


class _HaltByKind(Session):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world, Pieces(paths=TrieGuard))
        self.stopped: set[str] = set()

    def run(self, op: object) -> Any:
        self.meter.halted = kind_of(op) in self.stopped
        answer = super().run(op)
        if self.meter.halted:
            self.stopped.add(kind_of(op))
        return answer


@fault(
    Surface.SESSION,
    "halt-after-hard",
    modelled_on="CWE-841, one circuit breaker a kind",
    ops=2,
    style="meter",
)
def halt_by_kind(caps: Capabilities, world: World) -> Session:
    """Stop the kind of op that hit the limit, and leave the others. CWE-841."""
    return _HaltByKind(caps, world)


class _HaltOfFiles(Session):
    stopped = False

    def run(self, op: object) -> Any:
        self.meter.halted = self.stopped and kind_of(op) in {"fs_read", "fs_write"}
        answer = super().run(op)
        self.stopped = self.stopped or self.meter.halted
        return answer


@fault(
    Surface.SESSION,
    "halt-after-hard",
    modelled_on="CWE-841, a door that does not ask",
    ops=2,
    style="meter",
)
def halt_of_files_only(caps: Capabilities, world: World) -> Session:
    """Ask whether the session has halted before files, and not before hosts and tools. CWE-841."""
    return _HaltOfFiles(caps, world)


class _LastOutcome(Session):
    def admit(self, op: object) -> None:
        if self.meter.halted:
            self.shape(op)  # what cannot be read is malformed in any state
        super().admit(op)

    def deny(self, denial: DenialError) -> Any:
        self.meter.halted = denial.reason in HARD
        return super().deny(denial)


@fault(
    Surface.SESSION,
    "halt-after-hard",
    modelled_on="CWE-841, the state is the last result",
    ops=3,
    style="meter",
)
def halt_lifted_by_malformed(caps: Capabilities, world: World) -> Session:
    """Take the last refusal for the state, so that a malformed op ends a halt. CWE-841."""
    return _LastOutcome(caps, world, Pieces(paths=SegmentGuard))


class _Dated(Meter):
    """Notes when it halted."""

    since = 0

    def trip(self, reason: str) -> NoReturn:
        self.since = self.last or 0
        super().trip(reason)


class _Cooling(_Dated):
    def admit(self) -> None:
        if (self.read_clock() or 0) - self.since >= _PAUSE:
            self.halted = False
        super().admit()


@fault(
    Surface.SESSION,
    "halt-after-hard",
    modelled_on="CWE-799, a rate limit's Retry-After",
    ops=2,
    style="meter",
)
def halt_cools_down(caps: Capabilities, world: World) -> Session:
    """Halt for ten ticks, as a rate limit does, and then begin again. CWE-799."""
    return Session(caps, world, Pieces(meter=_Cooling))


class _HaltedFrom(_Dated):
    def admit(self) -> None:
        if (self.read_clock() or 0) < self.since:
            self.halted = False
        super().admit()


@fault(
    Surface.SESSION,
    "halt-after-hard",
    modelled_on="CWE-682, a halt from a moment on",
    ops=2,
    style="meter",
)
def halt_lifted_by_clock(caps: Capabilities, world: World) -> Session:
    """Keep the moment of the halt, before which nothing is halted: a step back lifts it."""
    return Session(caps, world, Pieces(meter=_HaltedFrom))


class _LastWish(Meter):
    tripped = False
    wishes = 1

    def trip(self, reason: str) -> NoReturn:
        self.tripped = True
        raise DenialError(reason)

    def admit(self) -> None:
        if self.tripped:
            self.halted, self.wishes = not self.wishes, 0
        super().admit()


@fault(
    Surface.SESSION,
    "halt-after-hard",
    modelled_on="CWE-841, one more op to save one's work",
    ops=2,
    style="meter",
)
def halt_grants_last_op(caps: Capabilities, world: World) -> Session:
    """Let one more op through after a halt, so that an agent can tidy up. CWE-841."""
    return Session(caps, world, Pieces(meter=_LastWish))


class _AsksLate(Meter):
    def admit(self) -> None:
        halted, self.halted = self.halted, False
        try:
            super().admit()
        finally:
            self.halted = self.halted or halted


@fault(
    Surface.SESSION,
    "halt-after-hard",
    modelled_on="CWE-696, the halt asked for after the effect",
    ops=2,
    style="meter",
)
def halt_asked_after_effect(caps: Capabilities, world: World) -> Session:
    """Ask whether the session has halted where output is charged, after the effect. CWE-696."""
    return Session(caps, world, Pieces(meter=_AsksLate))

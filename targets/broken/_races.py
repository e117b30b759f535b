"""Faults between threads: one after the other, every op is judged and charged rightly."""

from threading import RLock

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken._parts import kind_of
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Meter, Pieces, Session, World
from capfuzz.targets.right.guards import SegmentGuard
from capfuzz.targets.right.refusals import DenialError


class _Unlocked(Meter):
    def admit(self) -> None:
        if self.halted:
            raise DenialError("halted")
        if self.is_spent():
            self.trip("max_ops")
        charged = self.ops + 1
        self.tick()
        self.ops = charged
        if self.is_late():
            self.trip("max_wall")


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-362, a lost update of the count",
    ops=2,
    style="meter",
)
def ops_race(caps: Capabilities, world: World) -> Session:
    """Compare the count, read the clock, and only then write the new count, unlocked. CWE-362."""
    return Session(caps, world, Pieces(meter=_Unlocked))


class _OutputUnlocked(Meter):
    def settle(self, size: int) -> None:
        if self.halted:
            raise DenialError("halted")
        if self.overflows(size):
            self.trip("max_output_bytes")
        self.read_clock()  # the time at which the entry is made
        self.output += size


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-367, output compared and charged apart",
    ops=2,
    style="meter",
)
def output_race(caps: Capabilities, world: World) -> Session:
    """Compare output with what is left, note the time, and only then charge it. CWE-367."""
    return Session(caps, world, Pieces(meter=_OutputUnlocked))


class _LockByKind(Session):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world, Pieces(paths=SegmentGuard, meter=_Unlocked))
        self.locks = {kind: RLock() for kind in (*self.doors, "")}

    def admit(self, op: object) -> None:
        with self.locks.get(kind_of(op), self.locks[""]):
            super().admit(op)


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-820, a lock for each handler",
    ops=2,
    style="meter",
)
def lock_by_kind(caps: Capabilities, world: World) -> Session:
    """Lock the one count with a lock for each kind of op, which exclude nobody else. CWE-820."""
    return _LockByKind(caps, world)

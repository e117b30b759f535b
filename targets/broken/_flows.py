"""Faults of the meter that concern time and what flows back."""

from collections.abc import Callable
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Meter, Pieces, Session, World
from capfuzz.targets.right.refusals import DenialError, FailureError


class _Characters(Meter):
    def size(self, output: object) -> int:
        if isinstance(output, bytes):
            output = output.decode("utf-8", "replace")
        return 0 if output is None else len(str(output))


@fault(Surface.SESSION, "within-budget", modelled_on="CWE-131, characters for bytes", style="meter")
def output_in_characters(caps: Capabilities, world: World) -> Session:
    """Measure output as text: one euro sign counts 1, and is 3 bytes. CWE-131."""
    return Session(caps, world, Pieces(meter=_Characters))


class _TripLater(Meter):
    def settle(self, size: int) -> None:
        with self.lock:
            if self.halted:
                raise DenialError("halted")
            self.output += size
            self.halted = self.output > self.caps.max_output_bytes


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-696, output cut after delivery",
    style="meter",
)
def output_checked_after_return(caps: Capabilities, world: World) -> Session:
    """Hand the output over and notice afterwards that it was too much. CWE-696."""
    return Session(caps, world, Pieces(meter=_TripLater))


class _PerOp(Meter):
    def overflows(self, size: int) -> bool:
        return size > self.caps.max_output_bytes


@fault(
    Surface.SESSION, "within-budget", modelled_on="CWE-770, a cap per call", ops=2, style="meter"
)
def output_per_op(caps: Capabilities, world: World) -> Session:
    """Compare each output with the budget, and never their sum. CWE-770."""
    return Session(caps, world, Pieces(meter=_PerOp))


class _Exclusive(Meter):
    def overflows(self, size: int) -> bool:
        return self.output + size >= self.caps.max_output_bytes


@fault(Surface.SESSION, "control-allowed", modelled_on="CWE-193", style="meter")
def output_cap_exclusive(caps: Capabilities, world: World) -> Session:
    """Refuse the output that uses the budget up exactly. CWE-193; honest work is refused."""
    return Session(caps, world, Pieces(meter=_Exclusive))


class _FreeTools(Session):
    def tool(self, name: str, *args: object) -> Any:
        granted = self.tools.admit(name)
        try:
            return self.call(granted, *args)
        except Exception:  # noqa: BLE001 - a tool may raise anything
            raise FailureError("tool failed") from None


@fault(
    Surface.SESSION, "within-budget", modelled_on="CWE-770, one door without a meter", style="meter"
)
def tool_output_unmetered(caps: Capabilities, world: World) -> Session:
    """Meter what files and hosts give back, and forget the tools. CWE-770."""
    return _FreeTools(caps, world)


class _SinceStart(Meter):
    def __init__(self, caps: Capabilities, clock: Callable[[], int]) -> None:
        super().__init__(caps, clock)
        self.start = self.last or 0

    def tick(self) -> None:
        self.last = self.read_clock()
        self.elapsed = (self.last or 0) - self.start


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-682, a clock that is set back",
    ops=3,
    style="meter",
)
def clock_gives_time_back(caps: Capabilities, world: World) -> Session:
    """Take ``now - start`` for elapsed, so that a clock set back gives time back. CWE-682."""
    return Session(caps, world, Pieces(meter=_SinceStart))


class _Timeless(Meter):
    def read_clock(self) -> int:
        return 0


@fault(Surface.SESSION, "within-budget", modelled_on="a limit that was only logged", style="meter")
def clock_never_read(caps: Capabilities, world: World) -> Session:
    """Accept ``max_wall`` and never look at the clock. CWE-770."""
    return Session(caps, world, Pieces(meter=_Timeless))


class _LateStart(Meter):
    def tick(self) -> None:
        if self.ops == 1:
            self.last = self.read_clock()
        else:
            super().tick()


@fault(Surface.SESSION, "within-budget", modelled_on="CWE-665", style="meter")
def clock_started_late(caps: Capabilities, world: World) -> Session:
    """Start the clock with the first op, so that what went before is free. CWE-665."""
    return Session(caps, world, Pieces(meter=_LateStart))


class _StaleTime(Meter):
    late = False

    def tick(self) -> None:
        self.late = super().is_late()
        super().tick()

    def is_late(self) -> bool:
        return self.late


@fault(
    Surface.SESSION, "within-budget", modelled_on="CWE-696, judged before it is read", style="meter"
)
def clock_judged_before_reading(caps: Capabilities, world: World) -> Session:
    """Judge the time as it stood an op ago: each deadline lets one more op through. CWE-696."""
    return Session(caps, world, Pieces(meter=_StaleTime))

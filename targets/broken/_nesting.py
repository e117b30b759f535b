"""Faults of ops that a tool tries: unchecked, uncharged, or undone when the tool returns."""

from collections.abc import Callable
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken._parts import Excusing, Nesting
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.guards import PathlibGuard, RealPathGuard, RegexGuard


class _TrustsTools(Nesting, Excusing):
    def excuses(self, _kind: str, _name: str) -> bool:
        return self.depth > 0


@fault(
    Surface.SESSION,
    "confined",
    "no-effect-on-denial",
    modelled_on="CWE-441, a confused deputy",
    ops=2,
    style="realpath",
)
def nested_ops_unchecked(caps: Capabilities, world: World) -> Session:
    """Trust an op that a tool tries, as the tool itself was granted. CWE-441."""
    return _TrustsTools(caps, world, Pieces(paths=RealPathGuard))


class _FreeInside(Nesting):
    def admit(self, op: object) -> None:
        super().admit(op)
        self.meter.ops -= self.depth > 0


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-770, only the outer call is charged",
    ops=2,
    style="meter",
)
def nested_ops_uncharged(caps: Capabilities, world: World) -> Session:
    """Charge the call of a tool, and not the ops that it tries. CWE-770."""
    return _FreeInside(caps, world)


class _SilentInside(Nesting):
    def perform(self, kind: str, effect: Callable[..., Any], *args: object) -> Any:
        output = super().perform(kind, effect, *args)
        if self.depth:
            self.meter.output -= self.meter.size(output)
        return output


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-770, what a tool reads is nobody's output",
    ops=2,
    style="meter",
)
def nested_output_uncharged(caps: Capabilities, world: World) -> Session:
    """Charge what a tool returns, and not what it read in order to return it. CWE-770."""
    return _SilentInside(caps, world, Pieces(paths=PathlibGuard))


class _Paused(Nesting):
    def admit(self, op: object) -> None:
        if self.depth:
            self.meter.last = self.meter.read_clock()
        super().admit(op)


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-770, a clock paused while a tool runs",
    ops=2,
    style="meter",
)
def time_stops_in_tools(caps: Capabilities, world: World) -> Session:
    """Start the clock anew for an op that a tool tries, so that a tool's time is free. CWE-770."""
    return _Paused(caps, world)


class _Restoring(Session):
    def call(self, name: str, *args: object) -> Any:
        ops, output = self.meter.ops, self.meter.output
        try:
            return super().call(name, *args)
        finally:
            self.meter.ops, self.meter.output = ops, output


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-372, counters saved around a call",
    ops=2,
    style="meter",
)
def counters_restored_after_tool(caps: Capabilities, world: World) -> Session:
    """Save the counters before a tool runs and put them back afterwards. CWE-372."""
    return _Restoring(caps, world, Pieces(paths=RegexGuard))


class _HaltRestored(Session):
    def call(self, name: str, *args: object) -> Any:
        halted = self.meter.halted
        try:
            return super().call(name, *args)
        finally:
            self.meter.halted = halted


@fault(
    Surface.SESSION,
    "halt-after-hard",
    modelled_on="CWE-372, a halt inside a call stays inside",
    ops=2,
    style="meter",
)
def halt_forgotten_by_tool(caps: Capabilities, world: World) -> Session:
    """Keep a halt to the tool in which it happened; the agent that called it goes on. CWE-372."""
    return _HaltRestored(caps, world)

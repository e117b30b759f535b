"""Faults of the counters over several ops: split, reset, refunded or narrowed."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken._parts import kind_of, words
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Meter, Pieces, Session, World
from capfuzz.targets.right.guards import RealPathGuard, RegexGuard, SegmentGuard, TrieGuard
from capfuzz.targets.right.refusals import FailureError

_DAY = 86_400  # ticks


class _Split(Session):
    """Keeps one count of ops for each account."""

    def __init__(self, caps: Capabilities, world: World, pieces: Pieces) -> None:
        super().__init__(caps, world, pieces)
        self.counts: Counter[str] = Counter()

    def account(self, op: object) -> str:
        return kind_of(op)

    def admit(self, op: object) -> None:
        account = self.account(op)
        self.meter.ops = self.counts[account]
        try:
            super().admit(op)
        finally:
            self.counts[account] = self.meter.ops


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-770, a limit for each endpoint",
    ops=2,
    style="meter",
)
def ops_counted_by_kind(caps: Capabilities, world: World) -> Session:
    """Give every kind of op the whole of max_ops. CWE-770."""
    return _Split(caps, world, Pieces(paths=RealPathGuard))


class _SplitByName(_Split):
    def account(self, op: object) -> str:
        return " ".join(words(op)[:2])


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-799, a limit for each resource",
    ops=2,
    style="meter",
)
def ops_counted_by_name(caps: Capabilities, world: World) -> Session:
    """Give every file, host and tool the whole of max_ops, as a limit by address does. CWE-799."""
    return _SplitByName(caps, world, Pieces(paths=SegmentGuard))


class _FreshAfterFailure(Session):
    def perform(self, kind: str, effect: Callable[..., Any], *args: object) -> Any:
        try:
            return super().perform(kind, effect, *args)
        except FailureError:
            self.meter.ops = 0
            raise


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-307, a count that a restart resets",
    ops=2,
    style="meter",
)
def count_reset_by_failure(caps: Capabilities, world: World) -> Session:
    """Begin to count anew after an op that failed, as a supervisor that restarts. CWE-307."""
    return _FreshAfterFailure(caps, world, Pieces(paths=RegexGuard))


class _Byte(Meter):
    def is_spent(self) -> bool:
        return self.ops % 256 >= self.caps.max_ops


@fault(Surface.SESSION, "within-budget", modelled_on="CWE-190", ops=257, style="meter")
def count_in_a_byte(caps: Capabilities, world: World) -> Session:
    """Keep the count in eight bits, which a budget of 256 never fills. CWE-190."""
    return Session(caps, world, Pieces(meter=_Byte))


class _RefundsSilence(Meter):
    def settle(self, size: int) -> None:
        super().settle(size)
        self.ops -= size == 0


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-770, no charge where nothing came back",
    ops=2,
    style="meter",
)
def silent_ops_refunded(caps: Capabilities, world: World) -> Session:
    """Give the charge back where there was no output, though a write has none. CWE-770."""
    return Session(caps, world, Pieces(meter=_RefundsSilence))


class _Flushing(Session):
    def fs_write(self, path: str, data: str | bytes) -> Any:
        super().fs_write(path, data)
        self.meter.output = 0


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-770, a counter reset by a flush",
    ops=3,
    style="meter",
)
def output_reset_by_write(caps: Capabilities, world: World) -> Session:
    """Take a write for the flush of what was read, and count output anew. CWE-770."""
    return _Flushing(caps, world, Pieces(paths=TrieGuard))


class _Deduplicated(Meter):
    def __init__(self, caps: Capabilities, clock: Callable[[], int]) -> None:
        super().__init__(caps, clock)
        self.seen: set[str] = set()

    def size(self, output: object) -> int:
        size, text = super().size(output), str(output)
        if text in self.seen:
            return 0
        self.seen.add(text)
        return size


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-770, equal contents are charged once",
    ops=2,
    style="meter",
)
def repeated_output_uncharged(caps: Capabilities, world: World) -> Session:
    """Charge equal outputs once, as a store that is addressed by content does. CWE-770."""
    return Session(caps, world, Pieces(meter=_Deduplicated))


class _IdleTime(Meter):
    def tick(self) -> None:
        self.elapsed = 0
        super().tick()


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-613, an idle timeout for a deadline",
    ops=2,
    style="meter",
)
def deadline_is_idle_timeout(caps: Capabilities, world: World) -> Session:
    """Compare the time since the last op with max_wall, which a busy agent never meets. CWE-613."""
    return Session(caps, world, Pieces(meter=_IdleTime))


class _Refilling(Meter):
    def tick(self) -> None:
        before = self.elapsed
        super().tick()
        self.ops -= min(self.ops, self.elapsed - before)


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-770, a token bucket for a total",
    ops=2,
    style="meter",
)
def budget_is_a_rate(caps: Capabilities, world: World) -> Session:
    """Refill the ops by one a tick, as a token bucket does: a rate and not a total. CWE-770."""
    return Session(caps, world, Pieces(meter=_Refilling))


class _TimeOfDay(Meter):
    def is_late(self) -> bool:
        return self.last is None or self.elapsed % _DAY > self.caps.max_wall


@fault(
    Surface.SESSION,
    "within-budget",
    modelled_on="CWE-682, timedelta.seconds for total_seconds()",
    style="meter",
)
def whole_days_dropped(caps: Capabilities, world: World) -> Session:
    """Read the seconds of a difference without its days: a jump of a day is none. CWE-682."""
    return Session(caps, world, Pieces(meter=_TimeOfDay))

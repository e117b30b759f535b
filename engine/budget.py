"""The meter: operations, time and output, shared by every thread and every re-entrant tool."""

from threading import RLock

from capfuzz.engine.capabilities import Capabilities
from capfuzz.engine.clock import Clock
from capfuzz.engine.results import HALTED, OUT_OF_OPS, OUT_OF_OUTPUT, OUT_OF_TIME, Result


class Meter:
    """
    Charges each op before its check and its output after its effect; halts for good.

    The lock covers the counters and one clock reading, never an effect: a tool may wait for
    another thread that calls ``run``. It is re-entrant because a clock may call ``run`` too.
    """

    __slots__ = (
        "_clock",
        "_last",
        "_lock",
        "_max_ops",
        "_max_output_bytes",
        "_max_wall",
        "bytes_written",
        "elapsed",
        "halted",
        "ops",
        "output_bytes",
    )

    def __init__(self, caps: Capabilities, clock: Clock) -> None:
        self._max_ops = caps.max_ops
        self._max_output_bytes = caps.max_output_bytes
        self._max_wall = caps.max_wall
        self._clock = clock
        self._lock = RLock()
        self.ops = 0
        self.output_bytes = 0
        self.bytes_written = 0
        self.elapsed = 0
        self.halted = False
        self._last = self._read_clock()

    def admit(self) -> Result | None:
        """Charge one op and read the clock once; return the refusal, or None to go on."""
        with self._lock:
            if self.halted:
                return HALTED
            if self.ops >= self._max_ops:
                return self._trip(OUT_OF_OPS)
            self.ops += 1
            if self._is_late():
                return self._trip(OUT_OF_TIME)
            return None

    def settle(self, output_bytes: int = 0, written: int = 0) -> Result | None:
        """Charge what an effect gave back; return the refusal, or None to hand it over."""
        with self._lock:
            self.bytes_written += written
            if self.halted:  # another op tripped while this one was in flight
                return HALTED
            if self.output_bytes + output_bytes > self._max_output_bytes:
                return self._trip(OUT_OF_OUTPUT)
            self.output_bytes += output_bytes
            return None

    def _is_late(self) -> bool:
        """Add the step forward since the last reading; a step back gives nothing back."""
        now, last = self._read_clock(), self._last  # in this order: a clock may call ``run``
        if last is None or now is None:
            return True
        self._last = now
        if now > last:
            self.elapsed += now - last
        return self.elapsed > self._max_wall

    def _read_clock(self) -> int | None:
        """Return the ticks, or None from a clock that cannot be trusted."""
        try:
            now = self._clock()
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - whatever a clock raises, time cannot be told
            return None
        return now if type(now) is int else None

    def _trip(self, refusal: Result) -> Result:
        self.halted = True
        return refusal

"""The meter: operations, time and output, shared by every thread and every re-entrant tool."""

from collections.abc import Callable
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
        "_acquire",
        "_clock",
        "_last",
        "_max_ops",
        "_max_output_bytes",
        "_max_wall",
        "_release",
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
        # Anyone's, so it may read anything: taken for an int, True would be one when compiled.
        self._clock: Callable[[], object] = clock
        # Called by themselves they cost half of what a ``with`` does.
        lock = RLock()
        self._acquire, self._release = lock.acquire, lock.release
        self.ops = 0
        self.output_bytes = 0
        self.bytes_written = 0
        self.elapsed = 0
        self.halted = False
        self._last = self._first_reading()

    def admit(self) -> Result | None:
        """Charge one op and read the clock once; return the refusal, or None to go on."""
        self._acquire()
        try:
            if self.halted:
                return HALTED
            if self.ops >= self._max_ops:
                return self._trip(OUT_OF_OPS)
            self.ops += 1
            now = self._clock()  # before the last reading is looked up: it may call ``run``
            if type(now) is not int:
                return self._trip(OUT_OF_TIME)
            if now > self._last:  # a step back gives nothing back
                self.elapsed += now - self._last
            self._last = now
            return self._trip(OUT_OF_TIME) if self.elapsed > self._max_wall else None
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - whatever a clock raises, time cannot be told
            return self._trip(OUT_OF_TIME)
        finally:
            self._release()

    def settle(self, output_bytes: int = 0, written: int = 0) -> Result | None:
        """Charge what an effect gave back; return the refusal, or None to hand it over."""
        self._acquire()
        try:
            self.bytes_written += written
            if self.halted:  # another op tripped while this one was in flight
                return HALTED
            total = self.output_bytes + output_bytes
            if total > self._max_output_bytes:
                return self._trip(OUT_OF_OUTPUT)
            self.output_bytes = total
            return None
        finally:
            self._release()

    def _first_reading(self) -> int:
        """Return the ticks at the start; a clock that cannot be trusted leaves no time at all."""
        try:
            now = self._clock()
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - whatever a clock raises, time cannot be told
            now = None
        if type(now) is int:
            return now
        self._max_wall = -1
        return 0

    def _trip(self, refusal: Result) -> Result:
        self.halted = True
        return refusal

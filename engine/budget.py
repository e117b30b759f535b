"""The meter: operations, time and output, shared by every thread and every re-entrant tool."""

from collections.abc import Callable
from threading import RLock

from capfuzz.engine.capabilities import Capabilities
from capfuzz.engine.clock import Clock
from capfuzz.engine.results import HALTED, OUT_OF_OPS, OUT_OF_OUTPUT, OUT_OF_TIME, Result

# Named, so that a compiled isinstance() asks what an object claims to be, as a plain one does.
_BYTES, _TEXT = (bytes,), (str,)
_new = tuple.__new__


class Meter:
    """
    Charges each op before its check and its output after its effect; halts for good.

    The lock covers the counters and one clock reading, never an effect: a tool may wait for
    another thread that calls ``run``. It is re-entrant because a clock may call ``run`` too.
    """

    __slots__ = (
        "_acquire",
        "_clock",
        "_deadline",
        "_last",
        "_max_ops",
        "_max_output_bytes",
        "_max_wall",
        "_release",
        "bytes_written",
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
        self.halted = False
        self._last = self._first_reading()
        # The last reading that is in time. Forward steps leave it where it is, so cost nothing.
        self._deadline = self._last + self._max_wall

    @property
    def elapsed(self) -> int:
        """Ticks that passed, steps back not counted."""
        self._acquire()
        try:
            return self._max_wall - (self._deadline - self._last)
        finally:
            self._release()

    def admit(self) -> Result | None:
        """Charge one op and read the clock once; return the refusal, or None to go on."""
        # By local names: ``self._clock()`` would look for a method first, at three times the price.
        acquire, clock, release = self._acquire, self._clock, self._release
        acquire()
        try:
            if self.ops >= self._max_ops:
                return HALTED if self.halted else self._trip(OUT_OF_OPS)
            self.ops += 1
            now = clock()  # before the last reading is looked up: it may call ``run``
            if type(now) is not int:
                return self._trip(OUT_OF_TIME)
            if now < self._last:  # a step back gives nothing back
                self._deadline -= self._last - now
            self._last = now
            return self._trip(OUT_OF_TIME) if now > self._deadline else None
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - whatever a clock raises, time cannot be told
            return self._trip(OUT_OF_TIME)
        finally:
            release()

    def settle(self, output: object, written: int = 0) -> Result:
        """
        Charge what an effect gave back and wrote; return the output, or the refusal.

        Raises what the output raises when its text is asked for, with nothing charged.
        """
        if type(output) is bytes or (type(output) is str and output.isascii()):
            size = len(output)
        else:
            size = _output_bytes(output)
        acquire, release = self._acquire, self._release
        acquire()
        try:
            if written:
                self.bytes_written += written
            if self.halted:  # another op tripped while this one was in flight
                return HALTED
            total = self.output_bytes + size
            if total > self._max_output_bytes:
                return self._trip(OUT_OF_OUTPUT)
            self.output_bytes = total
        finally:
            release()
        return _new(Result, (True, output, None, False, ""))  # at half the price of ``Result(...)``

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
        self._max_ops = 0  # so that one look tells that nothing more is admitted
        return refusal


def _output_bytes(output: object) -> int:
    """Return the size of what flows back, in UTF-8 bytes; None is nothing, bytes are themselves."""
    if output is None:
        return 0
    if isinstance(output, _BYTES):
        return bytes.__len__(output)  # a subclass may lie about its length
    text = output if isinstance(output, _TEXT) else str(output)
    return len(str.encode(text, "utf-8", "surrogatepass"))

"""The meter: operations, time and output, shared by every thread and every re-entrant tool."""

from collections.abc import Callable, Generator
from io import SEEK_CUR, BytesIO

from capfuzz.engine.capabilities import Capabilities
from capfuzz.engine.clock import Clock
from capfuzz.engine.results import (
    HALTED,
    NO_OUTPUT,
    OUT_OF_OPS,
    OUT_OF_OUTPUT,
    OUT_OF_TIME,
    Allowed,
    Result,
)

Turns = Generator[Result | None, None, None]
_ENOUGH = 2**56  # bytes, more than any machine hands over: once added, nothing more fits


class Meter:
    """
    Charges each op before its check and its output after its effect; halts for good.

    Ops and time are charged in turns, of which one is had at a time (`capfuzz.engine.turns`).
    Output is added up in single calls into C, which no other thread can part, so it needs no lock:
    whoever takes the sum past the limit has halted the sandbox, and names the reason.
    """

    __slots__ = (
        "_charge",
        "_clock",
        "_deadline",
        "_handed_over",
        "_last",
        "_limit",
        "_max_wall",
        "_tickets",
        "_write",
        "halted",
        "ops",
    )

    def __init__(self, caps: Capabilities, clock: Clock) -> None:
        self._tickets = iter(range(1, caps.max_ops + 1))
        self._limit = min(caps.max_output_bytes, _ENOUGH - 1)
        self._max_wall = caps.max_wall
        self._charge, self._write = _adder(), _adder()
        self._handed_over: int | None = None
        # Anyone's, so it may read anything.
        self._clock: Callable[[], object] = clock
        self.halted = False
        self.ops = 0
        self._last = self._first_reading()
        # The last reading that is in time. Forward steps leave it where it is, so cost nothing.
        self._deadline = self._last + self._max_wall

    @property
    def elapsed(self) -> int:
        """Ticks that passed, steps back not counted."""
        return self._max_wall - (self._deadline - self._last)

    @property
    def output_bytes(self) -> int:
        """Bytes that flowed back."""
        if self._handed_over is not None:
            return self._handed_over
        return min(self._charge(0, SEEK_CUR), self._limit)

    @property
    def bytes_written(self) -> int:
        """Bytes written to files."""
        return self._write(0, SEEK_CUR)

    def turns(self) -> Turns:
        """
        Charge one op at each step and read the clock once; yield the refusal, or None to go on.

        A step made while another is being made raises ``ValueError``, as of any generator. What it
        knows is the meter's, so that any other of the meter's turns go on from there.
        """
        clock, tickets = self._clock, self._tickets
        for self.ops in tickets:
            try:
                now = clock()
            except KeyboardInterrupt:
                raise
            except BaseException:  # noqa: BLE001 - whatever a clock raises, time cannot be told
                break
            if type(now) is not int:
                break
            if now < self._last:  # a step back gives nothing back
                self._deadline -= self._last - now
            self._last = now
            if now > self._deadline:
                break
            yield None
            if self.halted:
                return
        else:
            yield self._trip(OUT_OF_OPS)
            return
        yield self._trip(OUT_OF_TIME)

    def turn(self) -> Result | None:
        """Have a turn alone, at several times the price."""
        return HALTED if self.halted else next(self.turns())

    def settle(self, output: object) -> Result:
        """
        Charge what an effect gave back; return it, or the refusal.

        Raises what the output raises when its text is asked for, with nothing charged.
        """
        if type(output) is bytes or (type(output) is str and output.isascii()):
            size = len(output)
        elif output is None:
            return HALTED if self.halted else NO_OUTPUT
        else:
            size = _output_bytes(output)
        total = self._charge(size, SEEK_CUR)
        if total > self._limit:
            return self._past_limit(total - size, OUT_OF_OUTPUT)
        allowed: Allowed = Allowed()
        allowed.output = output
        return allowed

    def wrote(self, size: int) -> None:
        """Count bytes written, apart from output."""
        self._write(size, SEEK_CUR)

    def _trip(self, refusal: Result) -> Result:
        return self._past_limit(self._charge(_ENOUGH, SEEK_CUR) - _ENOUGH, refusal)

    def _past_limit(self, before: int, refusal: Result) -> Result:
        self.halted = True
        if before > self._limit:  # another op has named the reason
            return HALTED
        self._handed_over = before
        return refusal

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


def _adder() -> Callable[[int, int], int]:
    """Return a function that adds to a sum and tells it, in one call that no thread can part."""
    return BytesIO().seek


def _output_bytes(output: object) -> int:
    """Return the size of what flows back, in UTF-8 bytes; bytes are themselves."""
    if isinstance(output, bytes):
        return bytes.__len__(output)  # a subclass may lie about its length
    text = output if isinstance(output, str) else str(output)
    return len(str.encode(text, "utf-8", "surrogatepass"))

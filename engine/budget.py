"""The meter: operations, time and output, shared by every thread and every re-entrant tool."""

import sys
from collections.abc import Callable, Generator
from io import SEEK_CUR, BytesIO
from types import FrameType, GeneratorType
from typing import cast

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


class Meter:
    """
    Charges each op before its check and its output after its effect; halts for good.

    There is no lock, which would be a fifth of an op's price, and which Ctrl-C might leave locked.
    What threads share changes in single calls into C, which no other thread can part, and only
    one thread at a time can be inside a generator.
    """

    __slots__ = (
        "_charge",
        "_clock",
        "_last",
        "_limit",
        "_max_output_bytes",
        "_max_wall",
        "_names_reason",
        "_tickets",
        "_write",
        "_zero",
        "halted",
        "ops",
    )

    def __init__(self, caps: Capabilities, clock: Clock) -> None:
        self._max_output_bytes = self._limit = caps.max_output_bytes
        self._max_wall = caps.max_wall
        self._tickets = iter(range(1, caps.max_ops + 1))
        self._charge, self._write = _adder(), _adder()
        self._names_reason = iter((True,))
        # Anyone's, so it may read anything.
        self._clock: Callable[[], object] = clock
        self.halted = False
        self.ops = 0
        # The last reading, and the one at which nothing had elapsed: a step back moves it back, too.
        self._last = self._zero = self._first_reading()

    @property
    def elapsed(self) -> int:
        """Ticks that passed, steps back not counted."""
        return self._last - self._zero

    @property
    def output_bytes(self) -> int:
        """Bytes that flowed back."""
        # While an output that exceeds the budget is being refused, it is on the account.
        return min(self._charge(0, SEEK_CUR), self._max_output_bytes)

    @property
    def bytes_written(self) -> int:
        """Bytes written to files."""
        return self._write(0, SEEK_CUR)

    def turns(self) -> Turns:
        """
        Charge one op at each step and read the clock once; yield the refusal, or None to go on.

        Ends once the meter has halted. A step that is made while another is being made raises
        ``ValueError``, as of any generator. One that an interrupt breaks off ends it too; the
        meter's next turns go on from there.
        """
        clock, tickets, last = self._clock, self._tickets, self._last
        deadline = self._zero + self._max_wall
        for self.ops in tickets:
            try:
                now = clock()
            except KeyboardInterrupt:
                raise
            except BaseException:  # noqa: BLE001 - whatever a clock raises, time cannot be told
                break
            if type(now) is not int or self._limit < 0:  # halted by the clock, which called ``run``
                break
            if now < last:  # a step back gives nothing back
                deadline -= last - now
                self._zero -= last - now
            self._last = last = now
            if now > deadline:
                break
            yield None
            if self.halted:
                return
        else:
            yield self.trip(OUT_OF_OPS)
            return
        yield self.trip(OUT_OF_TIME)

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
            return self._overspent(size, total)
        allowed: Allowed = Allowed()
        allowed.output = output
        return allowed

    def wrote(self, size: int) -> None:
        """Count bytes written, apart from output."""
        self._write(size, SEEK_CUR)

    def trip(self, refusal: Result) -> Result:
        """Halt; return ``refusal``, or HALTED where another op has named the reason."""
        first = next(self._names_reason, False)  # before others can see that it has halted
        self._halt()
        return refusal if first else HALTED

    def _overspent(self, size: int, total: int) -> Result:
        # Of several at once only one crosses the limit; the others come after it.
        if total - size <= self._max_output_bytes < total:
            refusal = self.trip(OUT_OF_OUTPUT)
        else:
            refusal = HALTED
            self._halt()
        self._charge(-size, SEEK_CUR)
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

    def _halt(self) -> None:
        self.halted = True
        self._limit = -1  # so that one look tells that nothing more is handed over


def _adder() -> Callable[[int, int], int]:
    """Return a function that adds to a sum and tells it, in one call that no thread can part."""
    return BytesIO().seek


def is_inside(turns: Turns) -> bool:
    """Tell whether ``turns`` are what has called, however indirectly: the clock has, then."""
    having_one = cast("GeneratorType[Result | None]", turns).gi_frame
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - what CPython has for this
    while frame is not None and frame is not having_one:
        frame = frame.f_back
    return frame is not None


def _output_bytes(output: object) -> int:
    """Return the size of what flows back, in UTF-8 bytes; bytes are themselves."""
    if isinstance(output, bytes):
        return bytes.__len__(output)  # a subclass may lie about its length
    text = output if isinstance(output, str) else str(output)
    return len(str.encode(text, "utf-8", "surrogatepass"))

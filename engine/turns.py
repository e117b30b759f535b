"""Whose turn it is to be charged: one op at a time, at no price while one thread runs alone."""

import sys
from collections.abc import Iterator
from threading import Lock, RLock
from types import FrameType, GeneratorType
from typing import cast

from capfuzz.engine.budget import Meter
from capfuzz.engine.results import Result

_NONE_LEFT: Iterator[Result | None] = iter(())
_MOMENT = 0.000_1  # seconds
_NEVER_FREE = Lock()  # to wait for it is to let others run
_NEVER_FREE.acquire()


class Line:
    """
    Where ops wait for their turn.

    ``next(line.turns)`` is the quick way: None to go on, or the refusal. Where it raises
    ``ValueError`` or ``StopIteration`` the turn is had by ``line.late()``. A lock would be a tenth
    of an op's price, so there is none until two threads have met.
    """

    __slots__ = ("_meter", "_queue", "_quick", "turns")

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._quick = meter.turns()
        self._queue = RLock()
        self.turns: Iterator[Result | None] = self._quick

    def late(self) -> Result | None:
        """Have a turn where the quick way is taken, or closed since two threads have met there."""
        if self._is_inside():  # the clock has called, or what interrupted it
            return self._meter.turn()
        with self._queue:
            self.turns = _NONE_LEFT  # from now on all come here; one may still be on its way
            while not self._is_closed():
                _NEVER_FREE.acquire(timeout=_MOMENT)
            return self._meter.turn()

    def _is_inside(self) -> bool:
        """Tell whether the caller was called, however indirectly, in a turn of the quick way."""
        having_one = cast("GeneratorType[Result | None]", self._quick).gi_frame
        frame: FrameType | None = sys._getframe()  # noqa: SLF001 - what CPython has for this
        while frame is not None and frame is not having_one:
            frame = frame.f_back
        return frame is not None

    def _is_closed(self) -> bool:
        """Close the quick way; tell whether that is done, since another thread may be in there."""
        try:
            self._quick.close()
        except ValueError:
            return False
        return True

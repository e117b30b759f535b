"""Time as injected data, so that every run can be repeated."""

from collections.abc import Callable
from itertools import count

Clock = Callable[[], int]


def make_tick_clock(step: int = 1) -> Clock:
    """Return a clock that reads 0, ``step``, ``2 * step``, ... ticks, one step a reading."""
    return count(0, step).__next__

"""A time limit around code that is not ours."""

import _weakrefset
import gc
import signal
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_AGAIN = 0.2  # seconds until a target that swallowed the interruption meets the next one
_WEAK = (weakref.__file__, _weakrefset.__file__)
_SOON = 0.001  # seconds; 0 would turn the timer off


class OpTimeout(BaseException):
    """Raised inside the target; a BaseException, so that a blanket ``except`` lets it pass."""


class Limit:
    """Whether the time ran out, even if the target swallowed the interruption."""

    __slots__ = ("expired",)

    def __init__(self) -> None:
        self.expired = False


@contextmanager
def time_limit(seconds: float) -> Iterator[Limit]:
    """
    Interrupt the block after ``seconds``; the block ends normally and the limit says it expired.

    Works in the main thread of a POSIX process; elsewhere the supervising process alone watches.
    """
    limit = Limit()
    if threading.current_thread() is not threading.main_thread():
        yield limit
        return

    def interrupt(_signal: int, frame: FrameType | None) -> None:
        limit.expired = True
        if not _would_be_lost(frame):
            raise OpTimeout

    started, handler = time.monotonic(), signal.signal(signal.SIGALRM, interrupt)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        try:
            yield limit
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except OpTimeout:  # also one that came while the timer was being turned off
        limit.expired = True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        _resume(timer, time.monotonic() - started)


def _would_be_lost(frame: FrameType | None) -> bool:
    """
    Whether Python prints and drops what is raised here: in a finaliser, a callback of the
    collector or one of a weak reference. The timer rings again soon, and then finds the code that
    runs too long.
    """
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        code = frame.f_code
        if code in callbacks or code.co_name == "__del__" or code.co_filename in _WEAK:
            return True
        frame = frame.f_back
    return False


def _resume(timer: tuple[float, float], elapsed: float) -> None:
    """Set the timer that ran before, an outer limit's or a test runner's, going again."""
    delay, interval = timer
    if delay:
        signal.setitimer(signal.ITIMER_REAL, max(delay - elapsed, _SOON), interval)

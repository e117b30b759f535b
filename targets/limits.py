"""A time limit around code that is not ours."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_AGAIN = 0.2  # seconds until a target that swallowed the interruption meets the next one


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

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        limit.expired = True
        raise OpTimeout

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield limit
    except OpTimeout:
        limit.expired = True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

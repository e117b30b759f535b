"""A time limit around code that is not ours."""

import _weakrefset
import gc
import signal
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self

_AGAIN = 0.2  # seconds until a target that swallowed the interruption meets the next one
_WEAK = (weakref.__file__, _weakrefset.__file__)
_SOON = 0.001  # seconds; 0 would turn the timer off


class OpTimeout(BaseException):
    """Raised inside the target; a BaseException, so that a blanket ``except`` lets it pass."""


class Watch:
    """
    Watches over one op after the other; each has the same number of seconds.

    Works in the main thread of a POSIX process; elsewhere the supervising process alone watches.
    Installing a signal handler costs as much as many ops, so a watch is shared by the ops of a case.
    """

    def __init__(self, seconds: float) -> None:
        self.expired = False  # whether the time ran out, even if the target swallowed it
        self._seconds = seconds
        self._watching = threading.current_thread() is threading.main_thread()
        self._armed = False
        self._op = _Op(self)

    def __enter__(self) -> Self:
        """Take the timer over."""
        if self._watching:
            self._since = time.monotonic()
            self._handler = signal.signal(signal.SIGALRM, self._interrupt)
            self._timer = signal.setitimer(signal.ITIMER_REAL, 0)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Give the timer back, and what ran on it before, an outer limit's or a test runner's."""
        if not self._watching:
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._handler)
        delay, interval = self._timer
        if delay:
            left = delay - (time.monotonic() - self._since)
            signal.setitimer(signal.ITIMER_REAL, max(left, _SOON), interval)

    def op(self) -> "_Op":
        """Give a block its seconds; it ends normally when they are over, and `expired` is set."""
        return self._op

    def start(self) -> None:
        """Let the seconds run; from now on `OpTimeout` may be raised."""
        self.expired = False
        if self._watching:
            self._armed = True
            signal.setitimer(signal.ITIMER_REAL, self._seconds, _AGAIN)

    def stop(self) -> None:
        """Let what rings from now on pass: the timer is set anew soon, or turned off at the end."""
        self._armed = False

    def _interrupt(self, _signal: int, frame: FrameType | None) -> None:
        if not self._armed:  # rang while the op was ending
            return
        self.expired = True
        if not _would_be_lost(frame):
            raise OpTimeout


class _Op:
    """A block of code under watch; a class, as ``contextmanager`` costs as much as many an op."""

    __slots__ = ("_watch",)

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def __enter__(self) -> None:
        self._watch.start()

    def __exit__(
        self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> bool:
        try:
            self._watch.stop()
        except OpTimeout:  # rang in this very moment
            self._watch.stop()
            return kind in {None, OpTimeout}
        return kind is OpTimeout


@contextmanager
def time_limit(seconds: float) -> Iterator[Watch]:
    """Interrupt the block after ``seconds``; it ends normally, and what it yields has expired."""
    with Watch(seconds) as watch, watch.op():
        yield watch


def _would_be_lost(frame: FrameType | None) -> bool:
    """
    Tell whether Python prints and drops what is raised here.

    It does in a finaliser, a callback of the collector and one of a weak reference. The timer
    rings again soon, and then finds the code that runs too long.
    """
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        code = frame.f_code
        if code in callbacks or code.co_name == "__del__" or code.co_filename in _WEAK:
            return True
        frame = frame.f_back
    return False

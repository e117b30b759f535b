"""
A parent that watches over the process in which a target runs.

Code that is not ours may exit, crash, or hang where no signal handler runs. The parent notices
that no verdict came back, ends the child and removes what it planted, so that a target can
neither stop the suite for good nor end it with a clean exit status.
"""

import contextlib
import mmap
import os
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable

from capfuzz.gate.ending import vanish_when_asked
from capfuzz.gate.orphans import Orphans
from capfuzz.targets.planted import sweep, sweep_stale
from capfuzz.targets.processes import end_with_parent

COULD_NOT_MEASURE = 2
LOADING = 60.0  # seconds that importing a target may take
_POLL = 0.02  # seconds
_SLOT = struct.Struct("qd")  # beats so far, deadline of the one under way (0: none)
_FINISHED = b"F"
_ENDING = (signal.SIGINT, signal.SIGTERM)


class Heart:
    """Shared memory in which the child says that it is about to run code that is not ours."""

    def __init__(self, file: int | None = None) -> None:
        """Lie in a file, for a process that is not forked from this one, or in no file."""
        size = _SLOT.size + len(_FINISHED)
        if file is not None:
            os.truncate(file, size)
        self._memory = mmap.mmap(-1 if file is None else file, size)

    def beat(self, limit: float) -> None:
        """Promise the next beat within ``limit`` seconds."""
        beats, _ = _SLOT.unpack_from(self._memory)
        _SLOT.pack_into(self._memory, 0, beats + 1, time.monotonic() + limit)

    def finish(self) -> None:
        """Say that the work came to its own end, so that the exit status can be believed."""
        self._memory[_SLOT.size :] = _FINISHED

    def rest(self) -> None:
        """Say that only our own code runs until the next beat."""
        beats, _ = _SLOT.unpack_from(self._memory)
        _SLOT.pack_into(self._memory, 0, beats, 0.0)

    @property
    def finished(self) -> bool:
        """Whether the work came to its own end."""
        return bytes(self._memory[_SLOT.size :]) == _FINISHED

    @property
    def overdue(self) -> bool:
        """Whether a promised beat did not come."""
        deadline: float = _SLOT.unpack_from(self._memory)[1]
        return 0 < deadline < time.monotonic()


def supervised(work: Callable[[Heart], int], name: str) -> int:
    """Run ``work`` in a child process and return its exit status, 2 where it gave none."""
    sweep_stale()
    heart = Heart()
    signal.signal(signal.SIGTERM, _leave)
    sys.stdout.flush()
    sys.stderr.flush()
    orphans = Orphans()
    # What comes while a process is doubled falls into hooks of the libraries that swallow it.
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    parent, child = os.getpid(), os.fork()
    if child == 0:
        code = COULD_NOT_MEASURE  # also where not even a traceback can be printed
        try:
            _end_with(parent)
            code = _child(work, heart, heard)
        finally:
            os._exit(code)
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        status, overdue = _wait(child, heart, orphans)
    finally:
        _end(child)
        orphans.end()
        sweep(child)
        sweep_stale()  # what orphans have planted
    if overdue:
        return _complain(f"{name}: hung where it could not be interrupted, and was ended")
    if os.WIFSIGNALED(status):
        return _complain(f"{name}: was ended by {signal.Signals(os.WTERMSIG(status)).name}")
    if not heart.finished:
        return _complain(f"{name}: ended the process by itself, before there was a verdict")
    return os.waitstatus_to_exitcode(status)


def _leave(_signal: int, _frame: object) -> None:
    """Turn a polite request to end into an exit that cleans up."""
    raise SystemExit(128 + signal.SIGTERM)


def _child(work: Callable[[Heart], int], heart: Heart, heard: set[signal.Signals | int]) -> int:
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        code = work(heart)
        sys.stdout.flush()
        sys.stderr.flush()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else COULD_NOT_MEASURE
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except BrokenPipeError:  # whoever read the report has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = COULD_NOT_MEASURE
    except BaseException:  # noqa: BLE001 - a fault of our own must not look like a verdict
        traceback.print_exc()
        code = COULD_NOT_MEASURE
    heart.finish()
    return code


def _end_with(parent: int) -> None:
    """Have the kernel ask this process to end when its parent is killed (prctl(2))."""
    vanish_when_asked()
    end_with_parent(signal.SIGTERM)
    if os.getppid() != parent:  # killed before it was asked
        os._exit(COULD_NOT_MEASURE)


def _wait(child: int, heart: Heart, orphans: Orphans) -> tuple[int, bool]:
    """Wait for the child; return its status and whether it had to be ended."""
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status, False
        if heart.overdue:
            return 0, True
        orphans.bury(child)
        time.sleep(_POLL)


def _end(child: int) -> None:
    """End the child if it still runs."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _complain(message: str) -> int:
    sys.stderr.write(f"Error: {message}\n")
    return COULD_NOT_MEASURE

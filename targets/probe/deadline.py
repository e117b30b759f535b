"""
Runs a command for so many seconds, and ends it then with all that it has started.

``deadline.py SECONDS COMMAND...`` stands around a sandbox that confines processes and does not end
them. It takes in whatever has lost its parent (prctl(2), PR_SET_CHILD_SUBREAPER), so nothing is out of
its reach, in whatever session it is. When the command ends before, what it has left behind ends, too.
It exits as the command does, and with 137 where that was ended, as ``timeout --signal=KILL``.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time

_SUBREAPER, _WITH_PARENT = 36, 1  # prctl(2): PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG
_LONGEST = 10**8  # seconds, three years: a greater number is no time that a kernel waits
_ENDED, _NOT_FOUND = 137, 127  # exit status, as shells have it
_HEARD = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_LOOK = 0.001  # seconds


def main(seconds: str, *command: str) -> int:
    """Return the exit status when nothing is left that runs."""
    until = time.monotonic() + min(int(seconds), _LONGEST)
    if not os.path.exists(_children(os.getpid(), os.getpid())):
        return _refused("this kernel does not tell which children a process has, in /proc")
    libc = ctypes.CDLL(None)
    libc.prctl(_SUBREAPER, 1)
    libc.prctl(_WITH_PARENT, signal.SIGTERM)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
    try:
        # A program of Python's ignores SIGPIPE, and others end by it.
        started = os.posix_spawnp(
            command[0], command, os.environ, setsigmask=(), setsigdef=(signal.SIGPIPE,)
        )
    except OSError as error:
        return _refused(f"{command[0]}: {error.strerror}")
    try:
        return _waited(started, until)
    finally:
        _end_all()


def _refused(why: str) -> int:
    sys.stderr.write(f"deadline: {why}\n")
    return _NOT_FOUND


def _waited(started: int, until: float) -> int:
    """Return how the command has ended; at the deadline, or where this is to end, it is ended."""
    while True:
        told = signal.sigtimedwait(_HEARD, max(0.0, until - time.monotonic()))
        if told is None or told.si_signo != signal.SIGCHLD:
            return _ENDED
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == started:
                code = os.waitstatus_to_exitcode(ended[1])
                return code if code >= 0 else 128 - code


def _end_all() -> None:
    """End all until no child is left: whatever lives below would become one."""
    with contextlib.suppress(ChildProcessError):
        while True:
            for pid in _below(os.getpid()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            time.sleep(_LOOK)


def _below(pid: int) -> "list[int]":
    """Return the children of a process and theirs, as they are in this moment."""
    found = []
    with contextlib.suppress(OSError):  # ended meanwhile
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(_children(pid, int(task)), encoding="ascii") as file:
                found += [int(one) for one in file.read().split()]
    return [*found, *(one for child in found for one in _below(child))]


def _children(pid: int, task: int) -> str:
    return f"/proc/{pid}/task/{task}/children"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""
What a campaign has started and nobody looks after any more, since whoever started it has ended.

Not everything carries the mark of the suite: gVisor runs with no environment at all, and ends a while
after the program that was told to run it. So a campaign adopts what is orphaned below it, and is not
over before that has ended: what is marked is killed, and what works in a folder of ours may come to
its end, as what tells a cloud to end a sandbox does. What a target has started for others runs on.
"""

import contextlib
import os
import re
import time
from pathlib import Path

from capfuzz.targets.processes import MARK, kill_all, prctl

_PR_SET_CHILD_SUBREAPER = 36
# What was marked, or is a process of the suite itself that is only beginning.
_KILLED = re.compile(rf"(^|\0){MARK}=|\bcapfuzz\.gate\.".encode())
_FOLDER = re.compile(rb"/capfuzz-\d+-")
_PATIENCE = 20.0  # seconds
_POLL = 0.01  # seconds


class Orphans:
    """All that is orphaned below this process from now on (prctl(2), Linux alone)."""

    def __init__(self) -> None:
        self._others = _children()
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def bury(self, *own: int) -> None:
        """Let those go that have ended, but for children of this process's own."""
        for pid in self._adopted() - {*own}:
            _buried(pid)

    def end(self) -> None:
        """End what is marked, wait until all that is ours has ended, and adopt no more."""
        deadline = time.monotonic() + _PATIENCE
        while any([*map(_is_left, self._adopted())]) and time.monotonic() < deadline:
            time.sleep(_POLL)
        prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)

    def _adopted(self) -> set[int]:
        return _children() - self._others


def _children() -> set[int]:
    """Return the children of this process (proc(5)), none where that is not told."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for thread in os.listdir("/proc/self/task"):
            told = Path(f"/proc/self/task/{thread}/children").read_text(encoding="ascii")
            found.update(map(int, told.split()))
    return found


def _is_left(pid: int) -> bool:
    """Tell whether a child is ours and has not ended; it is killed if it may be."""
    if _buried(pid):
        return False
    words = _read(pid, "cmdline")
    if _KILLED.search(words + b"\0" + _read(pid, "environ")):
        kill_all([pid])
        return True
    return not words or _FOLDER.search(words) is not None  # what ends has no command line any more


def _buried(pid: int) -> bool:
    """Take note that a child has ended, if it has."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:  # somebody else did
        return True


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b"not to be read"  # somebody else's: none of ours by this

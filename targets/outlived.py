"""Processes that live on after the sandbox in which they were started has ended."""

import contextlib
import os
import secrets
import signal
import time
from pathlib import Path

from capfuzz.attacks.trace import Effect
from capfuzz.targets.processes import Child
from capfuzz.targets.sandboxes.base import Rendered, ended

_ENDING = 0.5  # seconds that a sandbox may take to end what runs in it
_LOOKS = 10
_EMPTY = 3  # looks in a row


class Background:
    """A mark that stands in the command line of a process started inside, and nowhere else."""

    def __init__(self) -> None:
        self.mark = secrets.token_hex(16)

    def outlived(self, child: Child, rendered: Rendered) -> tuple[Effect, ...]:
        """End a sandbox the hard way, and return whether a process with the mark is still there."""
        child.process.kill()
        child.process.wait()
        ended(rendered)
        seen = empty = 0
        while seen < _LOOKS:
            # What is another process every moment can be missed by one look, not by several.
            seen, empty = (seen + 1, 0) if marked(self.mark) else (seen, empty + 1)
            if empty == _EMPTY:
                return ()
            time.sleep(_ENDING / _LOOKS)
        self._end()
        return (Effect("tool", "outlived"),)

    def _end(self) -> None:
        """End them, and what they have become meanwhile: each lives for seconds alone."""
        while left := marked(self.mark):
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def marked(mark: str) -> list[int]:
    """Return the numbers of the processes that have a mark in their command line."""
    return [
        int(entry.name)
        for entry in Path("/proc").glob("[0-9]*")
        if mark.encode() in _command_line(entry)
    ]


def inner_number(pid: int) -> tuple[int, str]:
    """Return how a process is called in the innermost namespace that it is in, and that one."""
    with contextlib.suppress(OSError):  # ended meanwhile, or somebody else's
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        number = status.partition("NSpid:")[2].split("\n")[0].split()[-1]
        return int(number), os.readlink(f"/proc/{pid}/ns/pid")
    return 0, ""


def _command_line(entry: Path) -> bytes:
    try:
        return (entry / "cmdline").read_bytes()
    except OSError:  # ended meanwhile
        return b""

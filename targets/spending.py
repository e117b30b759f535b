"""
Budgets of a sandbox, tried by one op that would spend more: what comes out, and what lives on.

The sandbox is started for that op alone, as `capfuzz render` prints it with its budgets around it.
What runs inside is asked nothing: this side counts the bytes and looks for the processes.
"""

import contextlib
import json
import os
import select
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from capfuzz.attacks.trace import Effect
from capfuzz.engine import Capabilities
from capfuzz.targets.outlived import marked
from capfuzz.targets.processes import Child, kill_all, marked_by
from capfuzz.targets.sandboxes.base import Rendered, ended

LATE: Final = 8.0  # seconds after a deadline; on a busy machine an end takes some of its own
# Of seconds that a grant has: one second may not be enough to begin in, on a busy machine.
LONGER: Final = (1, 2, 4, 8)
BEGUN: Final = b"goes on"  # as the probe says it
_MOST_WORDS = 512  # bytes that a shell may print of what it had to end
_KEPT = 65_536  # bytes, of what came out
_PIPE = 1024 * 1024  # bytes, all that a pipe of a child's may hold
_LOOK = 0.05  # seconds
_LONGEST = 40.0  # seconds; what runs inside ends by itself before
_EMPTY = 3  # looks in a row, since what is another process every moment can be missed by one


@dataclass(frozen=True, slots=True)
class Spent:
    """What was seen of one op: the first bytes and how many came, and whether processes lived on."""

    out: bytes
    size: int
    outlived: bool

    @property
    def said(self) -> str:
        """What came out, for a message."""
        return " ".join(self.out[:_MOST_WORDS].decode("utf-8", "replace").split()) or "no output"


def began(op: Any, spent: Spent, grant: Capabilities) -> bool:
    """Tell whether an op got as far as its budget lets it, so that it shows what stops it there."""
    kind, *given = op
    if kind == "use_output":
        return spent.size >= min(int(given[-1]), grant.max_output_bytes)
    return BEGUN in spent.out


def shows(op: Any, spent: Spent, grant: Capabilities) -> bool:
    """Tell whether an op shows something: honest output that was cut short does, an attack does not."""
    kind, *given = op
    honest = kind == "use_output" and given[-1] <= grant.max_output_bytes
    return honest or began(op, spent, grant)


def spent_beyond(op: Any, spent: Spent, grant: Capabilities) -> tuple[bytes, tuple[Effect, ...]]:
    """Return what came out if all of it did, and what went beyond a budget."""
    kind, *given = op
    if kind == "use_time":
        return b"", (Effect("tool", "overtime"),) if spent.outlived else ()
    whole = spent.out if spent.size >= given[-1] else b""
    flooded = spent.size > grant.max_output_bytes + _MOST_WORDS
    return whole, (Effect("tool", "flood"),) if flooded else ()


class Spender:
    """Starts a bounded command in ``folder``; all that it starts is known by ``own`` and ended."""

    def __init__(self, own: str, folder: str, environment: Mapping[str, str], late: float) -> None:
        self._own, self._folder, self._environment = own, folder, environment
        self._late = late

    def spend(self, made: Rendered, kind: str, given: list[Any], wall: float) -> Spent:
        """Have one op tried in what was rendered, which is to end after ``wall`` seconds."""
        child = Child(made.command, self._own, self._folder, self._environment)
        try:
            _tell(child, kind, given)
            out = _Output(child)
            lives = self._watched(child, out, made, wall)
            return Spent(out.first, out.size, lives)
        finally:
            child.close()
            self._end()
            ended(made)

    def _watched(self, child: Child, out: "_Output", made: Rendered, wall: float) -> bool:
        """Return whether something still lives well after the deadline, counted from its beginning."""
        since, begun, empty, over = time.monotonic(), False, 0, False
        while empty < _EMPTY:
            out.read(_LOOK)
            if not child.alive and not over:  # then comes the other line that is printed
                ended(made)
                over = True
            if out.size and not begun:  # what starts it takes its time, too
                since, begun = time.monotonic(), True
            if time.monotonic() > since + wall + self._late:
                return True
            empty = 0 if self._alive() else empty + 1
        out.read(0.0)
        return False

    def _alive(self) -> set[int]:
        return {*marked(self._own), *marked_by(self._own)} - {os.getpid()}

    def _end(self) -> None:
        """End them, and what they have become meanwhile: the last ends by itself."""
        until = time.monotonic() + _LONGEST
        while (left := self._alive()) and time.monotonic() < until:
            kill_all(left)
            time.sleep(_LOOK)


class _Output:
    """What comes out of both streams of a process, read away as it comes; ``first`` is kept."""

    def __init__(self, child: Child) -> None:
        self.first, self.size = b"", 0
        self._open = [one.fileno() for one in (child.process.stdout, child.process.stderr) if one]

    def read(self, seconds: float) -> None:
        """Read for so many seconds, and once more whatever is there after them."""
        until = time.monotonic() + seconds
        while True:
            left = max(0.0, until - time.monotonic())
            ready, _, _ = select.select(self._open, [], [], left)
            for stream in ready:
                self._take(stream)
            if not (ready and left):  # of what never stops, no more
                return

    def _take(self, stream: int) -> None:
        piece = os.read(stream, _PIPE)
        if not piece:
            self._open.remove(stream)
        self.size += len(piece)
        self.first = (self.first + piece)[:_KEPT]


def _tell(child: Child, kind: str, given: list[Any]) -> None:
    """Hand in one line and no more."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": kind, "params": {"arguments": given}}
    assert child.process.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # it has ended already
        child.process.stdin.write(json.dumps(asked).encode() + b"\n")
        child.process.stdin.close()

"""
What a worker shares with its parent: counters, and the input under way.

A file in memory that both map: it stays as it was when the worker is killed, whatever it was doing.
"""

import mmap
import struct
import time
from pathlib import Path

MOST_INPUT = 4096
# runs, ops, when the run under way began (monotonic seconds, 0 between two), size of its input
_HEAD = struct.Struct("QQdQ")
_SIZE = _HEAD.size + MOST_INPUT


class Slot:
    """One worker's memory."""

    def __init__(self, file: Path) -> None:
        if not file.exists():
            file.write_bytes(bytes(_SIZE))
        with file.open("r+b") as opened:
            self._memory = mmap.mmap(opened.fileno(), _SIZE)

    def begin(self, data: bytes, runs: int, ops: int) -> None:
        """Say which input is about to be tried."""
        self._memory[_HEAD.size : _HEAD.size + len(data)] = data
        _HEAD.pack_into(self._memory, 0, runs, ops, time.monotonic(), len(data))

    def end(self, runs: int, ops: int) -> None:
        """Say that the input was survived."""
        _HEAD.pack_into(self._memory, 0, runs, ops, 0.0, 0)

    @property
    def counts(self) -> tuple[int, int]:
        """Runs and ops so far."""
        runs, ops, _, _ = _HEAD.unpack_from(self._memory)
        return runs, ops

    @property
    def began(self) -> float:
        """When the run under way began, 0 where none is."""
        return float(_HEAD.unpack_from(self._memory)[2])

    @property
    def under_way(self) -> bytes | None:
        """The input that is being tried, None between two."""
        _, _, began, size = _HEAD.unpack_from(self._memory)
        return self._memory[_HEAD.size : _HEAD.size + size] if began else None

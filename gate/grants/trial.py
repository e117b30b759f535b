"""A recorded run, played again under a grant by the reference engine: what would it have refused?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from capfuzz.engine import VFS, Capabilities, Net, Sandbox
from capfuzz.engine.results import Result
from capfuzz.gate.grants.transcript import Call


class Asked(NamedTuple):
    """A call of the run, numbered from 1, with its ops; ``marked`` where it should be refused."""

    number: int
    call: Call
    ops: tuple[Any, ...]
    marked: bool = False


class Judged(NamedTuple):
    """A call and what the grant says of it: of its ops, the one that it stopped at."""

    asked: Asked
    op: Any
    result: Result

    @property
    def allowed(self) -> bool:
        """Whether nothing of the call was refused; a recorded run cannot fail otherwise."""
        return self.result.violation is None

    @property
    def decision(self) -> str:
        """One word: allowed, refused or halted."""
        if self.allowed:
            return "allowed"
        return "halted" if self.result.hard else "refused"

    @property
    def unexpected(self) -> bool:
        """Whether an honest call was refused, or one that should be refused was not."""
        return self.allowed == self.asked.marked


@dataclass(frozen=True, slots=True)
class Trial:
    """The run under a grant, and what it used: ops, bytes that flowed back, ticks."""

    judged: tuple[Judged, ...]
    ops: int
    output_bytes: int
    elapsed: int

    @property
    def contained(self) -> bool:
        """Whether the grant tells the calls apart as they should be."""
        return not any(one.unexpected for one in self.judged)


def tried(asked: Sequence[Asked], grant: Capabilities) -> Trial:
    """
    Return what a grant says of a run, each call in turn until one of its ops is refused.

    What was recorded flows back with the call's last op; a run without ticks takes no time.
    """
    record = _Record(next((one.call.tick for one in asked if one.call.tick is not None), 0))
    tools = dict.fromkeys(grant.allowed_tools, record.text)
    box = Sandbox(grant, _Files(record), _Web(record), tools, record.clock)
    judged = tuple(_judged(box, record, one) for one in asked)
    return Trial(judged, box.ops, box.output_bytes, box.elapsed)


class _Record:
    """What the op under way gives back, and when."""

    def __init__(self, tick: int) -> None:
        self.size = 0  # bytes
        self.tick = tick

    def text(self, *_arguments: object) -> str:
        return "." * self.size

    def clock(self) -> int:
        return self.tick


class _Files(VFS):
    """Every file is there, as large as the answer that was recorded."""

    def __init__(self, record: _Record) -> None:
        super().__init__()
        self._record = record

    def read_place(self, place: str) -> bytes:
        del place
        return bytes(self._record.size)

    def write_place(self, place: str, data: bytes) -> None:
        """Keep nothing."""


class _Web(Net):
    """Every host answers, as much as was recorded."""

    def __init__(self, record: _Record) -> None:
        super().__init__()
        self._record = record

    def fetch(self, host: str, path: str) -> str:
        del host, path
        return self._record.text()


def _judged(box: Sandbox, record: _Record, asked: Asked) -> Judged:
    if asked.call.tick is not None:
        record.tick = asked.call.tick
    last = len(asked.ops) - 1
    for number, op in enumerate(asked.ops):
        record.size = (asked.call.output or 0) if number == last else 0
        result = box.run(op)
        if result.violation is not None:
            return Judged(asked, op, result)
    return Judged(asked, op, result)

"""
A session target as people write it, in pieces that a variant replaces one at a time.

It shares no check with the engine: the guards and the meter here are a second writing of the same
rules. Everything it does, it does to the world that it is given.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import RLock
from typing import Any, NoReturn, Protocol

from capfuzz.engine import Capabilities
from capfuzz.targets.right.files import Files, PathGuard
from capfuzz.targets.right.names import HostGuard, ToolGuard
from capfuzz.targets.right.refusals import HARD, DenialError, FailureError

Guard = Callable[[str], str]


class Fetcher(Protocol):
    """The network of a world."""

    def fetch(self, host: str, path: str) -> str:
        """Return the answer of ``host`` at ``path``; raises where there is none."""
        ...


class World(Protocol):
    """What a session target acts on, and nothing else."""

    @property
    def vfs(self) -> Files:
        """The files."""
        ...

    @property
    def net(self) -> Fetcher:
        """The hosts."""
        ...

    @property
    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """The tools by name."""
        ...

    @property
    def clock(self) -> Callable[[], int]:
        """The ticks."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one op; ``violation`` is None for an error such as a missing file."""

    ok: bool
    output: Any = None
    violation: str | None = None
    hard: bool = False
    detail: str = ""


class Meter:
    """
    Counts ops, ticks and output bytes, and halts for good when one runs out.

    The lock is held over the counters and one clock reading, never over an effect.
    """

    def __init__(self, caps: Capabilities, clock: Callable[[], int]) -> None:
        self.caps = caps
        self.clock = clock
        self.lock = RLock()
        self.halted = False
        self.ops = self.output = self.elapsed = 0
        self.last = self.read_clock()

    def admit(self) -> None:
        """Charge one op and read the clock once; raises `DenialError` where a budget is out."""
        with self.lock:
            if self.halted:
                raise DenialError("halted")
            if self.is_spent():
                self.trip("max_ops")
            self.ops += 1
            self.tick()
            if self.is_late():
                self.trip("max_wall")

    def settle(self, size: int) -> None:
        """Charge ``size`` bytes that are about to flow back; raises `DenialError`."""
        with self.lock:
            if self.halted:
                raise DenialError("halted")
            if self.overflows(size):
                self.trip("max_output_bytes")
            self.output += size

    def is_spent(self) -> bool:
        """Tell whether one more op would exceed ``max_ops``."""
        return self.ops >= self.caps.max_ops

    def is_late(self) -> bool:
        """Tell whether more than ``max_wall`` ticks have passed; a broken clock is always late."""
        return self.last is None or self.elapsed > self.caps.max_wall

    def overflows(self, size: int) -> bool:
        """Tell whether ``size`` more bytes would exceed ``max_output_bytes``."""
        return self.output + size > self.caps.max_output_bytes

    def tick(self) -> None:
        """Add the step forward since the last reading; a step back counts as nothing."""
        last, self.last = self.last, self.read_clock()
        if last is None or self.last is None:
            self.last = None
        else:
            self.elapsed += max(0, self.last - last)

    def read_clock(self) -> int | None:
        """Return the ticks, or None from a clock that raises or tells no int."""
        try:
            now = self.clock()
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - whatever it raises, the time is unknown
            return None
        return now if type(now) is int else None

    def trip(self, reason: str) -> NoReturn:
        """Halt for good; raises the `DenialError`."""
        self.halted = True
        raise DenialError(reason)

    def size(self, output: object) -> int:
        """Return the UTF-8 bytes of what flows back; None is 0 and bytes are themselves."""
        if output is None:
            return 0
        if isinstance(output, bytes):
            return bytes.__len__(output)
        text = str.__str__(output) if isinstance(output, str) else str(output)
        return len(str.encode(text, "utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a session is made of; a variant names the one piece in which it differs."""

    paths: type[PathGuard] = PathGuard
    hosts: type[HostGuard] = HostGuard
    tools: type[ToolGuard] = ToolGuard
    meter: type[Meter] = Meter
    answer: Callable[..., Any] = Answer


class Session:
    """Charges, checks and only then acts; ``run`` raises nothing, whatever the op is."""

    def __init__(self, caps: Capabilities, world: World, pieces: Pieces = Pieces()) -> None:
        self.caps = caps
        self.world = world
        self.answer = pieces.answer
        self.readable = pieces.paths(world.vfs, caps.fs_read, "fs_read_denied")
        self.writable = pieces.paths(world.vfs, caps.fs_write, "fs_write_denied")
        self.hosts = pieces.hosts(caps.net_hosts)
        self.tools = pieces.tools(caps.allowed_tools)
        self.doors: dict[str, Callable[..., Any]] = {
            "fs_read": self.fs_read,
            "fs_write": self.fs_write,
            "net_fetch": self.net_fetch,
            "tool": self.tool,
        }
        self.meter = pieces.meter(caps, world.clock)

    def run(self, op: object) -> Any:
        """Try one op and return what came of it."""
        try:
            self.admit(op)
            kind, args = self.shape(op)
            output = self.doors[kind](*args)
        except DenialError as denial:
            return self.deny(denial)
        except FailureError as failure:
            return self.answer(ok=False, detail=str(failure))
        return self.answer(ok=True, output=output)

    def admit(self, _op: object) -> None:
        """Charge an op before anything of it is looked at; raises `DenialError`."""
        self.meter.admit()

    def judge(self, _kind: str, guard: Guard, name: str) -> str:
        """Return what the guard of this kind grants under ``name``; raises `DenialError`."""
        return guard(name)

    def deny(self, denial: DenialError) -> Any:
        """Return the refusal."""
        reason = denial.reason
        return self.answer(ok=False, violation=reason, hard=reason in HARD, detail=denial.detail)

    def shape(self, op: object) -> tuple[str, tuple[Any, ...]]:
        """Return the kind and the arguments of a well-formed op; raises `DenialError`."""
        if type(op) is not tuple or not op or type(op[0]) is not str:
            raise DenialError("malformed_op")
        kind, *args = op
        if kind not in self.doors or not fits(kind, args):
            raise DenialError("malformed_op")
        return kind, tuple(args)

    def fs_read(self, path: str) -> Any:
        """Return the bytes of a readable file."""
        place = self.judge("fs_read", self.readable.locate, path)
        return self.perform("fs_read", self.world.vfs.read, place)

    def fs_write(self, path: str, data: str | bytes) -> Any:
        """Write a writable file."""
        raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
        place = self.judge("fs_write", self.writable.locate, path)
        return self.perform("fs_write", self.world.vfs.write, place, raw)

    def net_fetch(self, host: str, path: str) -> Any:
        """Return what a granted host answers; a redirect is handed back as it is."""
        granted = self.judge("net_fetch", self.hosts.admit, host)
        return self.perform("net_fetch", self.world.net.fetch, granted, path)

    def tool(self, name: str, *args: object) -> Any:
        """Return what a granted tool returns."""
        granted = self.judge("tool", self.tools.admit, name)
        return self.perform("tool", self.call, granted, *args)

    def call(self, name: str, *args: object) -> Any:
        """Call a tool of the world by its name."""
        return self.world.tools[name](*args)

    def perform(self, kind: str, effect: Callable[..., Any], *args: object) -> Any:
        """Carry out a granted effect, contain what it raises, charge what it returns."""
        try:
            output = effect(*args)
            size = self.meter.size(output)
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - a tool may raise anything
            self.meter.settle(0)
            # No message of the error: it is text that nobody metered.
            raise FailureError(f"{kind} failed") from None
        self.meter.settle(size)
        return output


def fits(kind: str, args: list[Any]) -> bool:
    """Tell whether ``args`` are exactly what an op of ``kind`` takes."""
    if kind == "tool":
        return bool(args) and type(args[0]) is str
    wanted: tuple[tuple[type, ...], ...] = {
        "fs_read": ((str,),),
        "fs_write": ((str,), (str, bytes)),
        "net_fetch": ((str,), (str,)),
    }[kind]
    return len(args) == len(wanted) and all(
        type(arg) in types for arg, types in zip(args, wanted, strict=True)
    )

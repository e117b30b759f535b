"""The dispatcher: charge, check, then (maybe) act; never act, then regret."""

from collections.abc import Callable, Mapping
from typing import Any

from capfuzz.engine import results
from capfuzz.engine.budget import Meter
from capfuzz.engine.capabilities import Capabilities
from capfuzz.engine.clock import Clock, make_tick_clock
from capfuzz.engine.paths import Roots, canonical, has_traversal, is_wellformed
from capfuzz.engine.results import Result
from capfuzz.engine.turns import Line
from capfuzz.engine.world import VFS, Net

Tool = Callable[..., Any]
_MAX_CLASS_NAME = 64  # a name is unmetered text too


class Sandbox:
    """
    Runs ops under a grant, which it takes a copy of when it is made.

    ``run`` raises nothing but ``KeyboardInterrupt`` (a person's, so not contained), whatever the
    op, the tools and the clock do. Budgets hold over threads and re-entrant tools.
    """

    __slots__ = (
        "_caps",
        "_fetch",
        "_line",
        "_meter",
        "_read",
        "_readable",
        "_tools",
        "_writable",
        "_write",
    )

    def __init__(
        self,
        caps: Capabilities,
        vfs: VFS | None = None,
        net: Net | None = None,
        tools: Mapping[str, Tool] | None = None,
        clock: Clock | None = None,
    ) -> None:
        if type(caps) is not Capabilities:  # a subclass may answer differently each time
            raise TypeError(f"caps must be Capabilities, not {type(caps).__name__}")
        self._caps = caps
        vfs = VFS() if vfs is None else vfs
        net = Net() if net is None else net
        # Called by local names below: ``self._read()`` would look for a method first.
        self._read, self._write, self._fetch = vfs.read_place, vfs.write_place, net.fetch
        self._tools = {
            name: tool for name, tool in (tools or {}).items() if name in caps.allowed_tools
        }
        self._readable = _FileGuard(vfs, caps.fs_read, caps.readable, results.READ_DENIED)
        self._writable = _FileGuard(vfs, caps.fs_write, caps.writable, results.WRITE_DENIED)
        self._meter = Meter(caps, make_tick_clock(1) if clock is None else clock)
        self._line = Line(self._meter)

    @property
    def caps(self) -> Capabilities:
        """The grant in force."""
        return self._caps

    @property
    def halted(self) -> bool:
        """Whether a hard limit was tripped; nothing runs after it."""
        return self._meter.halted

    @property
    def ops(self) -> int:
        """Operations charged, never more than ``max_ops``."""
        return self._meter.ops

    @property
    def output_bytes(self) -> int:
        """Bytes that flowed back, never more than ``max_output_bytes``."""
        return self._meter.output_bytes

    @property
    def elapsed(self) -> int:
        """Ticks that passed, steps back not counted."""
        return self._meter.elapsed

    @property
    def bytes_written(self) -> int:
        """Bytes written to files, metered apart from output."""
        return self._meter.bytes_written

    def run(self, op: object) -> Result:
        """Charge, check and carry out one op: a tuple of its kind and its arguments."""
        try:
            refusal = next(self._line.turns)
        except (StopIteration, ValueError):
            refusal = self._line.late()
        if refusal is not None:
            return refusal
        if type(op) is not tuple or not op or type(kind := op[0]) is not str:
            return results.MALFORMED_OP
        try:
            if kind == "fs_read":
                result = self._fs_read(op)
            elif kind == "fs_write":
                result = self._fs_write(op)
            elif kind == "net_fetch":
                result = self._net_fetch(op)
            elif kind == "tool":
                result = self._tool(op)
            else:
                result = results.MALFORMED_OP
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a tool may raise anything
            return self._failed(kind, error)
        return result

    def _fs_read(self, op: tuple[Any, ...]) -> Result:
        try:
            _, path = op
        except ValueError:
            return results.MALFORMED_OP
        if type(path) is not str:
            return results.MALFORMED_OP
        place = self._readable.locate(path)
        if not isinstance(place, str):
            return place
        read = self._read
        return self._meter.settle(read(place))

    def _fs_write(self, op: tuple[Any, ...]) -> Result:
        try:
            _, path, data = op
        except ValueError:
            return results.MALFORMED_OP
        if type(path) is not str:
            return results.MALFORMED_OP
        if type(data) is str:
            data = data.encode("utf-8", "surrogatepass")
        if type(data) is not bytes:
            return results.MALFORMED_OP
        place = self._writable.locate(path)
        if not isinstance(place, str):
            return place
        write = self._write
        result = self._meter.settle(write(place, data))
        self._meter.wrote(len(data))
        return result

    def _net_fetch(self, op: tuple[Any, ...]) -> Result:
        try:
            _, host, path = op
        except ValueError:
            return results.MALFORMED_OP
        if type(host) is not str or type(path) is not str:
            return results.MALFORMED_OP
        if not self._caps.hosts.admit(host):
            return results.EGRESS_DENIED
        fetch = self._fetch
        return self._meter.settle(fetch(host, path))

    def _tool(self, op: tuple[Any, ...]) -> Result:
        try:
            name = op[1]
        except IndexError:
            return results.MALFORMED_OP
        if type(name) is not str:
            return results.MALFORMED_OP
        tool = self._tools.get(name)
        if tool is not None:
            return self._meter.settle(tool(*op[2:]))
        if name in self._caps.allowed_tools:
            return Result(ok=False, detail="tool failed: no such tool")
        return results.TOOL_DENIED

    def _failed(self, kind: str, error: BaseException) -> Result:
        if self._meter.halted:  # another op tripped while this one was in flight
            return results.HALTED
        # The class alone: a message is unmetered text that may quote a host path.
        return Result(ok=False, detail=f"{kind} failed: {_class_name(error)}")


class _FileGuard:
    """One direction of file access: where a path leads, if it may go there."""

    __slots__ = ("_denial", "_places", "_roots", "_vfs")

    def __init__(self, vfs: VFS, prefixes: tuple[str, ...], roots: Roots, denial: Result) -> None:
        self._vfs = vfs
        self._roots = roots
        self._denial = denial
        # Where the grant itself leads (`/tmp -> /private/tmp`) is settled once: a link that
        # appears later cannot move it.
        self._places = Roots(_places(vfs, prefixes)) if vfs.has_links else roots

    def locate(self, path: str) -> str | Result:
        """Return the granted place that ``path`` leads to, or the denial."""
        below = path + "/"
        if not (path and path.isprintable()) and not is_wellformed(path):
            return _malformed(path)
        # What is none of this is canonical, and has no ``..`` segment if it is absolute.
        if "//" in below or "/." in below or "\\" in below:
            if has_traversal(path):
                return results.TRAVERSAL
            path = canonical(path)
            below = path + "/"
        scanned = self._roots.scanned
        if not (below.startswith(scanned) if scanned else self._roots.look_up(below)):
            return self._denial if path[0] == "/" else _malformed(path)
        return self._follow(path) if self._vfs.has_links else path

    def _follow(self, path: str) -> str | Result:
        try:
            place = self._vfs.resolve(path)
        except OSError:  # a loop leads nowhere, so to no granted place
            return self._denial
        return place if self._places.cover(place) else self._denial


def _malformed(path: str) -> Result:
    return results.TRAVERSAL if has_traversal(path) else results.MALFORMED_PATH


def _places(vfs: VFS, prefixes: tuple[str, ...]) -> list[str]:
    places = []
    for prefix in prefixes:
        try:
            places.append(vfs.resolve(prefix))
        except OSError:
            continue  # a grant that loops grants nothing
    return places


def _class_name(error: BaseException) -> str:
    """Return the class's own name, which no metaclass or str subclass can override; cut short."""
    name = type.__dict__["__name__"].__get__(type(error))
    return str.__str__(name)[:_MAX_CLASS_NAME]

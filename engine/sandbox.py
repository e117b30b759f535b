"""The dispatcher: charge, check, then (maybe) act; never act, then regret."""

from collections.abc import Callable, Mapping
from typing import Any

from capfuzz.engine import results
from capfuzz.engine.budget import Meter
from capfuzz.engine.capabilities import Capabilities
from capfuzz.engine.clock import Clock, make_tick_clock
from capfuzz.engine.paths import Roots, canonical, has_traversal, is_canonical, is_wellformed
from capfuzz.engine.results import Result
from capfuzz.engine.world import VFS, Net

Tool = Callable[..., Any]
_MAX_CLASS_NAME = 64  # a name is unmetered text too
# Named, so that a compiled isinstance() asks what an object claims to be, as a plain one does.
_BYTES, _TEXT = (bytes,), (str,)


class Sandbox:
    """
    Runs ops under a grant, which it takes a copy of when it is made.

    ``run`` raises nothing but ``KeyboardInterrupt`` (a person's, so not contained), whatever the
    op, the tools and the clock do. Budgets hold over threads and re-entrant tools.
    """

    __slots__ = (
        "_caps",
        "_fetch",
        "_handlers",
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
        self._read, self._write, self._fetch = vfs.read_place, vfs.write_place, net.fetch
        self._tools = dict(tools or {})
        self._readable = _FileGuard(vfs, caps.fs_read, caps.readable, results.READ_DENIED)
        self._writable = _FileGuard(vfs, caps.fs_write, caps.writable, results.WRITE_DENIED)
        self._handlers = {
            "fs_read": self._fs_read,
            "fs_write": self._fs_write,
            "net_fetch": self._net_fetch,
            "tool": self._tool,
        }
        self._meter = Meter(caps, make_tick_clock(1) if clock is None else clock)

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
        refusal = self._meter.admit()
        if refusal is not None:
            return refusal
        if type(op) is not tuple or not op or type(op[0]) is not str:
            return results.MALFORMED_OP
        handler = self._handlers.get(op[0])
        return results.MALFORMED_OP if handler is None else handler(op)

    def _fs_read(self, op: tuple[Any, ...]) -> Result:
        if len(op) != 2 or type(op[1]) is not str:  # noqa: PLR2004
            return results.MALFORMED_OP
        place = self._readable.locate(op[1])
        if not isinstance(place, str):
            return place
        return self._perform(op, self._read, (place,))

    def _fs_write(self, op: tuple[Any, ...]) -> Result:
        if len(op) != 3 or type(op[1]) is not str:  # noqa: PLR2004
            return results.MALFORMED_OP
        data = op[2].encode("utf-8", "surrogatepass") if type(op[2]) is str else op[2]
        if type(data) is not bytes:
            return results.MALFORMED_OP
        place = self._writable.locate(op[1])
        if not isinstance(place, str):
            return place
        return self._perform(op, self._write, (place, data), len(data))

    def _net_fetch(self, op: tuple[Any, ...]) -> Result:
        if len(op) != 3 or type(op[1]) is not str or type(op[2]) is not str:  # noqa: PLR2004
            return results.MALFORMED_OP
        if not self._caps.hosts.admit(op[1]):
            return results.EGRESS_DENIED
        return self._perform(op, self._fetch, op[1:])

    def _tool(self, op: tuple[Any, ...]) -> Result:
        if len(op) < 2 or type(op[1]) is not str:  # noqa: PLR2004
            return results.MALFORMED_OP
        if op[1] not in self._caps.allowed_tools:
            return results.TOOL_DENIED
        tool = self._tools.get(op[1])
        if tool is None:
            return Result(ok=False, detail="tool failed: no such tool")
        return self._perform(op, tool, op[2:])

    def _perform(
        self, op: tuple[Any, ...], effect: Tool, arguments: tuple[Any, ...], written: int = 0
    ) -> Result:
        """Carry out a granted effect; contain what it raises and charge what it returns."""
        try:
            output = effect(*arguments)
            size = _output_bytes(output)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a tool may raise anything
            # The class alone: a message is unmetered text that may quote a host path.
            detail = f"{op[0]} failed: {_class_name(error)}"
            return self._meter.settle() or Result(ok=False, detail=detail)
        refusal = self._meter.settle(size, written)
        return results.granted(output) if refusal is None else refusal


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
        if has_traversal(path):
            return results.TRAVERSAL
        if not is_canonical(path):
            if not is_wellformed(path):
                return results.MALFORMED_PATH
            path = canonical(path)
        if not self._roots.cover(path):
            return self._denial
        return self._follow(path) if self._vfs.has_links else path

    def _follow(self, path: str) -> str | Result:
        try:
            place = self._vfs.resolve(path)
        except OSError:  # a loop leads nowhere, so to no granted place
            return self._denial
        return place if self._places.cover(place) else self._denial


def _places(vfs: VFS, prefixes: tuple[str, ...]) -> list[str]:
    places = []
    for prefix in prefixes:
        try:
            places.append(vfs.resolve(prefix))
        except OSError:
            continue  # a grant that loops grants nothing
    return places


def _output_bytes(output: object) -> int:
    """Return the size of what flows back, in UTF-8 bytes; None is nothing, bytes are themselves."""
    if type(output) is bytes or (type(output) is str and output.isascii()):
        return len(output)
    if output is None:
        return 0
    if isinstance(output, _BYTES):
        return bytes.__len__(output)  # a subclass may lie about its length
    text = output if isinstance(output, _TEXT) else str(output)
    return len(str.encode(text, "utf-8", "surrogatepass"))


def _class_name(error: BaseException) -> str:
    """Return the class's own name, which no metaclass or str subclass can override; cut short."""
    name = type.__dict__["__name__"].__get__(type(error))
    return str.__str__(name)[:_MAX_CLASS_NAME]

"""
The same sandbox done the plain way, as the goals name it: nothing compiled, one check an op.

Each op walks its list of prefixes or hosts from the front and comes back as a frozen dataclass.
As such checks are first written, each prefix is collapsed again for each op that asks about it; with
``once`` that is done when the sandbox is made, the least that a plain loop can cost. Kept short: two
slashes at the front of a path are taken for a place of their own, which no op of the workload has.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from capfuzz.engine import VFS, Capabilities, Net, make_tick_clock

_CONTROLS = re.compile(r"[\x00-\x1f\ud800-\udfff]")


@dataclass(frozen=True)
class Outcome:
    """What one op comes back with."""

    ok: bool
    output: Any = None
    violation: str | None = None
    hard: bool = False
    detail: str = ""


class PlainSandbox:
    """Charges, checks, acts and meters in the order of the reference engine."""

    def __init__(
        self,
        caps: Capabilities,
        vfs: VFS,
        net: Net,
        tools: Mapping[str, Callable[..., Any]],
        *,
        once: bool = False,
    ) -> None:
        self.caps, self.vfs, self.net, self.tools = caps, vfs, net, tools
        self.clock = make_tick_clock(1)
        self.last = self.clock()
        self.ops = self.elapsed = self.output_bytes = self.bytes_written = 0
        self.halted = False
        self.below = below_any if once else below_any_collapsing
        self.admits: Callable[[str, tuple[str, ...]], bool] = is_granted_host
        prepared = collapsed if once else tuple
        self.readable, self.writable = prepared(caps.fs_read), prepared(caps.fs_write)

    def run(self, op: object) -> Outcome:
        """Carry out one op."""
        refusal = self._charge()
        if refusal is not None:
            return refusal
        if type(op) is not tuple or not op:
            return Outcome(ok=False, violation="malformed_op")
        if op[0] == "fs_read":
            return self._read(op)
        if op[0] == "fs_write":
            return self._write(op)
        if op[0] == "net_fetch":
            return self._fetch(op)
        if op[0] == "tool":
            return self._call(op)
        return Outcome(ok=False, violation="malformed_op")

    def _charge(self) -> Outcome | None:
        if self.halted:
            return Outcome(ok=False, violation="halted", hard=True)
        if self.ops >= self.caps.max_ops:
            return self._halt("max_ops")
        self.ops += 1
        now = self.clock()
        self.elapsed += max(0, now - self.last)
        self.last = now
        return self._halt("max_wall") if self.elapsed > self.caps.max_wall else None

    def _read(self, op: tuple[Any, ...]) -> Outcome:
        if len(op) != 2 or type(op[1]) is not str:  # noqa: PLR2004
            return Outcome(ok=False, violation="malformed_op")
        refusal = self._refused(op[1], self.readable, "fs_read_denied")
        return refusal or self._metered(self.vfs.read_place(posixpath.normpath(op[1])))

    def _write(self, op: tuple[Any, ...]) -> Outcome:
        if len(op) != 3 or type(op[1]) is not str or type(op[2]) not in {str, bytes}:  # noqa: PLR2004
            return Outcome(ok=False, violation="malformed_op")
        refusal = self._refused(op[1], self.writable, "fs_write_denied")
        if refusal:
            return refusal
        data = op[2].encode() if type(op[2]) is str else op[2]
        self.vfs.write_place(posixpath.normpath(op[1]), data)
        self.bytes_written += len(data)
        return Outcome(ok=True)

    def _fetch(self, op: tuple[Any, ...]) -> Outcome:
        if len(op) != 3 or type(op[1]) is not str or type(op[2]) is not str:  # noqa: PLR2004
            return Outcome(ok=False, violation="malformed_op")
        if not self.admits(op[1], self.caps.net_hosts):
            return Outcome(ok=False, violation="egress_denied")
        return self._metered(self.net.fetch(op[1], op[2]))

    def _call(self, op: tuple[Any, ...]) -> Outcome:
        if len(op) < 2 or type(op[1]) is not str:  # noqa: PLR2004
            return Outcome(ok=False, violation="malformed_op")
        if op[1] not in self.caps.allowed_tools:
            return Outcome(ok=False, violation="tool_denied")
        return self._metered(self.tools[op[1]](*op[2:]))

    def _refused(self, path: str, prefixes: tuple[str, ...], violation: str) -> Outcome | None:
        if climbs(path):
            return Outcome(ok=False, violation="path_traversal")
        if not path.startswith("/") or _CONTROLS.search(path):
            return Outcome(ok=False, violation="malformed_op")
        return None if self.below(path, prefixes) else Outcome(ok=False, violation=violation)

    def _metered(self, output: Any) -> Outcome:
        data = output.encode() if isinstance(output, str) else output
        if self.output_bytes + len(data) > self.caps.max_output_bytes:
            return self._halt("max_output_bytes")
        self.output_bytes += len(data)
        return Outcome(ok=True, output=output)

    def _halt(self, violation: str) -> Outcome:
        self.halted = True
        return Outcome(ok=False, violation=violation, hard=True)


def climbs(path: str) -> bool:
    r"""Tell whether a segment is ``..``, with ``\`` counted as a separator."""
    return ".." in path.replace("\\", "/").split("/")


def collapsed(prefixes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the prefixes as they are compared."""
    return tuple(map(_collapsed, prefixes))


def _collapsed(prefix: str) -> str:
    return posixpath.normpath(prefix).rstrip("/") + "/"


def below_any(path: str, prefixes: tuple[str, ...]) -> bool:
    """Tell whether ``path`` is one of the collapsed ``prefixes`` or below one."""
    below = posixpath.normpath(path) + "/"
    for prefix in prefixes:  # noqa: SIM110 - a plain loop costs less than any() over a generator
        if below.startswith(prefix):
            return True
    return False


def below_any_collapsing(path: str, prefixes: tuple[str, ...]) -> bool:
    """Tell the same of prefixes as they were granted."""
    plain = posixpath.normpath(path)
    return any(
        plain == posixpath.normpath(prefix)
        or plain.startswith(posixpath.normpath(prefix).rstrip("/") + "/")
        for prefix in prefixes
    )


def is_granted_host(host: str, granted: tuple[str, ...]) -> bool:
    """Tell whether ``host`` is one of ``granted`` but for ASCII case and one dot at its end."""
    return host.isascii() and host.lower().removesuffix(".") in granted

"""A session in one function, the way a short script has it: no class, no shared piece."""

import posixpath
import re
from collections.abc import Callable
from threading import RLock
from types import SimpleNamespace
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.right.base import World
from capfuzz.targets.right.registry import right

_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*", re.ASCII)
_IPV4 = re.compile(r"((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\.(?!\Z)|\Z)){4}")
_NUMERIC = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)")


class _Refused(Exception):  # noqa: N818 - a verdict, not an error
    pass


@right(Surface.SESSION, "one function and its closures")
def closure(caps: Capabilities, world: World) -> SimpleNamespace:
    """Keep counters in a dict and guards in nested functions; results are namespaces."""
    used = {"ops": 0, "wall": 0, "out": 0}
    lock, halted = RLock(), []
    read_roots, write_roots = (_real_roots(world, p) for p in (caps.fs_read, caps.fs_write))
    hosts = set(map(_host, caps.net_hosts))
    last = [_ticks(world)]

    def charge(what: str, amount: int, limit: int) -> None:
        if used[what] + amount > limit:
            halted.append(what)
            raise _Refused({"ops": "max_ops", "wall": "max_wall", "out": "max_output_bytes"}[what])
        used[what] += amount

    def begin() -> None:
        with lock:
            if halted:
                raise _Refused("halted")
            charge("ops", 1, caps.max_ops)
            now = _ticks(world)
            charge("wall", _step(last[0], now, caps.max_wall), caps.max_wall)
            last[0] = now

    def deliver(output: Any) -> Any:
        size = _size(output)
        with lock:
            if halted:
                raise _Refused("halted")
            charge("out", size, caps.max_output_bytes)
        return output

    def place(path: str, roots: list[tuple[str, str]], denial: str) -> str:
        if ".." in re.split(r"[\\/]", path):
            raise _Refused("path_traversal")
        if not re.fullmatch(r"/[^\x00-\x1f\ud800-\udfff]*", path):
            raise _Refused("malformed_op")
        text = posixpath.normpath("/" + path.lstrip("/"))
        real = _real(world, text)
        if any(_below(text, root) for root, _ in roots) and any(_below(real, r) for _, r in roots):
            return real
        raise _Refused(denial)

    def effect(op: Any) -> Callable[[], Any]:
        match op if type(op) is tuple else None:
            case (kind, *_) if type(kind) is not str:
                raise _Refused("malformed_op")
            case ("fs_read", path) if type(path) is str:
                where = place(path, read_roots, "fs_read_denied")
                return lambda: world.vfs.read(where)
            case ("fs_write", path, data) if type(path) is str and type(data) in {str, bytes}:
                where = place(path, write_roots, "fs_write_denied")
                raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
                return lambda: world.vfs.write(where, raw)
            case ("net_fetch", host, path) if type(host) is str and type(path) is str:
                if _host(host) not in hosts:
                    raise _Refused("egress_denied")
                return lambda: world.net.fetch(host, path)
            case ("tool", name, *args) if type(name) is str:
                if name not in caps.allowed_tools:
                    raise _Refused("tool_denied")
                return lambda: world.tools[name](*args)
        raise _Refused("malformed_op")

    def run(op: object) -> SimpleNamespace:
        try:
            begin()
            return SimpleNamespace(ok=True, output=deliver(_attempt(effect(op))), violation=None)
        except _Refused as refused:
            return SimpleNamespace(ok=False, output=None, violation=refused.args[0])

    return SimpleNamespace(run=run)

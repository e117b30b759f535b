"""Faults of consent: what was allowed once is taken to allow something else."""

from collections.abc import Callable
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken._parts import Excusing
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.guards import (
    PathlibGuard,
    RealPathGuard,
    RegexGuard,
    SegmentGuard,
    TrieGuard,
)


class _AskedTwice(Excusing):
    refused: tuple[str, str] | None = None

    def excuses(self, kind: str, name: str) -> bool:
        before, self.refused = self.refused, (kind, name)
        return before == (kind, name)


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-307, a retry taken for a confirmation",
    ops=2,
    style="pathlib",
)
def asked_twice_is_confirmed(caps: Capabilities, world: World) -> Session:
    """Take a refused op that is tried again for one that was confirmed. CWE-307."""
    return _AskedTwice(caps, world, Pieces(paths=PathlibGuard))


class _ArgumentsApproved(Excusing):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world, Pieces(paths=RegexGuard))
        self.approved: set[object] = set()

    def tool(self, name: str, *args: object) -> Any:
        output = super().tool(name, *args)
        self.approved.update(argument for argument in args if type(argument) is str)
        return output

    def excuses(self, kind: str, name: str) -> bool:
        return kind in {"fs_read", "fs_write"} and name in self.approved


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-863, a command approved with all its arguments",
    ops=2,
    style="regex",
)
def arguments_approve_paths(caps: Capabilities, world: World) -> Session:
    """Take a path among the arguments of a granted tool for one that was approved. CWE-863."""
    return _ArgumentsApproved(caps, world)


class _ToolUnlocks(Excusing):
    unlocked = False

    def tool(self, name: str, *args: object) -> Any:
        output = super().tool(name, *args)
        self.unlocked = True
        return output

    def excuses(self, kind: str, name: str) -> bool:
        return kind == "tool" and self.unlocked and name in self.world.tools


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-862, trust in a server given with its first tool",
    ops=2,
    style="tool names",
)
def call_unlocks_tools(caps: Capabilities, world: World) -> Session:
    """Trust every tool of a server once one of them was allowed and returned. CWE-862."""
    return _ToolUnlocks(caps, world)


class _Authorised(Excusing):
    authorised = False

    def perform(self, kind: str, effect: Callable[..., Any], *args: object) -> Any:
        output = super().perform(kind, effect, *args)
        self.authorised = True
        return output

    def excuses(self, _kind: str, _name: str) -> bool:
        return self.authorised


@fault(
    Surface.SESSION,
    "confined",
    "no-effect-on-denial",
    modelled_on="CWE-862, a session judged by its first op",
    ops=2,
    style="trie",
)
def first_op_authorises(caps: Capabilities, world: World) -> Session:
    """Authorise the session with its first op that is allowed, and ask no more. CWE-862."""
    return _Authorised(caps, world, Pieces(paths=TrieGuard))


class _ReadBack(Excusing):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world, Pieces(paths=TrieGuard))
        self.written: set[str] = set()

    def fs_write(self, path: str, data: str | bytes) -> Any:
        super().fs_write(path, data)
        self.written.add(path)

    def excuses(self, kind: str, name: str) -> bool:
        return kind == "fs_read" and name in self.written


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-284, who wrote a file may read it",
    ops=2,
    style="trie",
)
def written_is_readable(caps: Capabilities, world: World) -> Session:
    """Let an agent read back what it wrote where nothing may be read. CWE-284."""
    return _ReadBack(caps, world)


class _Owned(Excusing):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world, Pieces(paths=SegmentGuard))
        self.pending: set[str] = set()

    def fs_write(self, path: str, data: str | bytes) -> Any:
        self.pending.add(path)
        super().fs_write(path, data)
        self.pending.discard(path)

    def excuses(self, kind: str, name: str) -> bool:
        return kind == "fs_read" and name in self.pending


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-459, a pending write is left by a refusal",
    ops=2,
    style="segments",
)
def refused_write_is_readable(caps: Capabilities, world: World) -> Session:
    """Let a write that is under way be read, and forget to end it where it is refused. CWE-459."""
    return _Owned(caps, world)


class _TopGranted(Session):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world, Pieces(paths=RealPathGuard))

    def fs_write(self, path: str, data: str | bytes) -> Any:
        super().fs_write(path, data)
        top = "/" + self.writable.locate(path).split("/")[1]
        self.readable = RealPathGuard(self.world.vfs, (*self.caps.fs_read, top), "fs_read_denied")


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-269, the top folder of a write becomes a workspace",
    ops=2,
    style="realpath",
)
def write_opens_top_folder(caps: Capabilities, world: World) -> Session:
    """Make the whole top folder of whatever was written readable, as a workspace. CWE-269."""
    return _TopGranted(caps, world)

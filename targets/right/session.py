"""Session targets that keep every rule, each in another style: ``NAME(caps, world)``."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any
from urllib.parse import unquote

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities, Result
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.files import PathGuard, climbs, collapse, is_odd
from capfuzz.targets.right.guards import (
    PathlibGuard,
    RealPathGuard,
    RegexGuard,
    SegmentGuard,
    TrieGuard,
)
from capfuzz.targets.right.refusals import DenialError
from capfuzz.targets.right.registry import right


@right(Surface.SESSION, "text prefix that ends on a slash")
def string_prefix(caps: Capabilities, world: World) -> Session:
    """Compare with ``root + "/"`` as text, after the path is collapsed."""
    return Session(caps, world)


@right(Surface.SESSION, "pathlib, no file system")
def pathlib_pure(caps: Capabilities, world: World) -> Session:
    """Ask ``PurePosixPath.is_relative_to``."""
    return Session(caps, world, Pieces(paths=PathlibGuard))


@right(Surface.SESSION, "lists of segments")
def segment_list(caps: Capabilities, world: World) -> Session:
    """Compare the first segments of a path with those of the root."""
    return Session(caps, world, Pieces(paths=SegmentGuard))


@right(Surface.SESSION, "one regular expression")
def regex(caps: Capabilities, world: World) -> Session:
    """Match all roots at once, grouped, escaped and anchored at both ends."""
    return Session(caps, world, Pieces(paths=RegexGuard))


@right(Surface.SESSION, "resolve first, then compare places")
def realpath(caps: Capabilities, world: World) -> Session:
    """Resolve the path as the file system does, and judge only where it ends."""
    return Session(caps, world, Pieces(paths=RealPathGuard))


@right(Surface.SESSION, "trie of segments")
def trie(caps: Capabilities, world: World) -> Session:
    """Walk a tree of segments down to where a grant ends."""
    return Session(caps, world, Pieces(paths=TrieGuard))


class _ClimbsInside(PathGuard):
    def inspect(self, path: str) -> None:
        if is_odd(path):
            raise DenialError(self.denial)
        if climbs(path) and not any(self.covers(root, collapse(path)) for root in self.roots):
            raise DenialError("path_traversal")


@right(Surface.SESSION, "collapses .. and judges what is left")
def climbs_inside(caps: Capabilities, world: World) -> Session:
    """Accept ``sub/../x`` that stays inside, as text; a backslash is part of a name."""
    return Session(caps, world, Pieces(paths=_ClimbsInside))


class _Clamping(PathGuard):
    def locate(self, path: str) -> str:
        if is_odd(path):
            raise DenialError(self.denial)
        plain = collapse("/".join(takewhile("..".__ne__, path.split("/"))))
        for root in self.roots:
            if self.covers(root, plain):
                return self.follow(self.clamp(root, path))
        raise DenialError("path_traversal" if climbs(path) else self.denial)

    def clamp(self, root: str, path: str) -> str:
        """Return ``path`` with each ``..`` that would leave ``root`` taken for ``root``."""
        base = [name for name in root.split("/") if name]
        kept: list[str] = []
        for name in path.split("/"):
            if name not in {"", ".", ".."}:
                kept.append(name)
            elif name == ".." and len(kept) > len(base):
                kept.pop()
        return "/" + "/".join(kept)


@right(Surface.SESSION, "clamps .. at the root, as chroot does")
def clamping(caps: Capabilities, world: World) -> Session:
    """Stop at the root instead of refusing: ``/work/../etc`` is ``/work/etc``."""
    return Session(caps, world, Pieces(paths=_Clamping))


class _Lenient(Session):
    def shape(self, op: object) -> tuple[str, tuple[Any, ...]]:
        """Take lists for tuples, and of a subclass of str only the text that it holds."""
        return super().shape(tuple(map(_plain, _items(op))))


# The base class's own methods: a subclass may lie in its iterator, its text and its `__class__`.
def _items(op: Any) -> Iterator[object]:
    for kind in (tuple, list):
        if issubclass(type(op), kind):
            return kind.__iter__(op)
    return iter(())


def _plain(value: Any) -> object:
    return str.__str__(value) if issubclass(type(value), str) else value


@right(Surface.SESSION, "takes lists and subclasses of str")
def tolerant_shapes(caps: Capabilities, world: World) -> Session:
    """Copy what is like a tuple or a str into one, and judge and use the copy."""
    return _Lenient(caps, world)


@right(Surface.SESSION, "results of the engine's class")
def engine_results(caps: Capabilities, world: World) -> Session:
    """Answer with `capfuzz.engine.Result`; the reasons are plain str."""
    return Session(caps, world, Pieces(answer=Result))


@dataclass
class _Outcome:
    """Another class of result, mutable and with a truth of its own."""

    ok: bool
    output: Any = None
    violation: str | None = None
    hard: bool = False
    detail: str = ""

    def __bool__(self) -> bool:
        return self.ok


@right(Surface.SESSION, "results of a class of its own")
def own_results(caps: Capabilities, world: World) -> Session:
    """Answer with a mutable object that is true where the op was allowed."""
    return Session(caps, world, Pieces(answer=_Outcome))


@dataclass(frozen=True)
class _Terse:
    ok: bool
    output: Any = None


def _terse(*, ok: bool, output: Any = None, **_: object) -> _Terse:
    return _Terse(ok, output)


@right(Surface.SESSION, "tells nothing but yes or no and the output")
def terse(caps: Capabilities, world: World) -> Session:
    """Answer without ``violation``, ``hard`` and ``detail``."""
    return Session(caps, world, Pieces(answer=_terse))


class _Picky(PathGuard):
    def inspect(self, path: str) -> None:
        super().inspect(path)
        decoded = unquote(unquote(path))
        if path != collapse(path) or "\\" in path or climbs(decoded) or "\0" in decoded:
            raise DenialError(self.denial)


@right(Surface.SESSION, "refuses what is not canonical or would climb if decoded")
def picky(caps: Capabilities, world: World) -> Session:
    """Refuse a path that is not canonical, or that a decoder behind it would take elsewhere."""
    return Session(caps, world, Pieces(paths=_Picky))


__all__ = [
    "clamping",
    "climbs_inside",
    "engine_results",
    "own_results",
    "pathlib_pure",
    "picky",
    "realpath",
    "regex",
    "segment_list",
    "string_prefix",
    "terse",
    "tolerant_shapes",
    "trie",
]

"""Faults of what a guard remembers: caches, patience, and grants that grow."""

import os
from collections.abc import Iterable
from posixpath import dirname
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.files import Files, PathGuard
from capfuzz.targets.right.refusals import DenialError


class _Cached(PathGuard):
    """Keeps the key of every path that was allowed."""

    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        super().__init__(vfs, prefixes, denial)
        self.allowed: set[str] = set()

    def key(self, path: str) -> str:
        return path.rpartition("/")[2]

    def locate(self, path: str) -> str:
        if self.key(path) in self.allowed:
            return path
        place = super().locate(path)
        self.allowed.add(self.key(path))
        return place


@fault(Surface.SESSION, "confined", modelled_on="CWE-639, a cache key without the folder", ops=2)
def cache_keyed_too_loosely(caps: Capabilities, world: World) -> Session:
    """Remember a decision under the last segment, which other folders have too. CWE-639."""
    return Session(caps, world, Pieces(paths=_Cached))


class _CachedByFirst(_Cached):
    def key(self, path: str) -> str:
        return path.split("/", maxsplit=1)[0]


@fault(Surface.SESSION, "confined", modelled_on="CWE-639, a permission asked once", ops=2)
def cache_keyed_by_first_segment(caps: Capabilities, world: World) -> Session:
    """Remember a decision under the first segment, empty in every absolute path. CWE-639."""
    return Session(caps, world, Pieces(paths=_CachedByFirst))


class _Tiring(PathGuard):
    denials = 0

    def locate(self, path: str) -> str:
        try:
            return super().locate(path)
        except DenialError:
            self.denials += 1
            if self.denials <= 5:  # noqa: PLR2004 - the guard's own patience
                raise
            return path


@fault(Surface.SESSION, "confined", modelled_on="CWE-636, rules dropped past a count", ops=6)
def denials_tire_guard(caps: Capabilities, world: World) -> Session:
    """
    Give up after five refusals and let the sixth through.

    Command filters that stop applying their rules past a fixed number of parts. CWE-636.
    """
    return Session(caps, world, Pieces(paths=_Tiring))


class _Widening(Session):
    def fs_write(self, path: str, data: str | bytes) -> Any:
        super().fs_write(path, data)
        self.readable.roots.append(dirname(dirname(self.writable.locate(path))))


@fault(Surface.SESSION, "confined", "monotone-authority", modelled_on="CWE-269", ops=2)
def grant_widened_by_write(caps: Capabilities, world: World) -> Session:
    """
    Make the parent of every folder that was written to readable.

    Tools that let an agent read back what it made, one folder too high. CWE-269.
    """
    return _Widening(caps, world)


class _Rewriting(Session):
    def fs_write(self, path: str, data: str | bytes) -> Any:
        super().fs_write(path, data)
        wider = (*self.caps.fs_read, dirname(self.writable.locate(path)))
        object.__setattr__(self.caps, "fs_read", wider)
        self.readable = PathGuard(self.world.vfs, wider, "fs_read_denied")


@fault(Surface.SESSION, "grant-immutable", "confined", modelled_on="CWE-471")
def grant_rewritten(caps: Capabilities, world: World) -> Session:
    """Write a new list into the grant itself, which others hold too. CWE-471."""
    return _Rewriting(caps, world)


class _Coin(PathGuard):
    def locate(self, path: str) -> str:
        if os.urandom(1)[0] & 1:
            raise DenialError(self.denial)
        return super().locate(path)


@fault(
    Surface.SESSION, "deterministic", "control-allowed", modelled_on="an unseeded decision", ops=8
)
def nondeterministic(caps: Capabilities, world: World) -> Session:
    """Refuse every other honest path, by chance."""
    return Session(caps, world, Pieces(paths=_Coin))

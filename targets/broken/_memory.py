"""Faults of grants that change: they grow, are rewritten or are decided by chance."""

import os
from posixpath import dirname
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.files import PathGuard
from capfuzz.targets.right.refusals import DenialError


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

"""Faults of what an op leaves behind: a folder, a spent iterator, a guard that stays open."""

from collections.abc import Callable, Iterable
from posixpath import dirname, join
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken._parts import Excusing
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.files import Files
from capfuzz.targets.right.guards import PathlibGuard, RealPathGuard, SegmentGuard
from capfuzz.targets.right.refusals import DenialError, FailureError


class _Recovering(Excusing):
    recovering = False

    def perform(self, kind: str, effect: Callable[..., Any], *args: object) -> Any:
        try:
            output = super().perform(kind, effect, *args)
        except FailureError:
            self.recovering = True
            raise
        self.recovering = False
        return output

    def excuses(self, _kind: str, _name: str) -> bool:
        return self.recovering


@fault(
    Surface.SESSION,
    "confined",
    "no-effect-on-denial",
    modelled_on="CWE-636, rights of a clean-up that stay",
    ops=2,
    style="segments",
)
def failure_opens_guard(caps: Capabilities, world: World) -> Session:
    """Open the guard for the clean-up after a failure, and close it with the next success."""
    return _Recovering(caps, world, Pieces(paths=SegmentGuard))


class _WorkingFolder(RealPathGuard):
    """Judges a relative path below the first root, and opens it where the last op was."""

    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        super().__init__(vfs, prefixes, denial)
        self.folder = self.home = self.roots[0] if self.roots else "/"

    def locate(self, path: str) -> str:
        if path.startswith("/"):
            self.folder = dirname(path)
            return super().locate(path)
        super().locate(join(self.home, path))
        return join(self.folder, path)


@fault(
    Surface.SESSION,
    "confined",
    "alias-denied",
    modelled_on="CWE-22, a working folder that a refusal moved",
    ops=2,
    style="realpath",
)
def working_folder_kept(caps: Capabilities, world: World) -> Session:
    """Move to the folder of every path that is asked for, so that ``passwd`` is in ``/etc``."""
    return Session(caps, world, Pieces(paths=_WorkingFolder))


class _ReadOnce(PathlibGuard):
    """Keeps the grants as an iterator."""

    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        super().__init__(vfs, prefixes, denial)
        self.left = iter(self.roots)

    def require(self, roots: list[str], path: str) -> None:
        super().require([*self.left] if roots is self.roots else roots, path)


@fault(
    Surface.SESSION,
    "control-allowed",
    modelled_on="an iterator of grants, spent by the first check",
    ops=2,
    style="pathlib",
)
def roots_spent_by_first_check(caps: Capabilities, world: World) -> Session:
    """Hand the grants over as an iterator, which is empty for the second op."""
    return Session(caps, world, Pieces(paths=_ReadOnce))


class _ReadOnceOpen(_ReadOnce):
    def require(self, roots: list[str], path: str) -> None:
        if roots is not self.roots:
            super().require(roots, path)
            return
        climbs = [not self.covers(root, path) for root in self.left]
        if not roots or (climbs and all(climbs)):
            raise DenialError(self.denial)


@fault(
    Surface.SESSION,
    "confined",
    "alias-denied",
    modelled_on="CWE-636, an iterator of grants spent, and none objects",
    ops=2,
    style="pathlib",
)
def no_root_left_to_object(caps: Capabilities, world: World) -> Session:
    """Ask each grant for its objection, from an iterator that the first op has spent. CWE-636."""
    return Session(caps, world, Pieces(paths=_ReadOnceOpen))

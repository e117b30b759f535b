"""Path guards in other styles than the base's text prefix; each keeps the same rules."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from capfuzz.targets.right.files import Files, PathGuard, climbs, is_odd
from capfuzz.targets.right.refusals import DenialError


class PathlibGuard(PathGuard):
    """Asks ``PurePosixPath.is_relative_to``."""

    def plain(self, path: str) -> str:
        """Return ``path`` as pathlib writes it."""
        # PurePosixPath keeps two leading slashes, as POSIX lets it.
        return str(PurePosixPath("/" + path.lstrip("/")))

    def covers(self, root: str, path: str) -> bool:
        """Tell whether ``path`` is ``root`` or lies below it."""
        return PurePosixPath(path).is_relative_to(root)


class SegmentGuard(PathGuard):
    """Compares the first segments of a path with those of the root."""

    def covers(self, root: str, path: str) -> bool:
        """Tell whether ``path`` is ``root`` or lies below it."""
        wanted = [name for name in root.split("/") if name]
        return [name for name in path.split("/") if name][: len(wanted)] == wanted


class RegexGuard(PathGuard):
    """Matches all roots at once, grouped, escaped and anchored at both ends."""

    def require(self, roots: list[str], path: str) -> None:
        """Raise `DenialError` where no root covers ``path``."""
        bare = "|".join(re.escape(root.rstrip("/")) for root in roots)
        if not roots or not re.fullmatch(f"(?:{bare})(?:/.*)?", path, re.DOTALL):
            raise DenialError(self.denial)


class RealPathGuard(PathGuard):
    """Judges nothing but the place: ``sub/../x`` and links are fine where they end inside."""

    def locate(self, path: str) -> str:
        """Return the place that ``path`` leads to; raises `DenialError` outside."""
        if is_odd(path):
            raise DenialError(self.denial)
        place = self.resolve(path)
        if place is None or not any(self.covers(root, place) for root in self.places):
            raise DenialError("path_traversal" if climbs(path) else self.denial)
        return place


class TrieGuard(PathGuard):
    """Walks a tree of segments down to where a grant ends."""

    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        super().__init__(vfs, prefixes, denial)
        self.trees = {id(roots): _grow(roots) for roots in (self.roots, self.places)}

    def require(self, roots: list[str], path: str) -> None:
        """Raise `DenialError` where no root covers ``path``."""
        node = self.trees[id(roots)]
        for name in filter(None, path.split("/")):
            if _END in node or name not in node:
                break
            node = node[name]
        if _END not in node:
            raise DenialError(self.denial)


_END = "/"  # no segment holds a slash, so it can mark where a grant ends


def _grow(roots: list[str]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for root in roots:
        node = tree
        for name in filter(None, root.split("/")):
            node = node.setdefault(name, {})
        node[_END] = {}
    return tree

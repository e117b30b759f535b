"""The path guard: which place a path leads to, and whether the grant covers it."""

from collections.abc import Iterable
from typing import Protocol

from capfuzz.targets.right.refusals import DenialError


class Files(Protocol):
    """The file system of a world."""

    def read(self, path: str) -> bytes:
        """Return the bytes at ``path``; raises ``OSError``."""
        ...

    def write(self, path: str, data: bytes) -> None:
        """Write ``data`` at ``path``; raises ``OSError``."""
        ...

    def exists(self, path: str) -> bool:
        """Tell whether ``path`` leads to anything."""
        ...

    def resolve(self, path: str) -> str:
        """Return the place that ``path`` leads to; raises for a loop of links."""
        ...


def collapse(path: str) -> str:
    """Return ``path`` as an absolute path without empty, ``.`` and ``..`` segments."""
    kept: list[str] = []
    for name in path.split("/"):
        if name == "..":
            del kept[-1:]
        elif name not in {"", "."}:
            kept.append(name)
    return "/" + "/".join(kept)


def climbs(path: str) -> bool:
    r"""Tell whether a segment of ``path`` is ``..``, with ``\`` taken for a separator too."""
    return ".." in path.replace("\\", "/").split("/")


def is_odd(path: str) -> bool:
    """Tell whether ``path`` is relative or empty, or has a C0 control or a lone surrogate."""
    return not path.startswith("/") or any(
        char < " " or "\ud800" <= char <= "\udfff" for char in path
    )


class PathGuard:
    """
    One direction of file access, judged on the text and then on the place it leads to.

    The style of this one: collapse the text, then compare with ``root + "/"``.
    """

    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        self.vfs = vfs
        self.denial = denial
        self.roots = [collapse(prefix) for prefix in prefixes]
        # A grant may itself be a link: what it leads to is settled once.
        self.places = [place for root in self.roots if (place := self.resolve(root)) is not None]

    def locate(self, path: str) -> str:
        """Return the place that is granted under the name ``path``; raises `DenialError`."""
        self.inspect(path)
        plain = self.plain(path)
        self.require(self.roots, plain)
        return self.follow(plain)

    def inspect(self, path: str) -> None:
        """Refuse a spelling that no honest path has; raises `DenialError`."""
        if climbs(path):
            raise DenialError("path_traversal")
        if is_odd(path):
            raise DenialError(self.denial)

    def plain(self, path: str) -> str:
        """Return the form of ``path`` that is compared."""
        return collapse(path)

    def covers(self, root: str, path: str) -> bool:
        """Tell whether ``path`` is ``root`` or lies below it; both are collapsed."""
        return path == root or path.startswith(root.rstrip("/") + "/")

    def require(self, roots: list[str], path: str) -> None:
        """Raise `DenialError` where no root covers ``path``."""
        if not any(self.covers(root, path) for root in roots):
            raise DenialError(self.denial)

    def follow(self, path: str) -> str:
        """Return the place behind ``path``, judged again where a link moved it."""
        place = self.resolve(path)
        if place is None:
            raise DenialError(self.denial)
        if place != collapse(path):
            self.require(self.places, place)
        return place

    def resolve(self, path: str) -> str | None:
        """Return the place that ``path`` leads to, or None where it leads nowhere."""
        try:
            return self.vfs.resolve(path)
        except (OSError, ValueError):
            return None

"""Path targets that let nothing out of ``root``, each in another style: ``NAME(root, path)``."""

import errno
import os
import re
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.targets.right.registry import right

_MAX_LINKS = 40  # what Linux allows in one resolution (path_resolution(7))


def settled(root: str, path: str) -> str:
    """
    Return the real place of ``path`` under ``root``; raises ``OSError``, ``ValueError`` for NUL.

    Up to Python 3.12 ``os.path.realpath`` stops at a loop of links and collapses the rest as
    text, so that ``loop/../link`` comes back with ``link`` in it. Asked again, it tells.
    """
    place = os.path.realpath(os.path.join(root, path))
    if os.path.realpath(place) != place:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return place


def segments(path: str) -> list[str]:
    """Return the names in a relative path; raises ``ValueError`` for ``..``, a root or NUL."""
    names = [name for name in path.split("/") if name not in {"", "."}]
    if path.startswith("/") or ".." in names or "\0" in path:
        raise ValueError("not a plain relative path")
    return names


@right(Surface.PATH, "realpath and commonpath, None refuses")
def realpath_commonpath(root: str, path: str) -> str | None:
    """Return the real place of ``path``, or None where it is not below ``root``."""
    base = os.path.realpath(root)
    place = settled(base, path)
    return place if os.path.commonpath([base, place]) == base else None


@right(Surface.PATH, "pathlib resolve and is_relative_to, an exception refuses")
def resolve_is_relative_to(root: str, path: str) -> Path:
    """Return the resolved place of ``path``; raises ``PermissionError`` outside ``root``."""
    base = Path(root).resolve()
    place = (base / path).resolve()
    if place.resolve() != place or not place.is_relative_to(base):  # for a loop, see `settled`
        raise PermissionError("outside of the root")
    return place


@right(Surface.PATH, "segment by segment, no .. and no link at all")
def segment_by_segment(root: str, path: str) -> Path:
    """Return ``path`` below ``root``; raises where a segment is ``..`` or a link."""
    place = Path(root).resolve()
    for name in segments(path):
        place /= name
        if place.is_symlink():
            raise PermissionError("a link")
    return place


@right(Surface.PATH, "opens segment by segment with O_NOFOLLOW, returns bytes")
def open_beneath(root: str, path: str) -> bytes:
    """Return the content of a regular file; raises ``OSError`` for anything else."""
    *folders, leaf = segments(path)
    with ExitStack() as opened:
        at = _open(opened, root, os.O_DIRECTORY, None)
        for name in folders:
            at = _open(opened, name, os.O_DIRECTORY | os.O_NOFOLLOW, at)
        file = _open(opened, leaf, os.O_NOFOLLOW | os.O_NONBLOCK, at)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise PermissionError("not a regular file")
        with os.fdopen(os.dup(file), "rb") as content:
            return content.read()


def _open(opened: ExitStack, name: str, flags: int, at: int | None) -> int:
    descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | flags, dir_fd=at)
    opened.callback(os.close, descriptor)
    return descriptor


@right(Surface.PATH, "a join of text that looks at no file", not_promised=("links",))
def lexical_join(root: str, path: str) -> str:
    """
    Return ``path`` collapsed below ``root``; raises ``ValueError`` outside.

    Does not resolve links: for trees that hold none, or a kernel that forbids them.
    """
    base = os.path.normpath(root)
    place = os.path.normpath(os.path.join(base, path))
    if "\0" in path or not (place + "/").startswith(base.rstrip("/") + "/"):
        raise ValueError("outside of the root")
    return place


@right(Surface.PATH, "clamps .. and links at the root, as chroot does")
def clamping_join(root: str, path: str) -> str:
    """Return where ``path`` leads if ``root`` were ``/``; raises ``ValueError``, ``OSError``."""
    if "\0" in path:
        raise ValueError("embedded null character in path")
    base = os.path.realpath(root)
    place = base  # where it stands by now; made longer and shorter, never anew
    pending, followed = path.split("/")[::-1], 0
    while pending:
        name = pending.pop()
        link = _link(place, name)
        if link is None:
            place = _step(base, place, name)
            continue
        followed += 1
        if followed > _MAX_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        place = base if link.startswith("/") else place
        pending += link.split("/")[::-1]
    return place


def _step(base: str, place: str, name: str) -> str:
    if name == "..":
        return place if place == base else os.path.dirname(place)
    return place if name in {"", "."} else os.path.join(place, name)


def _link(folder: str, name: str) -> str | None:
    place = os.path.join(folder, name)
    return os.readlink(place) if name not in {"", ".", ".."} and os.path.islink(place) else None


@right(Surface.PATH, "compares identities of folders, not their names")
def same_folder_above(root: str, path: str) -> str | None:
    """Return the real place of ``path``, or None where no folder above it is ``root`` itself."""
    place = settled(root, path)
    above = (place, *map(str, Path(place).parents))
    return place if any(os.path.exists(a) and os.path.samefile(a, root) for a in above) else None


@right(Surface.PATH, "a yes or no")
def is_inside(root: str, path: str) -> bool:
    """Tell whether ``path`` leads to a place below ``root``."""
    base = os.path.realpath(root)
    return (settled(base, path) + "/").startswith(base.rstrip("/") + "/")


@right(Surface.PATH, "one regular expression, then no link on the way")
def regex_without_links(root: str, path: str) -> str:
    """Return the join of ``root`` and a plain path; raises where a segment is a link."""
    if not re.fullmatch(r"(?!/)(?:(?!\.\.(?:/|\Z))[^/\0]*(?:/+|\Z))+", path):
        raise ValueError("not a plain relative path")
    base = os.path.realpath(root)
    place = os.path.normpath(os.path.join(base, path))
    if os.path.realpath(place) != place:
        raise PermissionError("a link")
    return place


@right(Surface.PATH, "trie of the files that are there")
def tree_of_files(root: str, path: str) -> str | None:
    """Return the place of a regular file that a walk from ``root`` comes to, links left out."""
    base = os.path.realpath(root)
    node: Any = _tree(base)
    names = segments(path)
    for name in names:
        node = node.get(name) if isinstance(node, dict) else None
    return os.path.join(base, *names) if node == "file" else None


def _tree(folder: str) -> dict[str, Any]:
    with os.scandir(folder) as entries:
        return {entry.name: _node(entry) for entry in entries if not entry.is_symlink()}


def _node(entry: os.DirEntry[str]) -> Any:
    if entry.is_dir(follow_symlinks=False):
        return _tree(entry.path)
    return "file" if entry.is_file(follow_symlinks=False) else None

"""
What path techniques share: the way from a root to a target, and how it is written.

A root is an absolute path of one name or more, a target an absolute path of a file. Under a root
of ``/`` nothing is outside: techniques yield paths all the same, or none.
"""

from collections.abc import Iterator
from typing import NamedTuple

# A folder that stands in most worlds; a way that passes through it does not begin with a climb.
FOLDER = "sub"


class Way(NamedTuple):
    """How many levels to climb from a root, and the names to descend from there."""

    ups: int
    names: tuple[str, ...]


def names(path: str) -> list[str]:
    """Return the names of an absolute path."""
    return [name for name in path.split("/") if name]


def base(root: str) -> str:
    """Return ``root`` without trailing slashes, so that ``base(root) + "/x"`` lies below it."""
    return root.rstrip("/")


def leaf(path: str) -> str:
    """Return the last name of ``path``."""
    return path.rstrip("/").rpartition("/")[2]


def way(root: str, target: str) -> Way:
    """Return the shortest way from ``root`` to ``target``, at least one level up."""
    here, there = names(root), names(target)
    shared = 0
    while shared < min(len(here) - 1, len(there)) and here[shared] == there[shared]:
        shared += 1
    return Way(len(here) - shared, tuple(there[shared:]))


def straight(root: str, target: str, up: str = "../", slash: str = "/") -> str:
    """Write the way to ``target`` with ``up`` for each level, ``slash`` between the names."""
    ups, down = way(root, target)
    return f"{base(root)}/{up * ups}{slash.join(down)}"


def late(root: str, target: str, up: str = "../", slash: str = "/") -> str:
    """Write the way through a folder of ``root``: one level more, and no climb at the start."""
    ups, down = way(root, target)
    return f"{base(root)}/{FOLDER}/{up * (ups + 1)}{slash.join(down)}"


def behind(root: str, target: str, first: str) -> str:
    """Write the way in plain sight, behind a first name (which says what comes after it)."""
    ups, down = way(root, target)
    return f"{base(root)}/{first}{'../' * (ups + 1)}{'/'.join(down)}"


def ways(root: str, target: str, *ups: str, slash: str = "/") -> Iterator[str]:
    """
    Write the way with each of ``ups``, and with the first of them also through a folder.

    The second form tells a check of every segment from one that looks at the start only.
    """
    for count, up in enumerate(ups):
        yield straight(root, target, up, slash)
        if count == 0:
            yield late(root, target, up, slash)

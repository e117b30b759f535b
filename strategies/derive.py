"""
Ops made of an earlier op of the same case.

Memory that is keyed too loosely, patience that runs out and grants that grow show only where a
later op resembles an earlier one: the same again, another spelling of it, its neighbour.
"""

from collections.abc import Callable
from typing import NamedTuple

from capfuzz.engine import Capabilities
from capfuzz.strategies import stage
from capfuzz.strategies.moves import Move, pick, spellings

_PATH_TWINS = (
    *("case-twin", "compatible-root", "folding-letters", "decomposed-root"),
    *("ignorable-in-root", "encoded-root", "outside-noncanonical"),
)
_HOST_TWINS = ("host-case", "host-empty-label", "host-long", "host-case-unicode", "host-compatible")
_TOOL_TWINS = ("tool-case", "tool-blank", "tool-prefix", "tool-suffix", "tool-compatible")
_PLACES = (*stage.WORLD.files, *stage.LINKED_PATHS)


class Earlier(NamedTuple):
    """The path of an earlier op, and the technique that made it."""

    path: str
    technique: str


def derive(granted: Capabilities, earlier: Move, which: int, variant: int) -> Move | None:
    """Return an op that resembles ``earlier``, None where nothing resembles it."""
    match earlier.op:
        case tuple(("fs_read" | "fs_write" as kind, str(path), *_)):
            make = pick(_OF_PATH, which)
            made = make(granted, Earlier(path, earlier.technique), which // len(_OF_PATH), variant)
            return None if made is None else _at(kind, made, which + variant)
        case tuple(("net_fetch", str(host), *_)):
            twin = _respelt(pick(_HOST_TWINS, which), variant, host)
            return None if twin is None else Move(("net_fetch", twin[0], "/status"), twin[1])
        case tuple(("tool", str(name), *_)):
            twin = _respelt(pick(_TOOL_TWINS, which), variant, name)
            return None if twin is None else Move(("tool", twin[0], "abc"), twin[1])
        case _:
            return None


def _at(kind: str, made: tuple[str, str], coin: int) -> Move:
    """Return a read or a write of a path, in half of the cases at the other door than before."""
    path, technique = made
    reads = (kind == "fs_read") == (coin % 2 == 0)
    return Move(("fs_read", path) if reads else ("fs_write", path, b"overwritten"), technique)


def _same(_granted: Capabilities, one: Earlier, _which: int, _variant: int) -> tuple[str, str]:
    return one


def _twin(granted: Capabilities, one: Earlier, which: int, variant: int) -> tuple[str, str] | None:
    path = one.path
    roots = (*granted.fs_read, *granted.fs_write) or (path.rpartition("/")[0] or "/",)
    root = next((root for root in roots if path.startswith(root)), path.rpartition("/")[0])
    return _respelt(pick(_PATH_TWINS, which), variant, root.rstrip("/"), path)


def _respelt(technique: str, variant: int, *places: str) -> tuple[str, str] | None:
    spelt = spellings(technique, *places)
    return (pick(spelt, variant), technique) if spelt else None


def _neighbour(
    _granted: Capabilities, one: Earlier, _which: int, variant: int
) -> tuple[str, str] | None:
    """Return another file or link of the same folder."""
    folder = one.path.rpartition("/")[0]
    return _named([place for place in _PLACES if place.rpartition("/")[0] == folder], one, variant)


def _namesake(
    _granted: Capabilities, one: Earlier, _which: int, variant: int
) -> tuple[str, str] | None:
    """Return a file of the same name in another folder."""
    name = one.path.rpartition("/")[2]
    return _named([place for place in _PLACES if place.rpartition("/")[2] == name], one, variant)


def _named(places: list[str], one: Earlier, variant: int) -> tuple[str, str] | None:
    others = [place for place in places if place != one.path]
    if not others:
        return None
    chosen = pick(others, variant)
    return chosen, "link-to-file" if chosen in stage.LINKED_PATHS else "outside"


def _relative(_granted: Capabilities, one: Earlier, _which: int, _variant: int) -> tuple[str, str]:
    return one.path.rpartition("/")[2], "relative"


_OF_PATH: tuple[Callable[[Capabilities, Earlier, int, int], tuple[str, str] | None], ...] = (
    _same,
    _twin,
    _neighbour,
    _namesake,
    _relative,
    _twin,
)

"""The path harness: bytes to one read or write, below one root."""

from collections.abc import Callable

from capfuzz.attacks.case import Case, Surface
from capfuzz.fuzz import stages
from capfuzz.fuzz.text import UNNAMED, decoded
from capfuzz.strategies import decode, single, stage
from capfuzz.strategies.moves import Move, pick
from capfuzz.targets.base import Target

_PICKS = 3  # bytes: a technique, a place, a variant
_WRITES = 2  # this bit of the first byte has a session asked to write
_DATA = b"overwritten"


def case_of(data: bytes, surface: Surface) -> Case | None:
    """
    Return the case that ``data`` says: literal text after an odd byte, else picks from tables.

    Sessions are asked to read and to write, with links about; functions to read.
    """
    if not data:
        return None
    writes = bool(data[0] & _WRITES) and surface is Surface.SESSION
    move = (
        _literal(data, writes=writes)
        if data[0] & 1
        else _picked(data[0], data[1:].ljust(_PICKS, b"\0"), writes)
    )
    grant = stages.PATH_GRANT if surface is Surface.SESSION else stages.ONE_ROOT
    return Case(grant, stages.PATHS, (move.op,), (move.technique,), "generated")


def without_links(data: bytes, surface: Surface) -> Case | None:
    """Return the same for a function that is documented to follow links: there are none."""
    case = case_of(data, surface)
    return case and Case(case.grant, stages.PLAIN_PATHS, case.ops, case.techniques, case.family)


def for_target(target: Target) -> Callable[[bytes, Surface], Case | None]:
    """Return how bytes are read for a target: with links about, where it can be asked so."""
    honest = case_of(b"1/work/data.txt", target.surface)
    linked = honest is not None and target.adapt(honest) is not None
    return case_of if linked else without_links


def _literal(data: bytes, *, writes: bool) -> Move:
    path = decoded(data[1:])
    return Move(("fs_write", path, _DATA) if writes else ("fs_read", path), UNNAMED)


def _picked(mode: int, data: bytes, writes: bool) -> Move:  # noqa: FBT001 - a bit of the input
    shape = mode >> 2 & 3
    if shape == 0:
        start = "/work/out/" if writes else "/work/"
        path = single.pieced(start, data)
        return _asked(path, UNNAMED, writes)
    if shape == 1:
        return _asked(pick(stage.LINKED_PATHS, data[0]), "link-to-directory", writes)
    make = decode.write if writes else decode.read
    return make(stages.PATH_GRANT, *data[:_PICKS])


def _asked(path: str, technique: str, writes: bool) -> Move:  # noqa: FBT001 - a bit of the input
    return Move(("fs_write", path, _DATA) if writes else ("fs_read", path), technique)

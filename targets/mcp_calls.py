"""
What an op is asked as: calls at the doors that it names, and then at all others.

Whether an op passed is told by the doors that it names: a read by those that read, a write by
those that write. The others (list, move, copy, edit, delete) are asked for the same place, and
what they show or change outside is an escape all the same.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from capfuzz.attacks import naive
from capfuzz.targets.handing import decoded
from capfuzz.targets.mcp_forms import ROOT, argument, honest, text
from capfuzz.targets.mcp_tools import EDITED, Door, Doors

_SEPARATOR = re.compile(r"[/\\]|%(?:25)*(?:2f|5c)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Call:
    """One tool with its input."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are: the world's ``/``, a file of ours in the root, and a name that is free."""

    floor: str
    scratch: str
    fresh: str


def first_calls(doors: Doors, op: Any, floor: str) -> list[Call]:
    """Return the calls that tell whether an op passes; a server that only lists is asked that."""
    path = argument(op[1], floor)
    if op[0] == "fs_write":
        return [_call(door, path, text(op[2])) for door in doors.writing]
    if doors.reading:
        return [_call(door, path) for door in doors.reading]
    return [_call(door, folder_of(path)) for door in doors.listing]


def further_calls(doors: Doors, op: Any, links: Mapping[str, str], places: Places) -> list[Call]:
    """
    Return the calls at the other doors; of an honest path only a list can tell too much.

    What is read is edited and deleted as well: that needs a file that is there.
    """
    path, reads = argument(op[1], places.floor), op[0] == "fs_read"
    listing = [_call(door, folder_of(path)) for door in doors.listing if reads and doors.reading]
    if honest(op[1], links):
        return listing
    editing = [_call(door, path, EDITED) for door in doors.editing]
    if reads:
        return listing + [_call(door, path, places.fresh) for door in doors.moving] + editing
    return [_call(door, places.scratch, path) for door in doors.moving] + editing


def folder_of(path: str) -> str:
    """Return the folder that a path names as it is spelt, the path itself where it ends in dots."""
    cuts = [*_SEPARATOR.finditer(path)]
    if not cuts or decoded(path[cuts[-1].end() :]) in {"", ".", ".."}:
        return path
    return path[: cuts[-1].start()] or path


def _call(door: Door, path: str, beside: str | None = None) -> Call:
    return Call(door.tool, door.arguments(path, beside))


def is_inside(place: str) -> bool:
    """Tell whether a resolved place lies in the root."""
    return naive.within(place, [ROOT])

"""The doors of an MCP server as a person names them in a TOML file (``--tool-map``)."""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from capfuzz.targets.base import TargetError
from capfuzz.targets.given import GivenError, parsed, short
from capfuzz.targets.mcp_tools import Door, Doors

_NAMES = ("tool", "path", "content", "to")
# Which keys a table must have, and which it may have besides ``several`` and ``fixed``.
_MUST = {
    "read": ("tool", "path"),
    "write": ("tool", "path", "content"),
    "list": ("tool", "path"),
    "move": ("tool", "path", "to"),
    "edit": ("tool", "path"),
}
_MAY = {"edit": ("content",)}
_MOST = 32 * 1024  # bytes; `tomllib` takes quadratic time for dotted keys
_KEY = 60  # characters of a key or a name in an error
_TOLD = 40  # tools of a server in an error


def from_file(name: str) -> Doors:
    """
    Return the doors that a TOML file names, and no others; raises `TargetError`.

    ``[[read]]``, ``[[write]]``, ``[[list]]``, ``[[move]]`` and ``[[edit]]`` have ``tool`` and
    ``path``; a writing one has ``content`` and an editing one may; a moving one has ``to``. All may
    have ``several`` (the path is a list) and a table ``fixed`` of further arguments.
    """
    try:
        return _all_doors(parsed(name, tomllib.loads, "TOML", _MOST))
    except GivenError as error:
        raise TargetError(f"--tool-map {name}: {error}") from None


def check_listed(doors: Doors, tools: list[Any], name: str) -> None:
    """Raise `TargetError` for a door whose tool is not among what the server lists."""
    listed = [str(one.get("name")) for one in tools if isinstance(one, dict)]
    all_ = (*doors.reading, *doors.writing, *doors.listing, *doors.moving, *doors.editing)
    for door in all_:
        if door.tool not in listed:
            known = ", ".join(short(one, _KEY) for one in listed[:_TOLD]) or "none"
            more = f" and {len(listed) - _TOLD} more" if len(listed) > _TOLD else ""
            raise TargetError(
                f"--tool-map {name}: tool {_said(door.tool)}: the server does not list it; "
                f"it has {known}{more}"
            )


def _all_doors(whole: Mapping[str, Any]) -> Doors:
    odd = "".join(f"; {_said(key)} is none of them" for key in whole if key not in _MUST)
    doors = [_doors(kind, whole.get(kind, [])) for kind in _MUST]
    if odd or not any(doors):
        tables = ", ".join(f"[[{kind}]]" for kind in _MUST)
        raise GivenError(f"holds tables {tables} and no others{short(odd)}")
    return Doors(*doors)


def _doors(kind: str, tables: Any) -> tuple[Door, ...]:
    if not isinstance(tables, list):
        raise GivenError(f"{kind}: must be written as a table [[{kind}]]")
    return tuple(_door(kind, number, one) for number, one in enumerate(tables, 1))


def _door(kind: str, number: int, table: Any) -> Door:
    where = f"[[{kind}]] {number}"
    if not isinstance(table, dict):
        raise GivenError(f"{where}: must be a table")
    try:
        _check_keys(kind, table)
        _check_fixed(table)
    except GivenError as error:
        raise GivenError(f"{where}: {error}") from None
    return Door(**table)


def _check_keys(kind: str, table: Mapping[str, Any]) -> None:
    takes = (*_MUST[kind], *_MAY.get(kind, ()), "several", "fixed")
    for key in table:
        if key not in takes:
            raise GivenError(f"{_said(key)}: no such key; it takes {', '.join(takes)}")
    for key in _MUST[kind]:
        if key not in table:
            raise GivenError(f"{key}: is missing; it must have {', '.join(_MUST[kind])}")
    for key in _NAMES:
        if key in table and not (isinstance(table[key], str) and table[key]):
            raise GivenError(f"{key}: must be a text that is not empty")
    if not isinstance(table.get("several", False), bool):
        raise GivenError("several: must be true or false")


def _check_fixed(table: Mapping[str, Any]) -> None:
    """Raise for arguments that JSON cannot carry, and where one argument would be given twice."""
    fixed = table.get("fixed", {})
    if not isinstance(fixed, dict):
        raise GivenError("fixed: must be a table of arguments")
    given = [key for key in ("path", "content", "to") if key in table]
    for at, key in enumerate(given):
        if table[key] in {table[other] for other in given[:at]}:
            raise GivenError(f"{key}: {_said(table[key])} is named twice")
        if table[key] in fixed:
            raise GivenError(f"fixed: has {_said(table[key])}, which is the argument of {key}")
    for key, value in fixed.items():
        _check_json(key, value)


def _check_json(key: str, value: Any) -> None:
    try:
        json.dumps(value, allow_nan=False)
    except RecursionError:
        raise GivenError(f"fixed: {_said(key)}: is nested too deeply") from None
    except (TypeError, ValueError):
        raise GivenError(
            f"fixed: {_said(key)}: JSON cannot carry it; dates, nan and inf have no place there"
        ) from None


def _said(name: str) -> str:
    return f"'{short(name, _KEY)}'"

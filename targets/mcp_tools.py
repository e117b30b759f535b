"""Which tools of an MCP server read and write files, by their names and the shape of their input."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capfuzz.targets.base import TargetError

_READS = re.compile(
    r"read|cat|view|open|load|show|get_(file|content|text)|fetch_file", re.IGNORECASE
)
_WRITES = re.compile(r"write|save|create|put|store|overwrite", re.IGNORECASE)
_FILES = re.compile(r"file|text|document|resource|note|content|media|image|path", re.IGNORECASE)
_PATH = re.compile(
    r"((file|full|relative|rel|abs|absolute|target)_?)?(path|file|filename|name)s?", re.IGNORECASE
)
_CONTENT = re.compile(r"((file|new)_?)?(contents?|text|data|body)", re.IGNORECASE)
_MOST_DOORS = 4


@dataclass(frozen=True, slots=True)
class Door:
    """A tool that takes a path, and where its input has the path and the content."""

    tool: str
    path: str
    content: str = ""
    several: bool = False  # whether the path stands in a list
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def arguments(self, path: str, content: str | None = None) -> dict[str, Any]:
        """Return the tool's input for a path, and for a content where it writes."""
        placed: dict[str, Any] = {**self.fixed, self.path: [path] if self.several else path}
        return placed if content is None else {**placed, self.content: content}


# Some servers tell no input at all; these names have one everywhere.
_USUAL = {
    "read_file": Door("read_file", "path"),
    "read_text_file": Door("read_text_file", "path"),
    "read_multiple_files": Door("read_multiple_files", "paths", several=True),
    "write_file": Door("write_file", "path", "content"),
}


@dataclass(frozen=True, slots=True)
class Doors:
    """The tools that read and those that write; the first of each is the plainest."""

    reading: tuple[Door, ...]
    writing: tuple[Door, ...]


def discovered(tools: Any) -> Doors:
    """Return the doors among what ``tools/list`` answered, at most four of a kind."""
    listed = [one for one in tools if isinstance(one, dict)] if isinstance(tools, list) else []
    reading = _first(filter(None, map(_reader, listed)))
    writing = _first(filter(None, map(_writer, listed)))
    return Doors(reading, writing)


def from_file(name: str) -> Doors:
    """
    Return the doors that a TOML file names; raises `TargetError`.

    ``[[read]]`` and ``[[write]]`` have ``tool``, ``path``, of a writing one ``content``, and may
    have ``several`` (the path is a list) and a table ``fixed`` of further arguments.
    """
    try:
        whole = tomllib.loads(Path(name).read_text(encoding="utf-8"))
        made = {
            kind: tuple(Door(**one) for one in whole.pop(kind, [])) for kind in ("read", "write")
        }
    except (OSError, ValueError, TypeError) as error:
        raise TargetError(f"--tool-map {name}: {error}") from error
    if whole or not any(made.values()):
        raise TargetError(f"--tool-map {name}: holds [[read]] and [[write]] tables and no others")
    if not all(door.content for door in made["write"]):
        raise TargetError(f"--tool-map {name}: a [[write]] table names its content argument, too")
    return Doors(made["read"], made["write"])


def _first(doors: Iterable[Door]) -> tuple[Door, ...]:
    return tuple(sorted(doors, key=lambda door: (len(door.tool), door.tool)))[:_MOST_DOORS]


def _reader(tool: dict[str, Any]) -> Door | None:
    name, path = str(tool.get("name")), _argument(tool, _PATH)
    if name in _USUAL and not _properties(tool):
        return _USUAL[name] if not _USUAL[name].content else None
    if not _READS.search(name) or _WRITES.search(name) or path is None or _argument(tool, _CONTENT):
        return None
    plain = re.fullmatch(r"read|cat|view|open|load", name, re.IGNORECASE) or _FILES.search(name)
    return _door(tool, name, path) if plain else None


def _writer(tool: dict[str, Any]) -> Door | None:
    name, path = str(tool.get("name")), _argument(tool, _PATH)
    if name in _USUAL and not _properties(tool):
        return _USUAL[name] if _USUAL[name].content else None
    content = _argument(tool, _CONTENT)
    if not _WRITES.search(name) or path is None or content is None:
        return None
    return _door(tool, name, path, content)


def _door(tool: dict[str, Any], name: str, path: str, content: str = "") -> Door | None:
    """Return the door if nothing is asked for but what we have."""
    schema = tool["inputSchema"]
    required = schema.get("required", [])
    if not isinstance(required, list) or {*map(str, required)} - {path, content}:
        return None
    several = _is_list(schema["properties"][path])
    return Door(name, path, content, several)


def _properties(tool: dict[str, Any]) -> dict[str, Any]:
    schema = tool.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def _argument(tool: dict[str, Any], pattern: re.Pattern[str]) -> str | None:
    shapes = _properties(tool)
    fitting = [
        name for name in shapes if pattern.fullmatch(name) and isinstance(shapes[name], dict)
    ]
    return min(fitting, key=lambda name: ("path" not in name.lower(), len(name)), default=None)


def _is_list(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "array"

"""
Which tools of an MCP server are doors to files, by their names and the shape of their input.

A door is plain data: the tool, and which of its arguments takes what. Where names and shapes tell
nothing, `capfuzz.targets.tool_map` reads the same data from a file.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

_READS = re.compile(
    r"read|cat|view|open|load|show|get_(file|content|text)|fetch_file", re.IGNORECASE
)
_ABOUT = re.compile(r"(^|[_.-])(info|stats?|metadata)([_.-]|$)", re.IGNORECASE)
_WRITES = re.compile(r"write|save|create|put|store|overwrite", re.IGNORECASE)
_LISTS = re.compile(
    r"(^|[_.-])(ls|dir|list|tree|browse|walk|find|search|glob)([_.-]|$)|tree$|read_?dir"
    r"|list_?(all_?)?(dir|files|folder|entries)|(dir(ectory)?|folder)_?(contents?|listing|entries)",
    re.IGNORECASE,
)
_MOVES = re.compile(r"(?<!re)move|rename|copy|duplicate|(^|[_.-])(mv|cp)([_.-]|$)", re.IGNORECASE)
_EDITS = re.compile(
    r"edit|append|insert|replace|patch|modify|update|touch|delete|remove|unlink|mkdir"
    r"|(make|create)_?(dir|folder)|(^|[_.-])rm([_.-]|$)",
    re.IGNORECASE,
)
_FILES = re.compile(r"file|text|document|resource|note|content|media|image|path", re.IGNORECASE)
_FOLDERS = re.compile(r"dir|folder", re.IGNORECASE)
_PATH = re.compile(
    r"((file|full|relative|rel|abs|absolute|target)_?)?(path|file|filename|name)s?", re.IGNORECASE
)
_FOLDER = re.compile(
    r"((dir(ectory)?|folder|full|relative|rel|abs|absolute|target|root)_?)?"
    r"(path|dir|directory|folder)",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"((file|new)_?)?(contents?|text|data|body)", re.IGNORECASE)
_FROM = re.compile(
    r"(source|src|from|old|original)_?(path|file|filename|name|location)?", re.IGNORECASE
)
_TO = re.compile(
    r"(destination|dest|dst|to|new|target)_?(path|file|filename|name|location)?", re.IGNORECASE
)
_OLD = re.compile(r"(old|search|find)_?(text|str|string|content)?", re.IGNORECASE)
_NEW = re.compile(r"(new|replace|replacement)_?(with|text|str|string|content)?", re.IGNORECASE)
_COMMON = "e"  # what stands in almost every text, so that something is found to replace
EDITED = "edited"


@dataclass(frozen=True, slots=True)
class Door:
    """A tool that takes a path, and where its input has the path and what goes with it."""

    tool: str
    path: str  # of one that moves or copies: the source
    content: str = ""
    to: str = ""  # the destination
    several: bool = False  # whether the path stands in a list
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def arguments(self, path: str, beside: str | None = None) -> dict[str, Any]:
        """Return the input for a path, with a content or a destination where the tool takes one."""
        placed: dict[str, Any] = {**self.fixed, self.path: [path] if self.several else path}
        name = self.to or self.content
        return {**placed, name: beside} if name and beside is not None else placed


@dataclass(frozen=True, slots=True)
class Doors:
    """
    The tools of each kind; the first of each is the plainest.

    ``editing``: all that changes a place and is told no more than the path, or a text: it edits,
    appends, deletes or makes a folder.
    """

    reading: tuple[Door, ...]
    writing: tuple[Door, ...]
    listing: tuple[Door, ...] = ()
    moving: tuple[Door, ...] = ()
    editing: tuple[Door, ...] = ()


# Some servers tell no input at all; these names have one everywhere.
_USUAL = {
    "read": (
        Door("read_file", "path"),
        Door("read_text_file", "path"),
        Door("read_multiple_files", "paths", several=True),
    ),
    "write": (Door("write_file", "path", "content"),),
    "list": (Door("list_directory", "path"), Door("directory_tree", "path")),
    "move": (Door("move_file", "source", to="destination"),),
    "edit": (Door("create_directory", "path"), Door("delete_file", "path")),
}
_MOST = {"read": 4, "write": 4, "list": 2, "move": 2, "edit": 4}  # doors tried for one op


def discovered(tools: Any) -> Doors:
    """Return the doors among what ``tools/list`` answered, a few of each kind."""
    listed = [one for one in tools if isinstance(one, dict)] if isinstance(tools, list) else []
    return Doors(*(_first((door(tool, kind) for tool in listed), _MOST[kind]) for kind in _MOST))


def _first(doors: Iterable[Door | None], most: int) -> tuple[Door, ...]:
    known = filter(None, doors)
    return tuple(sorted(known, key=lambda door: (len(door.tool), door.tool)))[:most]


def door(tool: dict[str, Any], kind: str) -> Door | None:
    """Return the door of a kind that a tool is, if nothing is asked for but what we have."""
    name, shapes = str(tool.get("name")), _properties(tool)
    if not shapes:
        return next((usual for usual in _USUAL[kind] if usual.tool == name), None)
    found = _SHAPES[kind](name, shapes)
    required = tool["inputSchema"].get("required", [])
    if found is None or not isinstance(required, list):
        return None
    if {*map(str, required)} - {found.path, found.content, found.to, *found.fixed}:
        return None
    return replace(found, several=shapes[found.path].get("type") == "array")


def _reader(name: str, shapes: dict[str, Any]) -> Door | None:
    path = _argument(shapes, _PATH)
    other = _WRITES.search(name) or _ABOUT.search(name)
    if not _READS.search(name) or other or path is None:
        return None
    plain = re.fullmatch(r"read|cat|view|open|load", name, re.IGNORECASE) or _FILES.search(name)
    return Door(name, path) if plain and not _argument(shapes, _CONTENT) else None


def _writer(name: str, shapes: dict[str, Any]) -> Door | None:
    path, content = _argument(shapes, _PATH), _argument(shapes, _CONTENT)
    if not _WRITES.search(name) or path is None or content is None:
        return None
    return Door(name, path, content)


def _lister(name: str, shapes: dict[str, Any]) -> Door | None:
    path = _argument(shapes, _FOLDER)
    changes = _WRITES.search(name) or _EDITS.search(name) or _MOVES.search(name)
    return Door(name, path) if _LISTS.search(name) and not changes and path else None


def _mover(name: str, shapes: dict[str, Any]) -> Door | None:
    source, to = _argument(shapes, _FROM) or _argument(shapes, _PATH), _argument(shapes, _TO)
    if not _MOVES.search(name) or source is None or to is None or source == to:
        return None
    return Door(name, source, to=to)


def _editor(name: str, shapes: dict[str, Any]) -> Door | None:
    path = _argument(shapes, _PATH) or _argument(shapes, _FOLDER)
    about = _FILES.search(name) or _FOLDERS.search(name) or _EDITS.fullmatch(name)
    if not _EDITS.search(name) or not about or path is None or _writer(name, shapes):
        return None
    content = _argument(shapes, _CONTENT) or _argument(shapes, _NEW) or ""
    return Door(name, path, content, fixed=_replacing(shapes))


def _replacing(shapes: dict[str, Any]) -> dict[str, Any]:
    """Return what an edit replaces, be it one argument or a list of pairs of old and new."""
    old = _argument(shapes, _OLD)
    if old is not None:
        return {old: _COMMON}
    for name, shape in shapes.items():
        items = shape.get("items") if isinstance(shape, dict) else None
        pair = _properties({"inputSchema": items})
        old, new = _argument(pair, _OLD), _argument(pair, _NEW)
        if old is not None and new is not None:
            return {name: [{old: _COMMON, new: EDITED}]}
    return {}


_SHAPES = {"read": _reader, "write": _writer, "list": _lister, "move": _mover, "edit": _editor}


def _properties(tool: dict[str, Any]) -> dict[str, Any]:
    schema = tool.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def _argument(shapes: dict[str, Any], pattern: re.Pattern[str]) -> str | None:
    fitting = [
        name for name in shapes if pattern.fullmatch(name) and isinstance(shapes[name], dict)
    ]
    return min(fitting, key=lambda name: ("path" not in name.lower(), len(name)), default=None)

"""
The ops that a recorded call amounts to.

A tool that a map names, or whose name and arguments say that it reads, writes, lists, moves or
edits files, or fetches a URL, is judged by what it touches; any other by its name.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from capfuzz.attacks.url_readers import READERS
from capfuzz.gate.grants.transcript import READ_RESOURCE, Call
from capfuzz.targets.mcp_tools import Door, Doors, door

_KINDS = ("read", "write", "list", "move", "edit")
_SERVER = re.compile(r".*(?:__|[./:])")  # what stands before a tool's own name
_COPIES = re.compile(r"copy|duplicate|(?:^|[_.-])cp(?:[_.-]|$)", re.IGNORECASE)
_FETCHES = re.compile(
    r"fetch|http|url|web|brows|navigat|download|curl|wget|scrape|crawl|request", re.IGNORECASE
)
_URL = re.compile(r"(?:url|uri|href|link|address)s?", re.IGNORECASE)
_WEB = re.compile(r"https?://", re.IGNORECASE)
_TELLING = re.compile(r"(?:/|~/|file://|https?://)\S+$")


def ops_of(call: Call, doors: Doors | None = None, folder: str | None = None) -> tuple[Any, ...]:
    """
    Return the ops of a call, at least one.

    ``doors`` are those of a map, which holds alone; ``folder`` is where a relative path begins.
    """
    if not call.tool:
        return (call.op,)
    found = [*_touched(call, doors)]
    ops = found or [("tool", call.tool)]
    return tuple(_absolute(op, folder) for op in ops)


def is_plain(op: Any) -> bool:
    """Tell whether an op is a tuple whose kind, and what it is about, are plain texts."""
    return (
        type(op) is tuple
        and len(op) > 1
        and type(op[0]) is str
        and not any(isinstance(one, str) and type(one) is not str for one in op)
        and type(op[1]) is str
    )


def hidden(call: Call, ops: tuple[Any, ...]) -> str | None:
    """Return the argument with a path or a URL that none of a call's ops is about."""
    fetches = any(op[0] == "net_fetch" for op in ops) if call.tool else False
    for name, value in call.arguments.items():
        if isinstance(value, str) and _TELLING.match(value):
            seen = fetches if _WEB.match(value) else _is_in(value, ops)
            if not seen:
                return name
    return None


def _is_in(value: str, ops: tuple[Any, ...]) -> bool:
    return any(_absolute(("fs_read", value), None)[1] in op[1:] for op in ops)


def _touched(call: Call, doors: Doors | None) -> Iterator[Any]:
    if call.tool == READ_RESOURCE:
        yield from _resource(call.arguments["uri"])
        return
    for kind in _KINDS:
        found = _mapped(call, kind, doors) if doors else door(_shape(call), kind)
        if found is not None:
            yield from _through(found, kind, call)
            return
    if _FETCHES.search(_own_name(call)):
        for url in _urls(call.arguments):
            yield fetched(url)


def _resource(uri: str) -> Iterator[Any]:
    if _WEB.match(uri):
        yield fetched(uri)
    elif uri.startswith("file:"):
        yield ("fs_read", uri)


def fetched(url: str) -> tuple[str, str, str]:
    """Return the op that fetches a URL; where clients read two hosts in it, no plain host."""
    hosts = {host.lower() for read in READERS if (host := read(url))}
    try:
        split = urlsplit(url)
        path = (split.path or "/") + (f"?{split.query}" if split.query else "")
    except ValueError:
        path = "/"
    return ("net_fetch", hosts.pop() if len(hosts) == 1 else url, path)


def _mapped(call: Call, kind: str, doors: Doors) -> Door | None:
    listed = {
        "read": doors.reading,
        "write": doors.writing,
        "list": doors.listing,
        "move": doors.moving,
        "edit": doors.editing,
    }[kind]
    names = {call.tool, _own_name(call)}
    return next((one for one in listed if one.tool in names and one.path in call.arguments), None)


def _shape(call: Call) -> dict[str, Any]:
    """Return the call's tool as a server would list it, by the arguments that it was given."""
    shapes = {
        name: {"type": "array" if isinstance(value, list) else "string"}
        for name, value in call.arguments.items()
    }
    return {"name": _own_name(call), "inputSchema": {"properties": shapes}}


def _own_name(call: Call) -> str:
    return _SERVER.sub("", call.tool) or call.tool


def _through(found: Door, kind: str, call: Call) -> Iterator[Any]:
    given = call.arguments[found.path]
    for path in given if isinstance(given, list) else [given]:
        if kind in {"read", "list", "move"}:
            yield ("fs_read", path)
        if kind == "move" and not _COPIES.search(_own_name(call)):
            yield ("fs_write", path, "")
        if kind == "move":
            yield ("fs_write", call.arguments.get(found.to), "")
        if kind in {"write", "edit"}:
            content = call.arguments.get(found.content, "")
            yield ("fs_write", path, content if isinstance(content, str) else "")


def _urls(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name, value in arguments.items():
        if _URL.fullmatch(name):
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str) and _WEB.match(one):
                    yield one


def _absolute(op: Any, folder: str | None) -> Any:
    """Return an op on a file with its path as a sandbox is asked for it."""
    if not is_plain(op) or op[0] not in {"fs_read", "fs_write"}:
        return op
    path = op[1]
    if path.startswith("file://"):
        path = unquote(path.removeprefix("file://").removeprefix("localhost"))
    elif folder is not None and not path.startswith(("/", "~")):
        path = posixpath.join(folder, path) if path not in {"", "."} else folder
    return (op[0], path, *op[2:])

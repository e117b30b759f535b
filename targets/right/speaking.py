"""The part of a small MCP server that has no say in which file is touched."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Act = Callable[..., str | None]

# What each tool is given: texts, all of which must be there.
_ARGUMENTS = {
    "read_file": ("path",),
    "write_file": ("path", "content"),
    "append_file": ("path", "content"),
    "list_directory": ("path",),
    "directory_tree": ("path",),
    "create_directory": ("path",),
    "delete_file": ("path",),
    "move_file": ("source", "destination"),
    "copy_file": ("source", "destination"),
}


def speak(**acts: Act) -> None:
    """
    Answer on standard output what comes on standard input, until that ends.

    ``acts``: by the name of a tool what it does, which returns what is told. What is raised is
    told as the tool's error.
    """
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            answer = {"jsonrpc": "2.0", "id": message["id"], **_answer(message, acts)}
            print(json.dumps(answer), flush=True)  # noqa: T201 - the protocol's channel


def _answer(message: dict[str, Any], acts: Mapping[str, Act]) -> dict[str, Any]:
    match message["method"]:
        case "initialize":
            return {"result": _introduced(message["params"])}
        case "tools/list":
            return {"result": {"tools": [_described(name) for name in acts]}}
        case "tools/call":
            return {"result": _called(message["params"], acts)}
        case _:
            return {"error": {"code": -32601, "message": "no such method"}}


def _introduced(params: dict[str, Any]) -> dict[str, Any]:
    return {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "files", "version": "1"},
    }


def _described(name: str) -> dict[str, Any]:
    texts = {one: {"type": "string"} for one in _ARGUMENTS[name]}
    schema = {"type": "object", "properties": texts, "required": [*texts]}
    return {"name": name, "inputSchema": schema}


def _called(params: dict[str, Any], acts: Mapping[str, Act]) -> dict[str, Any]:
    name, given = params["name"], params["arguments"]
    try:
        return _text(acts[name](*(given[one] for one in _ARGUMENTS[name])) or "done")
    except Exception as error:  # noqa: BLE001 - a server goes on after what it cannot do
        return {**_text(f"refused: {type(error).__name__}"), "isError": True}


def _text(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}

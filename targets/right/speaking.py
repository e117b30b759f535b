"""The part of a small MCP server that has no say in which file is touched."""

import json
import sys
from collections.abc import Callable
from typing import Any

Reader = Callable[[str], str]
Writer = Callable[[str, str], None]

_PATH = {"path": {"type": "string"}}


def speak(read: Reader, write: Writer) -> None:
    """
    Answer on standard output what comes on standard input, until that ends.

    What ``read`` and ``write`` raise is told as the tool's error.
    """
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            answer = {"jsonrpc": "2.0", "id": message["id"], **_answer(message, read, write)}
            print(json.dumps(answer), flush=True)  # noqa: T201 - the protocol's channel


def _answer(message: dict[str, Any], read: Reader, write: Writer) -> dict[str, Any]:
    match message["method"]:
        case "initialize":
            return {"result": _introduced(message["params"])}
        case "tools/list":
            return {"result": {"tools": _TOOLS}}
        case "tools/call":
            return {"result": _called(message["params"], read, write)}
        case _:
            return {"error": {"code": -32601, "message": "no such method"}}


def _introduced(params: dict[str, Any]) -> dict[str, Any]:
    return {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "files", "version": "1"},
    }


def _called(params: dict[str, Any], read: Reader, write: Writer) -> dict[str, Any]:
    given = params["arguments"]
    try:
        if params["name"] == "read_file":
            return _text(read(given["path"]))
        write(given["path"], given["content"])
        return _text("written")
    except Exception as error:  # noqa: BLE001 - a server goes on after what it cannot do
        return {**_text(f"refused: {type(error).__name__}"), "isError": True}


def _text(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


_TOOLS: list[dict[str, Any]] = [
    {
        "name": "read_file",
        "inputSchema": {"type": "object", "properties": _PATH, "required": ["path"]},
    },
    {
        "name": "write_file",
        "inputSchema": {
            "type": "object",
            "properties": {**_PATH, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    },
]

"""
What an agent called, from a recorded run: JSON lines, in any of several forms.

Ours: ``["fs_read", "/work/a"]``, or ``{"op": [...], "output": "...", "tick": 3}``. Others: messages
of the Model Context Protocol (``tools/call``, ``resources/read`` and their answers), of chat
completions (``tool_calls``, ``function_call``) and of messages with ``tool_use`` blocks, also inside
the records of a log. An answer tells how much flowed back to the agent.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from capfuzz.attacks.codec import op_from_json
from capfuzz.gate.errors import UsageError
from capfuzz.targets.given import GivenError, parsed, short

READ_RESOURCE = "resources/read"
_MOST = 256 * 1024 * 1024  # bytes
_DEEPEST = 40  # records of a log around a message
# Where the records of logs and of interfaces keep messages.
_AROUND = [
    "message",
    "messages",
    "msg",
    "data",
    "payload",
    "request",
    "response",
    "body",
    "event",
    "params",
    "content",
    "choices",
    "input",
    "output",
]
# Requests of MCP that touch nothing that a grant is about.
_HARMLESS = frozenset(
    [
        "initialize",
        "ping",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "logging/setLevel",
        "completion/complete",
        "roots/list",
    ]
)


@dataclass(slots=True)
class Call:
    """
    One recorded call: ``op`` where the record is an op of ours, else a tool and its arguments.

    ``line`` counts from 1; ``output`` in bytes, None where no answer was recorded.
    """

    line: int
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    op: object = None
    output: int | None = None
    tick: int | None = None


@dataclass(slots=True)
class Transcript:
    """The calls of a run in order, and how often something was asked that cannot be judged."""

    calls: list[Call] = field(default_factory=list)
    unjudged: dict[str, int] = field(default_factory=dict)
    _open: dict[Any, Call] = field(default_factory=dict)  # waiting for their answers, by id
    _known: set[Any] = field(default_factory=set)

    def ask(self, call: Call, key: Any = None, *, unique: bool = True) -> None:
        """Add a call; one with a unique id that is known is the same, told again."""
        if key is not None and unique and key in self._known:
            return
        self._known.add(key)
        self.calls.append(call)
        if key is not None:
            self._open[key] = call

    def awaits(self, key: Any) -> bool:
        """Tell whether a call is still to be answered."""
        return key in self._open

    def answer(self, key: Any, size: int) -> None:
        """Add what came back to the call that it answers."""
        call = self._open.pop(key, None)
        if call is not None:
            call.output = size


def read(path: str) -> Transcript:
    """Return the calls of a recorded run; raises `UsageError` where none can be found."""
    try:
        values = parsed(path, _values, "JSON", _MOST)
    except GivenError as error:
        raise UsageError(f"{path}: {error}") from None
    found = Transcript()
    for line, value in values:
        _look(found, line, value, 0)
    if not found.calls:
        raise UsageError(
            f"{path}: holds no recorded call; a transcript is JSON lines: ops of ours, MCP "
            "tools/call messages, or messages with tool calls"
        )
    return found


def _values(text: str) -> list[tuple[int, Any]]:
    """Return each JSON value with its line; a log may have words before it, or lines without any."""
    text = text.removeprefix("\ufeff")
    try:
        return [(1, json.loads(text))]
    except ValueError:
        return [
            (n, value) for n, line in enumerate(text.split("\n"), 1) for value in _value(n, line)
        ]


def _value(number: int, line: str) -> Iterator[Any]:
    whole = line.strip()
    try:
        if whole[:1] in {"{", "["}:
            yield json.loads(whole)
        elif "{" in whole:
            yield json.loads(whole[whole.index("{") :])
    except ValueError as error:
        if whole[:1] == "{":  # what might have been a call must not count as none
            raise GivenError(f"line {number}: not JSON: {short(str(error))}") from None


def _look(found: Transcript, line: int, value: Any, depth: int) -> None:
    """Add what a value asks or answers, or what the values inside of it do."""
    if depth > _DEEPEST:
        raise UsageError(f"line {line}: nested too deeply to be a record of a call")
    if isinstance(value, list):
        if depth <= 1 and value and isinstance(value[0], str):
            found.ask(Call(line, op=_op(line, value)))
            return
        for one in value:
            _look(found, line, one, depth + 1)
    elif isinstance(value, dict):
        known = (_ours, _rpc, _chat, _block)
        if not any(form(found, line, value) for form in known):
            for name in _AROUND:
                if isinstance(value.get(name), dict | list):
                    _look(found, line, value[name], depth + 2)  # where a list is no op any more


def _ours(found: Transcript, line: int, value: dict[str, Any]) -> bool:
    if not isinstance(value.get("op"), list):
        return False
    call = Call(line, op=_op(line, value["op"]))
    if "output" in value:
        call.output = _size(value["output"])
    if type(value.get("tick")) is int:
        call.tick = value["tick"]
    found.ask(call)
    return True


def _op(line: int, value: list[Any]) -> object:
    try:
        return op_from_json(value)
    except (ValueError, TypeError, LookupError):
        raise UsageError(f"line {line}: an op with an argument that cannot be decoded") from None


def _rpc(found: Transcript, line: int, value: dict[str, Any]) -> bool:
    """Take a message of JSON-RPC; ids are used again by every session, so they are not unique."""
    method, key = value.get("method"), ("rpc", str(value.get("id")))
    params = _mapping(value.get("params"))
    if method == "tools/call" and isinstance(params.get("name"), str):
        call = Call(line, params["name"], _mapping(params.get("arguments")))
        found.ask(call, key, unique=False)
    elif method == READ_RESOURCE and isinstance(params.get("uri"), str):
        found.ask(Call(line, READ_RESOURCE, {"uri": params["uri"]}), key, unique=False)
    elif isinstance(method, str):
        if "jsonrpc" not in value:
            return False
        if "id" in value and method not in _HARMLESS:
            found.unjudged[method] = found.unjudged.get(method, 0) + 1
    elif "id" in value and ("jsonrpc" in value or found.awaits(key)):
        found.answer(key, _size(value.get("result")))
    else:
        return False
    return True


def _chat(found: Transcript, line: int, value: dict[str, Any]) -> bool:
    """Take a message of chat completions with its tool calls, or one that answers such a call."""
    if isinstance(value.get("tool_calls"), list):
        for one in value["tool_calls"]:
            inner = one.get("function") if isinstance(one, dict) else None
            if isinstance(inner, dict) and isinstance(inner.get("name"), str):
                call = Call(line, inner["name"], _arguments(line, inner.get("arguments")))
                found.ask(call, one.get("id") and ("chat", str(one["id"])))
        return True
    if value.get("role") == "tool" and "tool_call_id" in value:
        found.answer(("chat", str(value["tool_call_id"])), _size(value.get("content")))
        return True
    return False


def _block(found: Transcript, line: int, value: dict[str, Any]) -> bool:
    """Take a block that is a call, or the result of one."""
    match value:
        case {"type": "tool_use", "name": str(name), "id": str(key)}:
            found.ask(Call(line, name, _mapping(value.get("input"))), ("block", key))
        case {"type": "tool_result", "tool_use_id": str(key)}:
            found.answer(("block", key), _size(value.get("content")))
        case {"type": "function_call", "name": str(name), "call_id": str(key)}:
            call = Call(line, name, _arguments(line, value.get("arguments")))
            found.ask(call, ("function", key))
        case {"type": "function_call_output", "call_id": str(key)}:
            found.answer(("function", key), _size(value.get("output")))
        case _:
            return False
    return True


def _arguments(line: int, value: Any) -> Mapping[str, Any]:
    """Return arguments, which chat completions write as JSON in a text."""
    if not isinstance(value, str):
        return _mapping(value)
    try:
        return _mapping(json.loads(value or "{}"))
    except (ValueError, RecursionError):
        raise UsageError(f"line {line}: the arguments of a tool call are not JSON") from None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _size(value: Any) -> int:
    """Return how many bytes an answer brings: of text in UTF-8, of data as it is when decoded."""
    match value:
        case None:
            return 0
        case str():
            return len(value.encode("utf-8", "surrogatepass"))
        case list():
            return sum(map(_size, value))
        case {"text": str(text)}:
            return _size(text)
        case {"data": str(coded)} | {"blob": str(coded)}:
            return len(coded.rstrip("=")) * 3 // 4
        case {"content": inner} | {"contents": inner} | {"resource": inner}:
            return _size(inner)
    return len(json.dumps(value))

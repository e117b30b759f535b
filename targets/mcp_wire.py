"""
JSON-RPC 2.0 over the standard streams of a process, one message a line, as MCP has it.

Source: the Model Context Protocol, revisions 2024-11-05, 2025-03-26 and 2025-06-18: life cycle,
transports (stdio), tools.
"""

import contextlib
import json
import os
import select
import time
from typing import IO, Any

from capfuzz.targets.processes import Child

PROTOCOLS = ("2025-06-18", "2025-03-26", "2024-11-05")
MOST_BYTES = 4 * 1024 * 1024  # of one answer and of what stands before it
_PIECE = 256 * 1024
_MOST_DEPTH = 40
_NO_SUCH_METHOD = -32601


class Died(Exception):  # noqa: N818 - an observation, not an error of ours
    """The process ended, or closed its standard output."""


class Nonsense(Exception):  # noqa: N818
    """What came is no answer: too much of it, or not what the protocol says."""


class Wire:
    """One server process; ids count up, and an answer to an older question is skipped."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._asked = 0
        self._rest = b""
        stdin, out, err = child.process.stdin, child.process.stdout, child.process.stderr
        assert stdin is not None
        assert out is not None
        assert err is not None
        self._streams: list[IO[bytes]] = [out, err]
        os.set_blocking(stdin.fileno(), False)
        self._stdin = stdin.fileno()

    def open(self, seconds: float) -> dict[str, Any]:
        """
        Shake hands; returns what the server says of itself.

        The newest protocol is offered first, older ones to a server that answers with an error.
        """
        for version in PROTOCOLS:
            said = self.ask("initialize", _hello(version), seconds)
            result = said.get("result")
            if isinstance(result, dict) and isinstance(result.get("protocolVersion"), str):
                self._send({"method": "notifications/initialized"}, seconds)
                return result
        raise Nonsense(f"initialize was answered with {json.dumps(said)[:300]}")

    def ask(self, method: str, params: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return the answer as it came; raises `TimeoutError`, `Died`, `Nonsense`."""
        self._asked += 1
        deadline = time.monotonic() + seconds
        self._send({"id": self._asked, "method": method, "params": params}, seconds)
        taken = 0
        while True:
            line = self._line(deadline)
            taken += len(line)
            if taken > MOST_BYTES:
                raise Nonsense(f"more than {MOST_BYTES} bytes before the answer")
            message = _parsed(line)
            if message is None:  # a line of a log: not allowed there, and common
                self._child.keep(line)
                continue
            if "method" in message:
                self._serve(message, deadline)
            elif _is_id(message.get("id"), self._asked):
                return message

    def _serve(self, message: dict[str, Any], deadline: float) -> None:
        """Answer a question of the server: a ping is one, everything else is not offered."""
        if "id" not in message:
            return
        refusal = {"code": _NO_SUCH_METHOD, "message": "not offered by this client"}
        answer = {"result": {}} if message["method"] == "ping" else {"error": refusal}
        self._send({"id": message["id"], **answer}, max(0.01, deadline - time.monotonic()))

    def _send(self, message: dict[str, Any], seconds: float) -> None:
        # Lone surrogates go as escapes: ASCII alone is sent.
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        deadline = time.monotonic() + seconds
        while data:
            _, ready, _ = select.select([], [self._stdin], [], _left(deadline))
            if not ready:
                raise TimeoutError
            try:
                data = data[os.write(self._stdin, data[:4096]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise Died(self._child.drain()) from error

    def _line(self, deadline: float) -> bytes:
        while b"\n" not in self._rest:
            ready, _, _ = select.select(self._streams, [], [], _left(deadline))
            if not ready:
                raise TimeoutError
            for stream in ready:
                self._read(stream)
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _read(self, stream: IO[bytes]) -> None:
        if stream is self._streams[0]:
            self._take(stream.fileno())
        elif not self._child.drain_errors():  # closed: it would be ready for ever
            self._streams.remove(stream)

    def _take(self, stream: int) -> None:
        piece = b""
        with contextlib.suppress(BlockingIOError):
            piece = os.read(stream, _PIECE)
            if not piece:
                raise Died(self._child.drain())
        self._rest += piece
        if len(self._rest) > MOST_BYTES:
            raise Nonsense(f"a line of more than {MOST_BYTES} bytes")


def texts(value: Any, depth: int = 0) -> list[str]:
    """Return every text in a JSON value, wherever it stands; deeper ones than 40 levels not."""
    if isinstance(value, str):
        return [value]
    if depth > _MOST_DEPTH:
        return []
    if isinstance(value, dict):
        return [text for part in value.items() for one in part for text in texts(one, depth + 1)]
    if isinstance(value, list):
        return [text for part in value for text in texts(part, depth + 1)]
    return []


def _hello(version: str) -> dict[str, Any]:
    client = {"name": "capfuzz", "version": "1"}
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": client}


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _is_id(given: Any, asked: int) -> bool:
    return given == asked and not isinstance(given, bool)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left

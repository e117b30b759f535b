"""
Raw HTTP/1.1 on a loopback socket: a client that sends a request target exactly as it is given.

Libraries normalise paths, which is what an attacker does not do. Framing of answers after RFC 9112
(6.3): chunks, a length, or the end of the connection.
"""

import contextlib
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

MOST_BYTES = 4 * 1024 * 1024  # of one answer; what comes beyond is not read
_MOST_HEAD = 256 * 1024
_PIECE = 64 * 1024


class Gone(Exception):  # noqa: N818 - an observation, not an error of ours
    """Nobody listens where the server was."""


class NoAnswer(Exception):  # noqa: N818
    """The connection ended, or what came was no HTTP: the request was refused."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A status and as much of the body as was read."""

    status: int
    body: bytes


class Wire:
    """One server; the connection is used again as long as both sides can tell where answers end."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._host = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._socket: socket.socket | None = None
        self._rest = b""

    def ask(self, target: bytes, seconds: float) -> Reply:
        """
        Send ``GET target`` and return what is answered.

        ``target`` may not hold CR or LF, which would be a second request. Raises `TimeoutError`,
        `NoAnswer`, `Gone`.
        """
        if b"\r" in target or b"\n" in target:
            raise ValueError("a request target cannot hold a line end")
        deadline, fresh = time.monotonic() + seconds, self._socket is None
        try:
            return self._tried(target, deadline)
        except (NoAnswer, OSError) as error:
            self.close()
            if isinstance(error, TimeoutError | ConnectionRefusedError) or fresh:
                raise _told(error) from error
        try:  # the server had closed a connection that was kept
            return self._tried(target, deadline)
        except (NoAnswer, OSError) as error:
            self.close()
            raise _told(error) from error

    def close(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.close()
        self._socket, self._rest = None, b""

    def _tried(self, target: bytes, deadline: float) -> Reply:
        if self._socket is None:
            self._socket = socket.create_connection(self._address, _left(deadline))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _acknowledge(self._socket)
        self._socket.settimeout(_left(deadline))
        lines = (b"GET ", target, b" HTTP/1.1\r\nHost: ", self._host.encode(), _FIELDS)
        self._socket.sendall(b"".join(lines))
        return self._answer(deadline)

    def _answer(self, deadline: float) -> Reply:
        status, fields = self._head(deadline)
        while 100 <= status < 200:  # noqa: PLR2004 - interim answers (RFC 9110, 15.2)
            status, fields = self._head(deadline)
        reading = _Body(lambda: self._more(deadline), self._rest)
        ends = reading.read(status, fields)
        self._rest = reading.rest
        if not ends or "close" in fields.get("connection", "").lower() or self._rest:
            self.close()
        return Reply(status, bytes(reading.body))

    def _head(self, deadline: float) -> tuple[int, dict[str, str]]:
        while b"\r\n\r\n" not in self._rest and b"\n\n" not in self._rest:
            piece = self._more(deadline)
            if not piece or len(self._rest) > _MOST_HEAD:
                raise NoAnswer
            self._rest += piece
        end = b"\r\n\r\n" if b"\r\n\r\n" in self._rest else b"\n\n"
        head, _, self._rest = self._rest.partition(end)
        first, *lines = head.decode("latin-1").splitlines() or [""]
        words = first.split()
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdecimal():  # noqa: PLR2004
            raise NoAnswer
        named = (line.partition(":") for line in lines)
        return int(words[1]), {name.strip().lower(): value.strip() for name, _, value in named}

    def _more(self, deadline: float) -> bytes:
        assert self._socket is not None
        self._socket.settimeout(_left(deadline))
        piece = self._socket.recv(_PIECE)
        _acknowledge(self._socket)
        return piece


_FIELDS = b"\r\nUser-Agent: capfuzz\r\nAccept: */*\r\nAccept-Encoding: identity\r\n\r\n"


class _Body:
    """The body of one answer as it comes in; what follows it is ``rest``."""

    def __init__(self, more: Callable[[], bytes], rest: bytes) -> None:
        self._more = more
        self.rest = rest
        self.body = bytearray()

    def read(self, status: int, fields: dict[str, str]) -> bool:
        """Read what there is; return whether its end is known, so that another answer may follow."""
        try:
            if status in {204, 304}:
                return True
            if "chunked" in fields.get("transfer-encoding", "").lower():
                return self._chunks()
            length = fields.get("content-length", "")
            return self._take(int(length)) if length.isdecimal() else self._to_the_end()
        except (OSError, ValueError):  # what came until then is an answer, too
            self.body += self.rest
            self.rest = b""
            return False

    def _take(self, count: int) -> bool:
        room = min(count, MOST_BYTES - len(self.body))
        while len(self.rest) < room:
            piece = self._more()
            if not piece:
                raise ValueError("cut short")
            self.rest += piece
        self.body += self.rest[:room]
        self.rest = self.rest[room:]
        return room == count

    def _chunks(self) -> bool:
        while size := int(self._line().partition(b";")[0], 16):
            if not self._take(size):
                return False
            self._line()
        while self._line():  # trailers
            pass
        return True

    def _line(self) -> bytes:
        while b"\n" not in self.rest:
            piece = self._more()
            if not piece or len(self.rest) > _MOST_HEAD:
                raise ValueError("no line")
            self.rest += piece
        line, _, self.rest = self.rest.partition(b"\n")
        return line.rstrip(b"\r")

    def _to_the_end(self) -> bool:
        self.body += self.rest
        self.rest = b""
        while len(self.body) < MOST_BYTES and (piece := self._more()):
            self.body += piece
        return False


def _acknowledge(connection: socket.socket) -> None:
    """Let a server that sends head and body apart go on at once; the kernel forgets it soon."""
    if sys.platform == "linux":
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _told(error: Exception) -> Exception:
    if isinstance(error, TimeoutError | NoAnswer):
        return error
    return Gone(str(error)) if isinstance(error, ConnectionRefusedError) else NoAnswer(str(error))

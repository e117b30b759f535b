"""
A server that the suite starts itself: ``NAME(root, prefix, listener)`` in a process of its own.

The function serves ``root`` at ``prefix`` on a socket that already listens on loopback, until it is
ended. It may also replace itself by another program that is told the socket's number or its port.
"""

import socket
import sys
import time
from pathlib import Path

from capfuzz.targets.base import TargetError
from capfuzz.targets.planted import remove, scratch
from capfuzz.targets.processes import Child, program

_STARTING = 30.0  # seconds until the first answer
_STARTING_IN_ALL = 300.0  # seconds for all starts: some servers end at every odd request
_DEEP = "1/2/3"  # folders of ours above the served one


class Server:
    """The process, the folder that it serves and the port; restarted where a request ends it."""

    def __init__(self, spec: str, module: str, name: str, private: str = "") -> None:
        self._spec, self._module, self._name = spec, module, name
        self._base = scratch()
        self.folder = f"{self._base}/{_DEEP}/served"
        self.prefix = "/served/"
        Path(self.folder + private).mkdir(parents=True)
        self._private = private
        self._started = 0.0  # seconds
        self._child: Child | None = None
        self.port = _free_port()
        try:
            self.restart()
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._child is not None and self._child.alive

    def alive_after_a_while(self) -> bool:
        """Tell whether the process outlives the end of a connection, which comes first."""
        for _ in range(5):
            if not self.alive:
                return False
            time.sleep(0.01)
        return True

    def restart(self) -> None:
        """Start the process and wait until it answers; raises `TargetError`."""
        began = time.monotonic()
        if self._started > _STARTING_IN_ALL:
            raise TargetError(f"{self._spec}: ends again and again, and is not started any more")
        if self._child is not None:
            self._child.close()
        with _listener(self.port) as listener:
            self._child = Child(
                [sys.executable, "-c", self._program(listener.fileno())],
                self._base,
                self._base,
                env={"HOME": self._base, "CAPFUZZ_PRIVATE": self._private},
                pass_fds=(listener.fileno(),),
            )
        self._await()
        self._started += time.monotonic() - began

    def drain(self) -> None:
        """Read away what the process printed."""
        if self._child is not None:
            self._child.drain()

    def close(self) -> None:
        """End the process and remove its folder."""
        if self._child is not None:
            self._child.close()
        remove(self._base)

    def _program(self, fileno: int) -> str:
        serving = f"{self.folder!r}, {self.prefix!r}, socket.socket(fileno={fileno})"
        return program(self._module, self._name, serving)

    def _await(self) -> None:
        """Wait until something is answered: the socket listens before the function does."""
        assert self._child is not None
        deadline = time.monotonic() + _STARTING
        while time.monotonic() < deadline:
            if not self.alive:
                raise TargetError(f"{self._spec}: the server ended at once: {self._child.drain()}")
            if _answers(self.port):
                return
            time.sleep(0.02)
        raise TargetError(f"{self._spec}: no answer within {_STARTING:g} s: {self._child.drain()}")


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1.0) as one:
            one.sendall(b"GET /capfuzz-is-it-there HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
            return bool(one.recv(1))
    except OSError:
        return False


def _free_port() -> int:
    with _listener(0) as one:
        port: int = one.getsockname()[1]
    return port


def _listener(port: int) -> socket.socket:
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(("127.0.0.1", port))
    one.listen(64)
    return one

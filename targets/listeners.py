"""Sockets of ours on this machine that know who reached them: of protocols, frames and names."""

import contextlib
import fcntl
import os
import secrets
import select
import socket
import struct
from collections.abc import Iterator

from capfuzz.attacks.trace import Effect
from capfuzz.targets.base import TargetError

LOOPBACK = "127.0.0.1"
_DEVICE = "lo"
_BY_PORT = frozenset({"tcp", "udp", "port"})
_PROTOCOL, _ETHERTYPE = 253, 0x88B5  # for experiments: RFC 3692, IEEE 802
_GET_FLAGS, _UP = 0x8913, 1  # netdevice(7): SIOCGIFFLAGS, IFF_UP
_ARRIVING = 0.05  # seconds; what was sent over loopback is there at once
_PIECE = 4096


class Listeners:
    """
    One socket of each kind, and a token that only what runs inside the sandbox is told.

    ``folder`` is a real folder in which the unix socket stands.
    """

    def __init__(self, folder: str) -> None:
        self.token = secrets.token_hex(16)
        self.name = f"capfuzz-{secrets.token_hex(8)}"
        self.path = f"{folder}/socket"
        self._heard = {
            "tcp": _bound(socket.AF_INET, socket.SOCK_STREAM, (LOOPBACK, 0)),
            "udp": _bound(socket.AF_INET, socket.SOCK_DGRAM, (LOOPBACK, 0)),
            "port": _bound(socket.AF_INET, socket.SOCK_STREAM, (LOOPBACK, 0)),
            "unix": _bound_in(folder, os.path.basename(self.path)),
            "abstract": _bound(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self.name),
            **dict(_of_root()),
        }

    @property
    def opened(self) -> tuple[int, ...]:
        """The ports that are open where this machine is granted and a system has a say in ports."""
        return tuple(self._heard[kind].getsockname()[1] for kind in ("tcp", "udp"))

    def arguments(self, kind: str) -> tuple[str | int, ...]:
        """Return what the probe is told for ``net_KIND``."""
        if kind in _BY_PORT:
            return (*self._heard[kind].getsockname(), self.token)
        if kind in _OF_ROOT:
            return (_OF_ROOT[kind], self.token)
        return (self.path if kind == "unix" else self.name, self.token)

    def reached(self, seconds: float) -> tuple[Effect, ...]:
        """Return a fetch for every socket at which the token arrives within so many seconds."""
        ready, _, _ = select.select(list(self._heard.values()), [], [], seconds)
        found = [kind for kind, one in self._heard.items() if one in ready and self._told(one)]
        return tuple(Effect("fetch", place_of(kind), len(self.token)) for kind in found)

    def close(self) -> None:
        """Close all."""
        for one in self._heard.values():
            one.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)

    def _told(self, one: socket.socket) -> bool:
        return any(self.token.encode() in said for said in _said(one))


def place_of(kind: str) -> str:
    """Return what a report calls the place that a socket of ours stands for."""
    if kind == "port":
        return f"{LOOPBACK}, another port"
    return LOOPBACK if kind in {*_BY_PORT, *_OF_ROOT} else f"{kind}-socket"


_OF_ROOT = {"raw": LOOPBACK, "packet": _DEVICE}  # where each is sent


def _of_root() -> Iterator[tuple[str, socket.socket]]:
    """Yield the sockets that root alone may have; who may not hear may not send, either."""
    with contextlib.suppress(PermissionError):
        yield "raw", _bound(socket.AF_INET, socket.SOCK_RAW, (LOOPBACK, 0), _PROTOCOL)
        _check_device()
        frames = socket.htons(_ETHERTYPE)
        yield "packet", _bound(socket.AF_PACKET, socket.SOCK_DGRAM, (_DEVICE, _ETHERTYPE), frames)


def _check_device() -> None:
    """Raise `TargetError` where nothing that is sent over loopback would arrive."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        told = fcntl.ioctl(asked, _GET_FLAGS, struct.pack("16sH14x", _DEVICE.encode(), 0))
    if not struct.unpack_from("16xH", told)[0] & _UP:
        raise TargetError(f"the loopback device is down here: ip link set {_DEVICE} up")


def _bound(
    family: int, kind: int, address: tuple[str, int] | str, protocol: int = 0
) -> socket.socket:
    made = socket.socket(family, kind, protocol)
    made.settimeout(0)
    made.bind(address)
    if kind == socket.SOCK_STREAM:
        made.listen(16)
    return made


def _bound_in(folder: str, name: str) -> socket.socket:
    """Bind in a folder that may be longer than an address has room for (108 bytes, unix(7))."""
    opened = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        return _bound(socket.AF_UNIX, socket.SOCK_STREAM, f"/proc/self/fd/{opened}/{name}")
    finally:
        os.close(opened)


def _said(one: socket.socket) -> Iterator[bytes]:
    """Yield what was sent to a socket by everyone who has come."""
    with contextlib.suppress(BlockingIOError):
        while one.type != socket.SOCK_STREAM:
            yield one.recv(_PIECE)
        while True:
            made, _ = one.accept()
            with made, contextlib.suppress(OSError):
                made.settimeout(_ARRIVING)
                yield made.recv(_PIECE)

"""Look-ups of names without a network: a fixed zone answers, and nothing leaves this machine."""

import ipaddress
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from capfuzz.attacks.ssrf import ZONE

_LOOK_UPS = ("getaddrinfo", "gethostbyname", "gethostbyname_ex")
_ASKS = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
_SENDS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_active: list["Lookups"] = []
_hooked: list[bool] = []


class Lookups:
    """The names that were looked up meanwhile."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def addresses(self, host: Any) -> tuple[str, ...]:
        """Return the addresses of a literal or of a name in the zone; raises ``gaierror``."""
        name = host.decode("ascii") if isinstance(host, bytes | bytearray) else host
        if name is None or name == "":
            return ("127.0.0.1",)
        if (literal := _literal(name)) is not None:
            return (literal,)
        self.asked.append(name)
        found = ZONE.get(name.lower().removesuffix("."))
        if found is None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return found

    def getaddrinfo(self, host: Any, port: Any, family: int = 0, *rest: Any, **named: Any) -> Any:
        """Answer as `socket.getaddrinfo` does, for every address of a name in turn."""
        found = [
            one
            for address in self.addresses(host)
            if family in {0, _family(address)}
            for one in _real["getaddrinfo"](address, port, family, *rest, **named)
        ]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "No address associated with hostname")
        return found

    def gethostbyname(self, host: Any) -> str:
        """Answer as `socket.gethostbyname` does: the first IPv4 address."""
        return self.gethostbyname_ex(host)[2][0]

    def gethostbyname_ex(self, host: Any) -> tuple[str, list[str], list[str]]:
        """Answer as `socket.gethostbyname_ex` does: all IPv4 addresses."""
        found = [one for one in self.addresses(host) if _family(one) == socket.AF_INET]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "No address associated with hostname")
        return (host, [], found)


_real: dict[str, Callable[..., Any]] = {name: getattr(socket, name) for name in _LOOK_UPS}


@contextmanager
def no_network() -> Iterator[Lookups]:
    """
    Let the fixed zone answer while the block runs, and what would leave this machine fail.

    An audit hook stops what goes past the functions of `socket`. A hook cannot be taken away
    again: between two blocks it does nothing.
    """
    if not _hooked:
        sys.addaudithook(_stop)
        _hooked.append(True)
    lookups = Lookups()
    _active.append(lookups)
    for name in _LOOK_UPS:
        setattr(socket, name, getattr(lookups, name))
    try:
        yield lookups
    finally:
        for name, function in _real.items():
            setattr(socket, name, function)
        _active.clear()


def _stop(event: str, arguments: tuple[Any, ...]) -> None:
    if not _active or not (event in _ASKS or event in _SENDS):
        return
    if event in _ASKS:
        if arguments[0] is None or _literal(_text(arguments[0])) is not None:
            return
        raise socket.gaierror(socket.EAI_AGAIN, "names are not looked up off this machine")
    address = arguments[1]
    host = address[0] if isinstance(address, tuple) and address else None
    if host is None or _is_loopback(_text(host)):
        return
    raise OSError(f"nothing is sent off this machine: {host!r}")


def _text(host: Any) -> str:
    return host.decode("latin-1") if isinstance(host, bytes | bytearray) else str(host)


def _literal(text: str) -> str | None:
    """Return the address that getaddrinfo(3) reads without asking anybody."""
    try:
        return socket.inet_ntoa(socket.inet_aton(text))
    except (OSError, ValueError):
        pass
    try:
        return str(ipaddress.IPv6Address(text))
    except ValueError:
        return None


def _is_loopback(text: str) -> bool:
    literal = _literal(text)
    return literal is not None and ipaddress.ip_address(literal.partition("%")[0]).is_loopback


def _family(address: str) -> int:
    return socket.AF_INET6 if ":" in address else socket.AF_INET

"""The guards of hosts and tools: exact names, nothing that merely resembles one."""

import string
from collections.abc import Iterable
from ipaddress import ip_address

from capfuzz.targets.right.refusals import DenialError

_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_LABEL = frozenset(string.ascii_lowercase + string.digits + "-_")
_LONGEST_NAME, _LONGEST_LABEL = 253, 63


def lowered(text: str) -> str:
    """Return ``text`` with A to Z lowered and no other character touched."""
    return text.translate(_ASCII_LOWER)


def is_name(name: str) -> bool:
    """Tell whether ``name`` consists of host labels (RFC 1123, and the underscore)."""
    return len(name) <= _LONGEST_NAME and all(
        0 < len(label) <= _LONGEST_LABEL and _LABEL.issuperset(label) for label in name.split(".")
    )


def is_number(label: str) -> bool:
    """Tell whether the WHATWG URL standard reads a last label as part of an IPv4 address."""
    if label.startswith("0x"):
        return set(label[2:]) <= set(string.hexdigits)
    return set(label) <= set(string.digits)


def is_canonical_ip(host: str) -> bool:
    """Tell whether ``host`` is an address in the one spelling that it prints as."""
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return str(address) == host and "%" not in host and not getattr(address, "ipv4_mapped", None)


class HostGuard:
    """Compares whole names, after ASCII case and one trailing dot are taken away."""

    def __init__(self, hosts: Iterable[str]) -> None:
        self.hosts = frozenset(filter(None, map(self.plain, hosts)))

    def admit(self, host: str) -> str:
        """Return the host to contact; raises `DenialError` where it is not granted."""
        plain = self.plain(host)
        if plain is None or not self.covers(plain):
            raise DenialError("egress_denied")
        return plain

    def covers(self, plain: str) -> bool:
        """Tell whether the plain form of a host is granted."""
        return plain in self.hosts

    def plain(self, host: str) -> str | None:
        """Return the form under which hosts are compared, or None for what is no plain host."""
        if ":" in host:
            return host if is_canonical_ip(host) else None
        name = lowered(host).removesuffix(".")
        if not is_name(name):
            return None
        if is_number(name.rpartition(".")[2]):
            return host if is_canonical_ip(host) else None
        return name


class ToolGuard:
    """Compares whole names as they stand."""

    def __init__(self, tools: Iterable[str]) -> None:
        self.tools = frozenset(tools)

    def admit(self, name: str) -> str:
        """Return the name of the tool to call; raises `DenialError` where it is not granted."""
        if not self.covers(name):
            raise DenialError("tool_denied")
        return name

    def covers(self, name: str) -> bool:
        """Tell whether ``name`` is granted."""
        return name in self.tools

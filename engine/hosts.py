"""
Host checks: exact names only, one spelling for an address.

Anything that a lenient client would read as another host (CWE-918, CWE-1389) is not a host here.
"""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
# RFC 1123 labels, and the underscore that real names use; 63 octets a label.
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_MAX_NAME = 253
# The WHATWG URL standard: a host whose last label is such a number is an IPv4 address.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


def ascii_lower(text: str) -> str:
    """Return ``text`` with A-Z lowered and nothing else: no Kelvin sign, no dotted I."""
    return text.translate(_ASCII_LOWER)


def normal_host(host: str) -> str | None:
    """
    Return the one form under which ``host`` is compared, or None where it is not a plain host.

    Names lose ASCII case and one trailing dot; an IP literal passes only as it stands.
    """
    if ":" in host:
        return host if _is_canonical_ipv6(host) else None
    name = ascii_lower(host).removesuffix(".")
    if len(name) > _MAX_NAME or _NAME.fullmatch(name) is None:
        return None
    if _is_address(name):
        return host if _is_canonical_ipv4(host) else None
    return name


class Hosts(frozenset[str]):
    """Granted hosts, each in its one form; immutable."""

    __slots__ = ()

    def admit(self, host: str) -> bool:
        """Tell whether ``host`` is granted: ``normal_host(host) in self``, at a part of its price."""
        if host in self:
            return True
        name = host.lower().removesuffix(".")
        if name == host:  # not looked for a second time: among many hosts that is what costs
            return False
        # Beyond ASCII, lower() folds more than case; and an address has one spelling alone.
        return name in self and host.isascii() and not _is_address(name)


def _is_address(name: str) -> bool:
    return ":" in name or _NUMBER.fullmatch(name.rpartition(".")[2]) is not None


def _is_canonical_ipv4(host: str) -> bool:
    try:
        return str(IPv4Address(host)) == host
    except AddressValueError:
        return False


def _is_canonical_ipv6(host: str) -> bool:
    try:
        address = IPv6Address(host)
    except AddressValueError:
        return False
    # A zone id is not a plain host, and a mapped address is IPv4 in disguise.
    plain = address.scope_id is None and address.ipv4_mapped is None
    return plain and str(address) == host

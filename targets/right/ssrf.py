"""Ssrf targets that let only the public internet through, in several styles: ``NAME(text)``."""

import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from capfuzz.attacks.case import Surface
from capfuzz.targets.right.registry import right

_V4_INSIDE = tuple(
    ip_network(block)
    for block in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"),
    )
)
_V6_GLOBAL = ip_network("2000::/3")
_V6_INSIDE = tuple(
    ip_network(block) for block in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)
_PLAIN_REST = r"(?:[/?#][!-\[\]-~]*)?"


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is global unicast and carries no other."""
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _V4_INSIDE)
    return address in _V6_GLOBAL and not any(address in block for block in _V6_INSIDE)


@right(Surface.SSRF, "the one spelling that an address prints as, then a table")
def canonical_address(address: str) -> bool:
    """Tell whether a canonical address is public; raises ValueError for what is no address."""
    read = ip_address(address)
    return str(read) == address and _is_public(read)


@right(Surface.SSRF, "reads as inet_aton does and judges the value")
def by_value(host: str) -> bool:
    """Tell whether an address, in any spelling that a C library takes, is public."""
    text = host.removesuffix(".")
    if ":" in text:
        return _is_public(IPv6Address(text.strip("[]").partition("%")[0]))
    return text.isascii() and _is_public(IPv4Address(socket.inet_aton(text)))


@right(Surface.SSRF, "octets and groups, without a library")
def by_octets(address: str) -> bool:
    """Tell whether four plain octets, or groups that begin with 2 or 3, are public."""
    if re.fullmatch(r"[23][0-9a-f]{3}(?::[0-9a-f]{0,4}){2,7}", address):
        first, second = (int(part or "0", 16) for part in address.split(":")[:2])
        special = first == 0x2002 or (first == 0x2001 and (second < 0x200 or second == 0xDB8))  # noqa: PLR2004
        return not special and first < 0x3FFF  # noqa: PLR2004
    if not re.fullmatch(r"(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}", address):
        return False
    a, b, c, d = map(int, address.split("."))
    return max(a, b, c, d) <= 255 and not _is_special(a, b, c)  # noqa: PLR2004


def _is_special(a: int, b: int, c: int) -> bool:
    return (
        a in {0, 10, 127}
        or a >= 224  # noqa: PLR2004
        or (a, b) in {(169, 254), (192, 168), (198, 18), (198, 19)}
        or (a == 100 and 64 <= b < 128)  # noqa: PLR2004
        or (a == 172 and 16 <= b < 32)  # noqa: PLR2004
        or (a, b, c) in {(192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113)}
    )


@right(Surface.SSRF, "a strict pattern of the URL, addresses only")
def literal_urls(url: str) -> bool:
    """Tell whether a plain URL names a public address; names are left to others."""
    plain = re.fullmatch(rf"https?://(?:\[([0-9a-f:]+)\]|([0-9.]+)){_PLAIN_REST}", url)
    return plain is not None and canonical_address(plain[1] or plain[2])


@right(Surface.SSRF, "resolves the host and judges every address")
def resolved_urls(url: str) -> bool:
    """Tell whether all that a plain URL's host resolves to is public."""
    if not re.fullmatch(r"https?://[!-\[\]-~]+", url):
        return False
    parts = urlsplit(url)
    if parts.hostname is None or "@" in parts.netloc or "%" in parts.netloc:
        return False
    found = socket.getaddrinfo(parts.hostname, parts.port or 80, type=socket.SOCK_STREAM)
    return bool(found) and all(_is_public(ip_address(one[4][0])) for one in found)


@right(Surface.SSRF, "names of a list, and no addresses but public ones")
def names_by_ending(host: str) -> bool:
    """Tell whether a host is a public address or a name below a public suffix that is known."""
    if re.fullmatch(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", host):
        return host in {"www.public.test", "example.com"}
    return canonical_address(host)

"""
Whether an address is public, as the standard library says.

They run on old Pythons too, and keep to what Python 3.7 reads.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_global(address: str) -> bool:
    """Tell whether ``ipaddress`` calls an address global."""
    return ipaddress.ip_address(address).is_global


def outside_blocks(address: str) -> bool:
    """Tell whether an address lies in none of the private blocks."""
    asked = ipaddress.ip_address(address)
    blocks = map(ipaddress.ip_network, _BLOCKS)
    return asked.version == 4 and not any(asked in block for block in blocks)  # noqa: PLR2004


def urls(url: str) -> bool:
    """Tell whether a URL names a global address, written the usual way."""
    parts = urlsplit(url)
    return parts.scheme in ("http", "https") and is_global(parts.hostname or "")


def plain_urls(url: str) -> bool:
    """Tell whether a URL that every client reads alike names a global address."""
    return all("!" <= one <= "~" and one != "\\" for one in url) and urls(url)


_BLOCKS = (
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15"),
    *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"),
)

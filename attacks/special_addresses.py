"""
Which addresses a request to the public internet may not go to, from the registries themselves.

The IANA special-purpose registries of IPv4 and IPv6 (RFC 6890), the multicast and reserved
blocks, and the forms in which an IPv6 address carries an IPv4 one. Written as a table and walked
one row at a time; `ipaddress` serves to read addresses, and is never asked what they are for.
"""

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = str


class Reach(StrEnum):
    """Where an address leads: inside, to the public internet, or where right targets differ."""

    INTERNAL = "internal"
    PUBLIC = "public"
    OPEN = "open"


# Not globally reachable, by the registries: network, then what it is for and who says so.
INTERNAL: dict[Network, str] = {
    "0.0.0.0/8": "this network, RFC 791",
    "10.0.0.0/8": "private use, RFC 1918",
    "100.64.0.0/10": "shared by carriers, RFC 6598",
    "127.0.0.0/8": "loopback, RFC 1122",
    "169.254.0.0/16": "link-local, RFC 3927",
    "172.16.0.0/12": "private use, RFC 1918",
    "192.0.0.0/24": "protocol assignments, RFC 6890",
    "192.0.2.0/24": "documentation, RFC 5737",
    "192.168.0.0/16": "private use, RFC 1918",
    "198.18.0.0/15": "benchmarking, RFC 2544",
    "198.51.100.0/24": "documentation, RFC 5737",
    "203.0.113.0/24": "documentation, RFC 5737",
    "224.0.0.0/4": "multicast, RFC 5771",
    "240.0.0.0/4": "reserved and broadcast, RFC 1112",
    "::/128": "unspecified, RFC 4291",
    "::1/128": "loopback, RFC 4291",
    "64:ff9b:1::/48": "local translation, RFC 8215",
    "100::/64": "discard only, RFC 6666",
    "2001::/23": "protocol assignments, RFC 2928",
    "2001:db8::/32": "documentation, RFC 3849",
    "fc00::/7": "unique local, RFC 4193",
    "fe80::/10": "link-local, RFC 4291",
    "fec0::/10": "site-local, RFC 3879",
    "ff00::/8": "multicast, RFC 4291",
}

# Reachable by the registries though they lie in the blocks above, or assigned only lately, or
# neither: whoever refuses them is right, and whoever lets them through has let nothing in.
OPEN: dict[Network, str] = {
    "168.63.129.16/32": "a public address that one cloud keeps for its own hosts",
    "192.0.0.9/32": "port control anycast, RFC 7723",
    "192.0.0.10/32": "relaying anycast, RFC 8155",
    "192.31.196.0/24": "AS112, RFC 7535",
    "192.52.193.0/24": "multicast tunnelling, RFC 7450",
    "192.88.99.0/24": "relays of 6to4, RFC 7526",
    "192.175.48.0/24": "AS112, RFC 7534",
    "100:0:0:1::/64": "dummy prefix, RFC 9780",
    "2001:1::1/128": "port control anycast, RFC 7723",
    "2001:1::2/128": "relaying anycast, RFC 8155",
    "2001:1::3/128": "service registration anycast, RFC 9665",
    "2001:3::/32": "multicast tunnelling, RFC 7450",
    "2001:4:112::/48": "AS112, RFC 7535",
    "2001:20::/28": "identifiers of hosts, RFC 7343",
    "2001:30::/28": "identifiers of drones, RFC 9374",
    "2620:4f:8000::/48": "AS112, RFC 7534",
    "3fff::/20": "documentation, RFC 9637",
    "5f00::/16": "segment routing, RFC 9602",
}

# Network, then how far from the right the IPv4 address ends, and whether its bits are inverted.
_EMBEDDED: tuple[tuple[Network, int, bool], ...] = (
    ("::ffff:0:0/96", 0, False),  # mapped, RFC 4291, 2.5.5.2
    ("::ffff:0:0:0/96", 0, False),  # translated, RFC 2765
    ("64:ff9b::/96", 0, False),  # NAT64, RFC 6052
    ("2002::/16", 80, False),  # 6to4, RFC 3056
    ("2001::/32", 0, True),  # the client of Teredo, RFC 4380
    ("::/96", 0, False),  # compatible, RFC 4291, 2.5.5.1
)
_GLOBAL_UNICAST = "2000::/3"
_BITS = 0xFFFFFFFF


def within(address: Address, network: Network) -> bool:
    """Tell whether an address lies in a network; never one of the other version."""
    return address in _network(network)


_network = lru_cache(maxsize=256)(ip_network)


@lru_cache(maxsize=16_384)
def reach(text: str) -> Reach:
    """Return where a canonical address leads; raises ValueError for what is none."""
    address = ip_address(text)
    if address.version == 6 and _is_loose(address):  # noqa: PLR2004
        return _reach_of_carrier(address)
    if any(within(address, one) for one in OPEN):
        return Reach.OPEN
    if any(within(address, one) for one in INTERNAL):
        return Reach.INTERNAL
    routed = address.version == 4 or within(address, _GLOBAL_UNICAST)  # noqa: PLR2004
    return Reach.PUBLIC if routed else Reach.OPEN


def _is_loose(address: Address) -> bool:
    """Tell whether an IPv6 address carries an IPv4 one, and is not ``::`` or ``::1``."""
    return int(address) > 1 and any(within(address, network) for network, _, _ in _EMBEDDED)


def _reach_of_carrier(address: Address) -> Reach:
    """Return where a carrier leads: inside with what it carries, and right targets differ else."""
    inner = {reach(str(one)) for one in carried(address)}
    return Reach.INTERNAL if Reach.INTERNAL in inner else Reach.OPEN


def carried(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 address carries in one of the registered forms."""
    for network, shift, inverted in _EMBEDDED:
        if within(address, network):
            bits = int(address) >> shift & _BITS
            yield IPv4Address(bits ^ _BITS if inverted else bits)

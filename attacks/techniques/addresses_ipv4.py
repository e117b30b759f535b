"""Spellings of a granted IPv4 address that inet_aton(3) and the WHATWG URL standard take for it."""

from collections.abc import Iterator
from ipaddress import IPv4Address

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import octets, of_ipv4

_ALIAS = "normalises addresses as inet_aton(3) does for the check, so that one has many spellings"
_SURFACES = ("session",)
_CWE = "CWE-1389"


def _tail(host: str, parts: int) -> int:
    """Return the number that stands for the octets from ``parts - 1`` on."""
    return int.from_bytes(bytes(octets(host)[parts - 1 :]))


def _short(host: str, parts: int, heads: str = "d", tail: str = "d") -> str:
    """Write the address in ``parts`` numbers: ``d`` decimal, ``#x`` hexadecimal, ``o`` octal."""
    written = [f"{one:{heads}}" for one in octets(host)[: parts - 1]]
    return ".".join([*written, f"{_tail(host, parts):{tail}}"])


@technique(
    "ipv4-decimal",
    kind=Kind.HOST,
    group="ipv4-spelling",
    cwe=_CWE,
    surfaces=_SURFACES,
    needs=_ALIAS,
)
@of_ipv4
def ipv4_decimal(host: str) -> Iterator[str]:
    """Write the address as one decimal number, plain and with a dot after it."""
    yield _short(host, 1)
    yield _short(host, 1) + "."


@technique(
    "ipv4-hex", kind=Kind.HOST, group="ipv4-spelling", cwe=_CWE, surfaces=_SURFACES, needs=_ALIAS
)
@of_ipv4
def ipv4_hex(host: str) -> Iterator[str]:
    """Write the address as one hexadecimal number, in lower and upper case, with zeros before."""
    yield _short(host, 1, tail="#x")
    yield _short(host, 1, tail="#X")
    yield _short(host, 1, tail="#018x")


@technique(
    "ipv4-octal", kind=Kind.HOST, group="ipv4-spelling", cwe=_CWE, surfaces=_SURFACES, needs=_ALIAS
)
@of_ipv4
def ipv4_octal(host: str) -> Iterator[str]:
    """Write the address as one octal number, with one zero before it and with several."""
    yield "0" + _short(host, 1, tail="o")
    yield "0000" + _short(host, 1, tail="o")


@technique(
    "ipv4-short", kind=Kind.HOST, group="ipv4-spelling", cwe=_CWE, surfaces=_SURFACES, needs=_ALIAS
)
@of_ipv4
def ipv4_short(host: str) -> Iterator[str]:
    """Write the address in two and in three parts, as once class A and B addresses were."""
    yield _short(host, 2)
    yield _short(host, 3)
    yield _short(host, 2, heads="#x", tail="#x")
    yield _short(host, 3, heads="#x")


@technique(
    "ipv4-dotted-hex",
    kind=Kind.HOST,
    group="ipv4-spelling",
    cwe=_CWE,
    surfaces=_SURFACES,
    needs=_ALIAS,
)
@of_ipv4
def ipv4_dotted_hex(host: str) -> Iterator[str]:
    """Write each octet in hexadecimal, with and without zeros before it."""
    yield _short(host, 4, "#x", "#x")
    yield _short(host, 4, "#06x", "#06x")
    yield _short(host, 4, "#X", "#X")


@technique(
    "ipv4-dotted-octal",
    kind=Kind.HOST,
    group="ipv4-spelling",
    cwe=_CWE,
    surfaces=_SURFACES,
    needs=_ALIAS,
)
@of_ipv4
def ipv4_dotted_octal(host: str) -> Iterator[str]:
    """Write each octet in octal, with one zero before it and with many."""
    yield ".".join(f"0{one:o}" for one in octets(host))
    yield ".".join(f"0000000{one:o}" for one in octets(host))


@technique(
    "ipv4-mixed", kind=Kind.HOST, group="ipv4-spelling", cwe=_CWE, surfaces=_SURFACES, needs=_ALIAS
)
@of_ipv4
def ipv4_mixed(host: str) -> Iterator[str]:
    """Mix the bases within one address, one odd octet among plain ones included."""
    first, second, third, fourth = octets(host)
    yield f"{first:#x}.{second}.{third}.{fourth}"
    yield f"{first}.{second}.{third}.0{fourth:o}"
    yield f"{first:#x}.0{second:o}.{third}.{fourth:#x}"
    yield f"{first}.{second:#x}.0{_tail(host, 3):o}"


@technique(
    "ipv4-trailing-dot",
    kind=Kind.HOST,
    group="ipv4-trailing-dot",
    cwe="CWE-42",
    surfaces=_SURFACES,
    needs="takes dots away at the end, and passes on more of them than one",
)
@of_ipv4
def ipv4_trailing_dot(host: str) -> Iterator[str]:
    """End the address with one dot, two, and one after a short form."""
    yield f"{host}."
    yield f"{host}.."
    yield f"{_short(host, 2)}."


@technique(
    "ipv4-byte-order",
    kind=Kind.NAME,
    group="ipv4-byte-order",
    cwe="CWE-198",
    surfaces=("session", "host"),
    needs="reads a number in the machine's byte order, where the network's is meant",
)
@of_ipv4
def ipv4_byte_order(host: str) -> Iterator[str]:
    """Write the address as one number with its octets in reverse: a client goes elsewhere."""
    number = int.from_bytes(bytes(octets(host)), "little")
    yield str(number)
    yield f"{number:#x}"
    yield str(IPv4Address(number))

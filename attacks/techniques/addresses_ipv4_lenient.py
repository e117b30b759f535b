"""Texts that a lenient reader takes for a granted IPv4 address, and a client does not."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import octets, of_ipv4, others

_BOTH = ("session", "host")


@technique(
    "ipv4-octal-misread",
    kind=Kind.NAME,
    group="ipv4-octal-misread",
    cwe="CWE-1389",
    surfaces=_BOTH,
    needs="reads a padded octet as decimal, while its client reads it as octal",
    refs=("CVE-2021-29921", "CVE-2021-28918"),
)
@of_ipv4
def ipv4_octal_misread(host: str) -> Iterator[str]:
    """Pad octets with zeros: decimal to one reader, octal, so another address, to the next."""
    parts = host.split(".")
    for index, part in enumerate(parts):
        yield ".".join([*parts[:index], f"0{part}", *parts[index + 1 :]])
    yield ".".join(f"{int(part):03}" for part in parts)
    yield ".".join(f"0{int(part):03}" for part in parts)


@technique(
    "ipv4-overflow",
    kind=Kind.NAME,
    group="ipv4-overflow",
    cwe="CWE-190",
    surfaces=("session",),
    needs="keeps the low bits of a number that is too large for its place",
)
@of_ipv4
def ipv4_overflow(host: str) -> Iterator[str]:
    """Add 256 to an octet and 2**32 to the number; give a part more than it can hold."""
    parts = octets(host)
    yield ".".join(map(str, [parts[0] + 256, *parts[1:]]))
    yield ".".join(map(str, [*parts[:3], parts[3] + 256]))
    number = int.from_bytes(bytes(parts))
    yield str(number + 2**32)
    yield f"{number + 2**32:#x}"
    yield str(number + 2**64)
    yield str(number - 2**32)
    yield f"{parts[0]}.{number}"


@technique(
    "ipv4-extra-parts",
    kind=Kind.NAME,
    group="ipv4-parts",
    cwe="CWE-1286",
    surfaces=("session",),
    needs="reads four octets and ignores the rest, or fills in what is missing",
)
@of_ipv4
def ipv4_extra_parts(host: str) -> Iterator[str]:
    """Add a fifth octet at either end, leave one out or empty, and add what is no octet."""
    parts = host.split(".")
    yield f"{host}.0"
    yield f"0.{host}"
    yield f"{host}.50"
    yield ".".join(parts[:3])
    yield ".".join([*parts[:2], "", *parts[2:]])
    yield ".".join([*parts[:3], ""])
    yield f".{host}"
    yield f"{host}x"
    yield f"{host} x"
    yield f"{host}:"


@technique(
    "ipv4-lenient-number",
    kind=Kind.NAME,
    group="ipv4-lenient-number",
    cwe="CWE-1286",
    surfaces=("session",),
    needs="reads each octet with a number parser: signs, blanks, underscores, prefixes, exponents",
)
@of_ipv4
def ipv4_lenient_number(host: str) -> Iterator[str]:
    """Write the first octet in ways that number parsers of programming languages accept."""
    first, _, rest = host.partition(".")
    number = int(first)
    yield f"+{host}"
    yield f"-{number - 256}.{rest}" if number > 256 else f"{number - 256}.{rest}"  # noqa: PLR2004
    yield f"{first[0]}_{first[1:]}.{rest}" if len(first) > 1 else f"0_{first}.{rest}"
    yield f"0o{number:o}.{rest}"
    yield f"0b{number:b}.{rest}"
    yield f"{number / 10:g}e1.{rest}"
    yield f"0x{number:x}p0.{rest}"
    yield f"{first}L.{rest}"
    yield f" {first} .{rest}"
    yield f"{first}. {rest}"
    yield f"{number:x}h.{rest}"


@technique(
    "ipv4-digits",
    kind=Kind.NAME,
    group="ipv4-digits",
    cwe="CWE-176",
    surfaces=("session", "host"),
    needs="takes digits of other scripts for digits, as int(), isdigit() and NFKC do",
)
@of_ipv4
def ipv4_digits(host: str) -> Iterator[str]:
    """Write the digits in Arabic, Devanagari, full-width, bold, circled and raised form."""
    for zero in (0x660, 0x966, 0xFF10, 0x1D7CE):
        yield "".join(chr(zero + int(one)) if one.isdigit() else one for one in host)
    circled = str.maketrans("0123456789", "⓪①②③④⑤⑥⑦⑧⑨")
    raised = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    yield host.translate(circled)
    yield host.translate(raised)
    yield host.replace(".", "\u3002")
    yield host.replace(".", "\uff0e", 1)


@technique(
    "ipv4-prefix",
    kind=Kind.NAME,
    group="ipv4-prefix",
    cwe="CWE-187",
    surfaces=_BOTH,
    needs="compares addresses as text, by how they begin or end",
)
@of_ipv4
def ipv4_prefix(host: str) -> Iterator[str]:
    """Name real addresses whose text begins or ends with the granted one's, or lies in it."""
    yield f"{host}0"
    yield f"{host}1"
    yield f"1{host}"
    if len(host.rpartition(".")[2]) > 1:
        yield host[:-1]


@technique(
    "ipv4-range",
    kind=Kind.NAME,
    group="ipv4-range",
    cwe="CWE-183",
    surfaces=_BOTH,
    needs="takes a granted address for its network: the last octets are not compared",
)
@of_ipv4
def ipv4_range(host: str) -> Iterator[str]:
    """Name neighbours of the address, one in each network that a mask could make of it."""
    first, second, third, fourth = octets(host)
    yield f"{first}.{second}.{third}.{fourth ^ 1}"
    yield f"{first}.{second}.{third}.{fourth ^ 128}"
    yield f"{first}.{second}.{third ^ 1}.{fourth}"
    yield f"{first}.{second ^ 1}.{third}.{fourth}"
    yield f"{first}.{second}.{third}.0"
    yield f"{first}.{second}.{third}.255"


@technique(
    "ipv4-cidr",
    kind=Kind.NAME,
    group="ipv4-cidr",
    cwe="CWE-1286",
    surfaces=("session",),
    needs="reads the asked host as a network, a range or a pattern",
)
@of_ipv4
def ipv4_cidr(host: str) -> Iterator[str]:
    """Give a network that holds the address: by prefix, by mask, as a range, with a wildcard."""
    parts = host.split(".")
    yield f"{host}/32"
    yield f"{host}/0"
    yield "0.0.0.0/0"
    yield f"{'.'.join(parts[:3])}.0/24"
    yield f"{host}/255.255.255.255"
    yield f"{host}-255"
    yield f"{'.'.join(parts[:3])}.*"


@technique(
    "ipv4-loopback",
    kind=Kind.NAME,
    group="loopback",
    cwe="CWE-183",
    surfaces=_BOTH,
    needs="takes all that reaches this machine for the one address that was granted",
)
@others
def ipv4_loopback(host: str) -> Iterator[str]:
    """Where this machine is granted by one address, name it by others and by name."""
    del host
    yield from ("127.0.0.2", "127.255.255.254", "0.0.0.0", "0")  # noqa: S104 - nothing is bound
    yield from ("localhost", "localhost.localdomain", "x.localhost", "::1", "ip6-localhost")


@technique(
    "address-name",
    kind=Kind.NAME,
    group="address-name",
    cwe="CWE-350",
    surfaces=_BOTH,
    needs="finds the address inside a name, which anybody may register",
)
@of_ipv4
def address_name(host: str) -> Iterator[str]:
    """Name hosts that carry the address in their labels, with dots, dashes, in reverse and in hex."""
    parts = host.split(".")
    yield f"{host}.ip.test"
    yield f"app.{host}.ip.test"
    yield f"{'-'.join(parts)}.ip.test"
    yield f"ip-{'-'.join(parts)}.test"
    yield f"{'.'.join(reversed(parts))}.in-addr.arpa"
    yield f"{bytes(octets(host)).hex()}.ip.test"

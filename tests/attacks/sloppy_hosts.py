"""
One careless host guard or more for each technique of hosts: what the technique is there to find.

A guard is asked with the granted host and the one that is tried; what it says yes to is contacted
as it was written.
"""

import difflib
import fnmatch
import html
import ipaddress
import re
import unicodedata
from socket import inet_aton
from urllib.parse import unquote, urlsplit

_IMPLICIT = {
    "localhost",
    "::",
    "host.docker.internal",
    "kubernetes.default.svc",
    "metadata.google.internal",
}
LIKE = str.maketrans("асеорхуіѕαοιτνη", "aceopxyisaoitvn")
_DOTS = re.compile("[\u3002\uff0e\uff61\u2024\ufe52\u00b7]")
_EVIL = "evil.test"


def same(normal):
    """Return the guard that compares normal forms."""
    return lambda granted, host: normal(host) in (granted, normal(granted))


def looks_up_as_written(granted, host):
    """Judge the folded name, then look its settings up under the name as written."""
    if host.lower().removesuffix(".") != granted:
        return False
    return {granted: True}[host]


def strict_decoder(granted, host):
    """Decode Punycode, whatever the name is, and let the error out."""
    return host.encode("ascii").decode("idna") == granted


def length_asserted(granted, host):
    """Take for granted that lengths are right."""
    assert len(host) <= 253
    assert all(len(label) <= 63 for label in host.split("."))
    return host == granted


def accents_dropped(host):
    """Take accents away."""
    return "".join(c for c in unicodedata.normalize("NFKD", host) if not unicodedata.combining(c))


def ascii_only(host):
    """Leave out what is not ASCII."""
    return host.encode("ascii", "ignore").decode()


def unseen_dropped(host):
    """Drop format characters and marks."""
    return "".join(c for c in host if unicodedata.category(c) not in {"Cf", "Mn"})


def as_displayed(host):
    """Turn round what stands behind an override."""
    return host[:0:-1] if host.startswith("\u202e") else host


def as_like(granted, host):
    """Use the asked name as a pattern of SQL."""
    return re.fullmatch(re.escape(host).replace("%", ".*").replace("_", "."), granted)


def as_regex(granted, host):
    """Use the asked name as a regular expression."""
    try:
        return re.fullmatch(host, granted)
    except re.error:
        return False


def as_negation(granted, host):
    """Read an exclamation mark as a shell does."""
    return host.startswith("!") and host[1:] != granted


def backspaced(host):
    """Let a backspace take the character before it."""
    while "\b" in host:
        host = re.sub(r"[^\b]\x08", "", host, count=1)
    return host


def decode_label(host):
    """Decode the first label, as often as it is Punycode."""
    first, _, rest = host.partition(".")
    while first.startswith("xn--"):
        first = first[4:].encode().decode("punycode")
    return f"{first}.{rest}"


def unescaped(host):
    """Undo the escapes of HTML, of source text and of mail."""
    text = html.unescape(host).replace("=2E", ".").replace("\\.", ".")
    return text.encode("latin-1", "replace").decode("unicode_escape")


def ipv4_value(host):
    """Read an address as inet_aton does."""
    try:
        return inet_aton(host)
    except (OSError, UnicodeError):
        return host


def lenient_octets(host):
    """Read each part with whatever parser takes it, and keep the low byte."""
    return [_lenient_number(part) & 0xFF for part in host.split(".")]


def _lenient_number(part):
    text = unicodedata.normalize("NFKC", part).removesuffix("L")
    if re.fullmatch("[0-9a-f]+h", text):
        return int(text[:-1], 16)
    for parse in (int, lambda one: int(one, 0), lambda one: int(float(one)), float.fromhex):
        try:
            return int(parse(text))
        except (ValueError, OverflowError):
            continue
    return -1


def decimal(host):
    """Read padded octets as decimal."""
    return [int(part) for part in host.split(".") if part.isdigit()]


def low_bits(host):
    """Read one, two or four numbers and keep the bits that fit."""
    numbers = [int(part, 0) for part in host.split(".") if re.fullmatch("-?(0x)?[0-9a-f]+", part)]
    if len(numbers) == 1:
        return (numbers[0] & 0xFFFFFFFF).to_bytes(4)
    if len(numbers) == 2:
        return bytes([numbers[0]]) + (numbers[1] & 0xFFFFFF).to_bytes(3)
    return bytes(number & 0xFF for number in numbers)


def little_endian(granted, host):
    """Read a number in the machine's byte order."""
    number = int(host, 0) if host.isdigit() or host.startswith("0x") else -1
    return number == int.from_bytes(inet_aton(granted), "little")


def byte_set(granted, host):
    """Compare the octets in whatever order."""
    return sorted(host.split(".")) == sorted(granted.split("."))


def octets_found(granted, host):
    """Compare the octets that are found at either end, or as far as there are any."""
    found = re.findall("[0-9]+", host)
    wanted = granted.split(".")
    return found[:4] == wanted or found[-4:] == wanted or found == wanted[: len(found)]


def same_network(bits):
    """Return the guard that compares under a mask of so many bits."""

    def guard(granted, host):
        host, granted = ipaddress.ip_address(host), ipaddress.ip_address(granted)
        shift = host.max_prefixlen - bits
        return host.version == granted.version and int(host) >> shift == int(granted) >> shift

    return guard


def as_network(granted, host):
    """Read the asked host as a network or a range that may hold the granted one."""
    host = host.partition("-")[0] if "/" not in host else host
    if "*" in host:
        return fnmatch.fnmatch(granted, host)
    return ipaddress.ip_address(granted) in ipaddress.ip_network(host, strict=False)


def loopback(granted, host):
    """Take every way home for one."""
    del granted
    if host == "0" or "localhost" in host or host == "ip6-localhost":
        return True
    address = ipaddress.ip_address(host)
    return address.is_loopback or address.is_unspecified


def address_in_name(granted, host):
    """Find an address in a name, written in any of the usual ways."""
    if granted in re.sub("[-]", ".", host) or granted in host.replace("-", ":"):
        return True
    octets = granted.split(".")
    packed = "".join(f"{int(one):02x}" for one in octets) if len(octets) == 4 else "?"
    return ".".join(reversed(octets)) in host or packed in host


def ipv6_value(host):
    """Read an address in any spelling."""
    return ipaddress.ip_address(host.partition("%")[0])


def bracket_content(host):
    """Take what stands between brackets, or what is left of a pair."""
    inside = re.search(r"\[+(?:v1\.)?([^\]]*)", host)
    return inside[1] if inside else host.strip("[]")


def mangled_ipv6(granted, host):
    """Parse without a thought of failure."""
    return ipaddress.ip_address(host) == ipaddress.ip_address(granted)


def low_32(granted, host):
    """Take the last 32 bits of any IPv6 address for an IPv4 one, and those of a known prefix."""
    number = int(ipaddress.IPv6Address(host.strip("[]")))
    wanted = int(ipaddress.IPv4Address(granted))
    places = (number & 0xFFFFFFFF, number >> 80 & 0xFFFFFFFF, number >> 64 & 0xFFFFFFFF)
    return wanted in {*places, number & 0xFFFFFFFF ^ 0xFFFFFFFF}


# What an exception out of these shows is the fault; one out of the others refuses.
RAISING = {looks_up_as_written, strict_decoder, length_asserted, mangled_ipv6}
_BY_VALUE = [same(ipv4_value), same(lambda host: ipv4_value(host.removesuffix(".")))]

GUARDS = {
    "outside-host": [lambda granted, host: True],
    "implicit-host": [
        lambda granted, host: host in _IMPLICIT or not ipaddress.ip_address(host).is_global
    ],
    "host-suffix": [lambda granted, host: host.endswith(granted)],
    "host-subdomain": [lambda granted, host: host.endswith(f".{granted}")],
    "host-www": [
        same(lambda host: re.sub(r"^(www\.)+", "", host)),
        same(lambda host: host.lstrip("w.")),
    ],
    "host-prefix": [lambda granted, host: host.startswith(granted)],
    "host-infix": [lambda granted, host: granted in host],
    "host-part": [lambda granted, host: host in granted],
    "host-nothing": [
        lambda granted, host: host in granted,
        lambda granted, host: not host.strip(". "),
    ],
    "host-sibling": [lambda granted, host: host.endswith(granted[granted.index(".") :])],
    "host-first-label": [same(lambda host: host.partition(".")[0])],
    "host-label-order": [same(lambda host: frozenset(host.split(".")))],
    "host-near": [lambda granted, host: difflib.SequenceMatcher(None, granted, host).ratio() > 0.9],
    "host-slug": [same(lambda host: re.sub("[._-]", "", host))],
    "host-regex-dot": [re.fullmatch],
    "host-regex-line": [
        lambda granted, host: re.search(f"^{re.escape(granted)}$", host, re.MULTILINE),
        lambda granted, host: granted in host.splitlines(),
    ],
    "host-pattern": [
        fnmatch.fnmatch,
        as_regex,
        as_like,
        as_negation,
    ],
    "host-list": [lambda granted, host: granted in re.split(r"[,; |\t&+]", host)],
    "host-quoted": [same(lambda host: re.sub(r"""^b?['"<\[(`]+|['">\])`]+$""", "", host))],
    "host-escaped": [same(unescaped)],
    "host-case": [looks_up_as_written],
    "host-case-unicode": [
        same(str.upper),
        same(str.casefold),
        lambda granted, host: re.fullmatch(re.escape(granted), host, re.IGNORECASE),
    ],
    "host-compatible": [same(lambda host: unicodedata.normalize("NFKC", host).casefold())],
    "host-homograph": [same(lambda host: host.translate(LIKE))],
    "host-accents": [same(accents_dropped), same(ascii_only)],
    "host-ignorable": [same(unseen_dropped)],
    "host-bidi": [same(unseen_dropped), same(as_displayed)],
    "host-dot-unicode": [same(lambda host: _DOTS.sub(".", host))],
    "host-unencodable": [same(ascii_only)],
    "host-deviation": [
        same(lambda host: host.encode("idna").decode()),
        same(lambda host: decode_label(host).casefold()),
    ],
    "host-trailing-dots": [same(lambda host: host.rstrip(".")), looks_up_as_written],
    "host-empty-label": [same(lambda host: ".".join(filter(None, host.split("."))))],
    "host-long": [length_asserted],
    "host-cut": [
        same(lambda host: ".".join(label[:63] for label in host.split("."))),
        same(lambda host: host[:253]),
    ],
    "host-punycode": [
        same(decode_label),
        same(lambda host: host.replace("xn--", "")),
        lambda granted, host: host.encode("idna").decode() == granted,
    ],
    "host-punycode-broken": [strict_decoder],
    "host-port": [same(lambda host: host.partition(":")[0])],
    "host-userinfo": [
        same(lambda host: host.partition("@")[0].partition(":")[0]),
        same(lambda host: host.rpartition("@")[2]),
        lambda granted, host: granted in host.split("@"),
    ],
    "host-then-path": [
        lambda granted, host: re.search(rf"(?:^|\W){re.escape(granted)}$", host),
        lambda granted, host: re.match(rf"{re.escape(granted)}(?:\W|$)", host),
    ],
    "host-backslash": [
        lambda granted, host: granted in re.split(r"[\\@]\.?", host),
        lambda granted, host: host.replace("\\", "/").strip("/").partition("/")[0] == granted,
    ],
    "host-as-url": [
        lambda granted, host: (
            granted in re.split("[:/@.]{1,3}|.sock$", host)
            or re.search(rf"[:/@]{re.escape(granted)}\b", host)
        ),
        lambda granted, host: urlsplit(host).hostname == granted,
    ],
    "host-nul": [
        lambda granted, host: (
            granted in re.split("\0\\.?", host) or host.replace("\0", "") == granted
        )
    ],
    "host-blank": [same(lambda host: "".join(host.split()))],
    "host-control": [
        same(lambda host: re.split(r"[\r\n ]", host)[0]),
        same(lambda host: re.sub(r"\x1b\[2K|\x7f", "", host)),
        same(backspaced),
    ],
    "host-percent": [
        same(lambda host: unicodedata.normalize("NFKC", unquote(host)).strip("\0 ")),
        lambda granted, host: granted in re.split(r"[\0/#?\\@\s]\.?|%..\.?", unquote(host)),
        lambda granted, host: host.startswith(f"{granted}%"),
    ],
    "host-percent-double": [
        same(lambda host: unquote(unquote(host)).replace("%u002e", ".")),
        lambda granted, host: granted in re.split(r"[\0/]\.?", unquote(unquote(host))),
        same(lambda host: re.sub("%(zz)?$", "", host)),
    ],
    "ipv4-decimal": _BY_VALUE,
    "ipv4-hex": _BY_VALUE,
    "ipv4-octal": _BY_VALUE,
    "ipv4-short": _BY_VALUE,
    "ipv4-dotted-hex": _BY_VALUE,
    "ipv4-dotted-octal": _BY_VALUE,
    "ipv4-mixed": _BY_VALUE,
    "ipv4-trailing-dot": [
        same(lambda host: ipv4_value(host.rstrip("."))),
        looks_up_as_written,
    ],
    "ipv4-byte-order": [little_endian, byte_set],
    "ipv4-octal-misread": [same(decimal)],
    "ipv4-overflow": [same(low_bits)],
    "ipv4-extra-parts": [octets_found],
    "ipv4-lenient-number": [same(lenient_octets)],
    "ipv4-digits": [same(lambda host: lenient_octets(_DOTS.sub(".", host)))],
    "ipv4-prefix": [
        lambda granted, host: host.startswith(granted) or host.endswith(granted),
    ],
    "ipv4-range": [same_network(8)],
    "ipv4-cidr": [as_network],
    "ipv4-loopback": [loopback],
    "address-name": [address_in_name],
    "ipv6-expanded": [same(ipv6_value)],
    "ipv6-case": [same(str.lower)],
    "ipv6-brackets": [same(bracket_content)],
    "ipv6-zone": [same(ipv6_value)],
    "ipv6-length": [as_network],
    "ipv6-neighbour": [
        same_network(16),
        same(lambda host: host.rpartition(":")[2]),
        lambda granted, host: host.startswith(granted),
    ],
    "ipv6-malformed": [mangled_ipv6],
    "ipv6-name": [address_in_name],
    "ipv6-mapped": [low_32],
    "ipv6-compatible": [low_32],
    "ipv6-translated": [low_32],
    "ipv6-nat64": [low_32],
    "ipv6-6to4": [low_32],
    "ipv6-teredo": [low_32],
    "ipv6-isatap": [low_32],
}

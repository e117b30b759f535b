"""Labels that are empty, too long, or written in the alphabet of IDNA."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import others

_LONGEST_LABEL, _LONGEST_NAME = 63, 253  # RFC 1035, 2.3.4


@technique(
    "host-trailing-dots",
    kind=Kind.HOST,
    group="trailing-dot",
    cwe="CWE-42",
    surfaces=("session", "host"),
    needs="takes dots away at the end for the check, and passes on more of them than one",
)
@others
def host_trailing_dots(host: str) -> Iterator[str]:
    """End the host with one dot, which is its full name (RFC 1034, 3.1), and with several."""
    yield f"{host}."
    yield f"{host}.."
    yield f"{host}..."


@technique(
    "host-empty-label",
    kind=Kind.NAME,
    group="empty-label",
    cwe="CWE-163",
    surfaces=("session",),
    needs="drops empty labels for the check, or strips dots at both ends",
)
@others
def host_empty_label(host: str) -> Iterator[str]:
    """Leave a label empty: at the start, in the middle, on both sides."""
    yield f".{host}"
    yield f"..{host}"
    yield host.replace(".", "..", 1)
    yield f".{host}."


@technique(
    "host-long",
    kind=Kind.NAME,
    group="host-length",
    cwe="CWE-1284",
    surfaces=("session",),
    needs="has a limit inside: cuts the name, raises, or takes time without end",
)
@others
def host_long(host: str) -> Iterator[str]:
    """Exceed 63 octets a label and 253 a name (RFC 1035, 2.3.4), by one and by far."""
    yield f"{'a' * 64}.{host}"
    yield ".".join(["a" * 49] * 5) + f".{host}"
    yield "a" * 254
    yield "a" * 100_000
    yield "a-" * 1_000 + "!"


@technique(
    "host-cut",
    kind=Kind.NAME,
    group="host-cut",
    cwe="CWE-222",
    surfaces=("session", "host"),
    needs="cuts names or labels to the lengths of RFC 1035 before it compares",
)
@others
def host_cut(host: str) -> Iterator[str]:
    """Go on by one where a granted name that is as long as may be would be cut."""
    first, _, rest = host.partition(".")
    if len(first) == _LONGEST_LABEL:
        yield f"{first}x.{rest}"
    if len(host) == _LONGEST_NAME:
        yield f"{host}x"


@technique(
    "host-punycode",
    kind=Kind.NAME,
    group="punycode",
    cwe="CWE-1289",
    surfaces=("session", "host"),
    needs="decodes labels that are Punycode, also those that need none, before it compares",
    refs=("CVE-2024-12224",),
)
@others
def host_punycode(host: str) -> Iterator[str]:
    """Write a plain label as Punycode, put a bare ``xn--`` before it, and decode one that is."""
    first, _, rest = host.partition(".")
    if first.startswith("xn--"):
        yield f"{first[4:].encode().decode('punycode')}.{rest}"
        yield f"{first[4:]}.{rest}"
        return
    yield f"xn--{first}-.{rest}"
    yield f"xn--{first}.{rest}"
    yield f"xn--xn--{first}--.{rest}"


@technique(
    "host-punycode-broken",
    kind=Kind.NAME,
    group="punycode-broken",
    cwe="CWE-755",
    surfaces=("session",),
    needs="decodes Punycode without a thought of failure",
)
@others
def host_punycode_broken(host: str) -> Iterator[str]:
    """Give Punycode that does not decode: nothing, an overflow, digits cut off, not ASCII."""
    parent = host.partition(".")[2]
    for label in ("xn--", "xn--a-\u00e9", "xn--a-b-c-!", "xn---"):
        yield f"{label}.{parent}"
    yield f"xn--{'9' * 59}.{parent}"

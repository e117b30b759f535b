"""Letters that some step or another takes for the letters of the granted host."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import others

_FULLWIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_BOLD = {ord("a") + offset: 0x1D41A + offset for offset in range(26)}
_CIRCLED = {ord("a") + offset: 0x24D0 + offset for offset in range(26)}
_SCRIPT = str.maketrans({"e": "\u212f", "g": "\u210a", "o": "\u2134", "l": "\u2113", "i": "\u2139"})
_CYRILLIC = str.maketrans("aceopxyi", "асеорхуі")  # noqa: RUF001 - that is the point
_GREEK = str.maketrans("aoitvn", "αοιτνη")
_ACUTE = str.maketrans("aeiou", "áéíóú")


@technique(
    "host-case",
    kind=Kind.HOST,
    group="host-case",
    cwe="CWE-178",
    surfaces=("session", "host"),
    needs="compares with a deny-list as it is spelt, or folds the case of one side only",
)
@others
def host_case(host: str) -> Iterator[str]:
    """Write the host in capitals, and with a capital for each label."""
    yield host.upper()
    yield host.title()


@technique(
    "host-case-unicode",
    kind=Kind.NAME,
    group="case-unicode",
    cwe="CWE-178",
    surfaces=("session", "host"),
    needs="folds case over all of Unicode: upper(), casefold() or a pattern that ignores case",
)
@others
def host_case_unicode(host: str) -> Iterator[str]:
    """Use letters outside ASCII whose other case lies inside: dotless i, long s, Kelvin, ligatures."""
    for plain, odd in (("i", "\u0131"), ("s", "\u017f"), ("k", "\u212a"), ("i", "\u0130")):
        if plain in host:
            yield host.replace(plain, odd, 1)
    for plain, odd in (("fi", "\ufb01"), ("st", "\ufb06"), ("ss", "\u1e9e")):
        if plain in host:
            yield host.replace(plain, odd, 1)


@technique(
    "host-compatible",
    kind=Kind.HOST,
    group="unicode-fold",
    cwe="CWE-176",
    surfaces=("session",),
    needs="folds compatible characters (NFKC) for the check and passes the text on as it was",
)
@others
def host_compatible(host: str) -> Iterator[str]:
    """Write letters full-width, bold, circled and in script: NFKC makes the host of them."""
    yield host.translate(_FULLWIDTH).replace("\uff0e", ".")
    yield host[:1].translate(_FULLWIDTH) + host[1:]
    for letters in (_BOLD, _CIRCLED, _SCRIPT):
        yield host.translate(letters)


@technique(
    "host-homograph",
    kind=Kind.NAME,
    group="homograph",
    cwe="CWE-1007",
    surfaces=("session", "host"),
    needs="compares skeletons of confusable letters (UTS 39), or shows the name to a person",
)
@others
def host_homograph(host: str) -> Iterator[str]:
    """Use letters of other scripts that look like the host's."""
    yield host.translate(_CYRILLIC)
    yield host[0].translate(_CYRILLIC) + host[1:]
    yield host.translate(_GREEK)


@technique(
    "host-accents",
    kind=Kind.NAME,
    group="unicode-accents",
    cwe="CWE-176",
    surfaces=("session", "host"),
    needs="takes accents away, or drops what is not ASCII, before it compares",
)
@others
def host_accents(host: str) -> Iterator[str]:
    """Add accents, composed and combining, and letters that an ASCII encoder leaves out."""
    yield host.translate(_ACUTE)
    yield f"{host[0]}\u0301{host[1:]}"
    yield f"{host[0]}\u4e2d{host[1:]}"
    yield f"\u00e9{host}"


@technique(
    "host-ignorable",
    kind=Kind.NAME,
    group="ignorable",
    cwe="CWE-176",
    surfaces=("session",),
    needs="drops characters that cannot be seen for the check and passes them on",
)
@others
def host_ignorable(host: str) -> Iterator[str]:
    """Put a character into the host that displays as nothing, one of each kind."""
    for mark in "\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\ufe0f\ufeff\U000e0061":
        yield f"{host[0]}{mark}{host[1:]}"
    yield f"{host}\u200b"
    yield f"\ufeff{host}"


@technique(
    "host-bidi",
    kind=Kind.NAME,
    group="bidi",
    cwe="CWE-451",
    surfaces=("session", "host"),
    needs="drops marks of direction, or compares as displayed",
    refs=("CVE-2021-42574",),
)
@others
def host_bidi(host: str) -> Iterator[str]:
    """Write the host backwards behind an override, and put marks of direction around it."""
    yield f"\u202e{host[::-1]}"
    yield f"{host}\u200e"
    yield f"\u2066{host}\u2069"


@technique(
    "host-dot-unicode",
    kind=Kind.HOST,
    group="unicode-dot",
    cwe="CWE-176",
    surfaces=("session",),
    needs="takes other dots for dots (RFC 3490, section 3.1) and passes the text on as it was",
)
@others
def host_dot_unicode(host: str) -> Iterator[str]:
    """Write the first dot as an ideographic, full-width, half-width or one-dot leader."""
    for dot in ("\u3002", "\uff0e", "\uff61", "\u2024", "\ufe52", "\u00b7"):
        yield host.replace(".", dot, 1)


@technique(
    "host-deviation",
    kind=Kind.NAME,
    group="unicode-deviation",
    cwe="CWE-176",
    surfaces=("session", "host"),
    needs="maps as IDNA 2003 does, while the client keeps the letter as UTS 46 does",
)
@others
def host_deviation(host: str) -> Iterator[str]:
    """Write ``ss`` as ``ß``: two registrable names, of which the older mapping makes one."""
    if "ss" in host:
        yield host.replace("ss", "ß", 1)
        yield host.replace("ss", "\u1e9e", 1)
        yield (
            "xn--"
            + host.partition(".")[0].replace("ss", "ß", 1).encode("punycode").decode()
            + ("." + host.partition(".")[2])
        )


@technique(
    "host-unencodable",
    kind=Kind.NAME,
    group="host-encode",
    cwe="CWE-248",
    surfaces=("session",),
    needs="encodes the name without a thought of failure, or leaves out what cannot be encoded",
)
@others
def host_unencodable(host: str) -> Iterator[str]:
    """Add half of a surrogate pair, a noncharacter and a private one, which no name can hold."""
    yield f"{host}\ud800"
    yield f"\udcff{host}"
    yield f"{host[0]}\udc80{host[1:]}"
    yield f"{host}\uffff"
    yield f"{host}\ue000"

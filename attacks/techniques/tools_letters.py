"""Letters, blanks and controls that some step or another takes for the granted tool's name."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import others

_SESSION = ("session",)
_CYRILLIC = str.maketrans("aceopxyis", "асеорхуіѕ")  # noqa: RUF001 - that is the point
_FULLWIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_ACUTE = str.maketrans("aeiou", "áéíóú")


@technique(
    "tool-case",
    kind=Kind.TOOL,
    group="tool-case",
    cwe="CWE-178",
    surfaces=_SESSION,
    needs="compares without regard to case, where two tools may differ in it",
)
@others
def tool_case(name: str) -> Iterator[str]:
    """Write the name in capitals, with one capital, and with one in the middle."""
    yield name.upper()
    yield name.capitalize()
    yield name[:1] + name[1:2].upper() + name[2:]


@technique(
    "tool-case-unicode",
    kind=Kind.TOOL,
    group="tool-case-unicode",
    cwe="CWE-178",
    surfaces=_SESSION,
    needs="folds case over all of Unicode",
)
@others
def tool_case_unicode(name: str) -> Iterator[str]:
    """Use letters outside ASCII whose other case lies inside: long s, dotless i, Kelvin sign."""
    for plain, odd in (("s", "\u017f"), ("i", "\u0131"), ("k", "\u212a")):
        if plain in name:
            yield name.replace(plain, odd, 1)


@technique(
    "tool-compatible",
    kind=Kind.TOOL,
    group="tool-unicode",
    cwe="CWE-176",
    surfaces=_SESSION,
    needs="normalises the name (NFKC), as Python does with identifiers",
)
@others
def tool_compatible(name: str) -> Iterator[str]:
    """Write letters full-width, in bold and circled; and a name composed in the other form."""
    yield name.translate(_FULLWIDTH)
    yield name[:1].translate(_FULLWIDTH) + name[1:]
    yield "".join(chr(0x1D41A + ord(one) - 97) if "a" <= one <= "z" else one for one in name)
    yield "".join(chr(0x24D0 + ord(one) - 97) if "a" <= one <= "z" else one for one in name)


@technique(
    "tool-homograph",
    kind=Kind.TOOL,
    group="tool-homograph",
    cwe="CWE-1007",
    surfaces=_SESSION,
    needs="compares skeletons of confusable letters, drops accents or drops what is not ASCII",
)
@others
def tool_homograph(name: str) -> Iterator[str]:
    """Use letters of another script that look alike, accents, and letters that an encoder drops."""
    yield name.translate(_CYRILLIC)
    yield name.replace("a", "\u0430", 1)
    yield name.translate(_ACUTE)
    yield f"{name[0]}\u0301{name[1:]}"
    yield f"{name}\u4e2d"


@technique(
    "tool-ignorable",
    kind=Kind.TOOL,
    group="tool-ignorable",
    cwe="CWE-176",
    surfaces=_SESSION,
    needs="drops characters that cannot be seen",
)
@others
def tool_ignorable(name: str) -> Iterator[str]:
    """Put characters into the name that display as nothing, or turn its direction."""
    for mark in "\u00ad\u200b\u200d\ufe0f\ufeff\u202e\U000e0061":
        yield f"{name[0]}{mark}{name[1:]}"


@technique(
    "tool-blank",
    kind=Kind.TOOL,
    group="tool-blank",
    cwe="CWE-156",
    surfaces=_SESSION,
    needs="trims the name, or ends a pattern at a line break",
)
@others
def tool_blank(name: str) -> Iterator[str]:
    """Put blanks of several kinds before, behind and into the name."""
    yield f" {name}"
    for blank in (" ", "\t", "\n", "\r\n", "\u00a0", "\u3000"):
        yield f"{name}{blank}"
    yield f"delete_all\n{name}"
    yield f"{name[:3]} {name[3:]}"


@technique(
    "tool-control",
    kind=Kind.TOOL,
    group="tool-nul",
    cwe="CWE-158",
    surfaces=_SESSION,
    needs="compares up to a NUL, or drops controls",
)
@others
def tool_control(name: str) -> Iterator[str]:
    """Put a NUL, backspaces and DEL into the name."""
    yield f"{name}\0"
    yield f"{name}\0delete_all"
    yield f"delete_all\0{name}"
    yield f"delete_all{chr(8) * 10}{name}"
    yield f"{name}\x7f"
    yield f"{name}\x1b[0m"


@technique(
    "tool-unencodable",
    kind=Kind.TOOL,
    group="tool-encode",
    cwe="CWE-248",
    surfaces=_SESSION,
    needs="encodes the name without a thought of failure",
)
@others
def tool_unencodable(name: str) -> Iterator[str]:
    """Add half of a surrogate pair, and exceed every length by far."""
    yield f"{name}\ud800"
    yield f"\udcff{name}"
    yield "a" * 100_000
    yield name * 40

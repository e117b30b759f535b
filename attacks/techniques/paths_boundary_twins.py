"""Folders outside the grant whose name some folding takes for the root's."""

import unicodedata
from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import base, leaf
from capfuzz.attacks.techniques.registry import Kind, technique

# A letter, and another that some folding takes for it.
_FOLDING = (
    ("k", "\u212a"),  # Kelvin sign: lower() and casefold()
    ("s", "\u017f"),  # long s: upper() and casefold()
    ("i", "\u0131"),  # dotless i: upper(), and Turkish lower case of I
    ("i", "\u0130"),  # dotted I: lower() gives i and a combining dot
    ("ss", "\u00df"),  # sharp s: casefold() and upper()
    ("fi", "\ufb01"),  # ligature: casefold() and NFKC
)


@technique(
    "decomposed-root",
    kind=Kind.PATH,
    group="normalisation",
    cwe="CWE-176",
    needs="compares normalised text and opens what was not normalised",
)
def decomposed_root(root: str, target: str) -> Iterator[str]:
    """Write the root in each other normalisation form, which is another folder on most systems."""
    name = base(root)
    forms = [unicodedata.normalize(form, name) for form in ("NFD", "NFC", "NFKC", "NFKD")]
    for twin in dict.fromkeys(forms):
        if twin != name:
            yield f"{twin}/{leaf(target)}"


@technique(
    "compatible-root",
    kind=Kind.PATH,
    group="normalisation",
    cwe="CWE-176",
    needs="compares NFKC text and opens what was not normalised",
)
def compatible_root(root: str, target: str) -> Iterator[str]:
    """Write the first or last letter of the root in full width, mathematical or superscript."""
    folders, _, name = base(root).rpartition("/")
    if not name:
        return
    first, last = ord(name[0]), ord(name[-1])
    if name[0].isascii() and name[0].isalpha():
        yield f"{folders}/{chr(first + 0xFEE0)}{name[1:]}/{leaf(target)}"
    if "a" <= name[-1] <= "z":
        yield f"{folders}/{name[:-1]}{chr(0x1D41A + last - ord('a'))}/{leaf(target)}"
        yield f"{folders}/{name[:-1]}{chr(0x24D0 + last - ord('a'))}/{leaf(target)}"


@technique(
    "ignorable-in-root",
    kind=Kind.PATH,
    group="normalisation",
    cwe="CWE-176",
    needs="removes invisible characters before the comparison and opens what still has them",
)
def ignorable_in_root(root: str, target: str) -> Iterator[str]:
    """Put an invisible character into the root's name, which makes another folder of it."""
    name = base(root)
    if not name:
        return
    for mark in ("\u200b", "\u00ad", "\u2060", "\ufe0f"):
        yield f"{name[:-1]}{mark}{name[-1]}/{leaf(target)}"


@technique(
    "folding-letters",
    kind=Kind.PATH,
    group="case",
    cwe="CWE-178",
    needs="compares casefold, lower or upper case of Unicode text and opens the path as it stands",
)
def folding_letters(root: str, target: str) -> Iterator[str]:
    """Replace a letter of the root by one that folds to it: Kelvin, long s, dotless i, sharp s."""
    for letter, twin in _FOLDING:
        if letter in base(root):
            yield f"{base(root).replace(letter, twin, 1)}/{leaf(target)}"


@technique(
    "folding-letters-after-climb",
    kind=Kind.PATH,
    group="case",
    cwe="CWE-178",
    surfaces=("path",),
    needs="makes the path canonical and then compares a folded form of it",
)
def folding_letters_after_climb(root: str, target: str) -> Iterator[str]:
    """Climb out of the root and into a folder whose name folds to the root's."""
    for letter, twin in _FOLDING:
        if letter in leaf(root):
            yield f"{base(root)}/../{leaf(root).replace(letter, twin, 1)}/{leaf(target)}"


@technique(
    "encoded-root",
    kind=Kind.PATH,
    group="normalisation",
    cwe="CWE-177",
    needs="compares the decoded path and opens the one that was not decoded",
)
def encoded_root(root: str, target: str) -> Iterator[str]:
    """Encode a letter of the root's name, which makes another folder of it."""
    name = base(root)
    if not name:
        return
    yield f"{name[:-1]}%{ord(name[-1]):02x}/{leaf(target)}"
    yield f"{name[:-1]}%25{ord(name[-1]):02x}/{leaf(target)}"

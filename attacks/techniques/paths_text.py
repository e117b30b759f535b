"""Text that is no text: lone surrogates, noncharacters, heaps of marks."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import base, behind, straight
from capfuzz.attacks.techniques.registry import Kind, technique


@technique(
    "lone-surrogate",
    kind=Kind.PATH,
    group="surrogates",
    cwe="CWE-176",
    needs="raises on text that no encoding holds, or drops what it cannot encode",
)
def lone_surrogate(root: str, target: str) -> Iterator[str]:
    """Put half of a surrogate pair into a name and between two dots."""
    yield f"{base(root)}/\ud800"
    yield f"{base(root)}/data\udfff.txt"
    yield f"{base(root)}/\udc80\udcff"
    for half in ("\ud83d", "\udcae"):
        yield straight(root, target, f".{half}./")


@technique(
    "climb-after-surrogate",
    kind=Kind.PATH,
    group="traversal-late",
    cwe="CWE-755",
    needs="skips the check where the path cannot be encoded",
)
def climb_after_surrogate(root: str, target: str) -> Iterator[str]:
    """Put half of a surrogate pair before the climb."""
    yield behind(root, target, "\ud800/")


@technique(
    "reversed-surrogates",
    kind=Kind.PATH,
    group="surrogates",
    cwe="CWE-176",
    needs="raises on a low surrogate before a high one, or on one encoded as UTF-8 (CESU-8)",
)
def reversed_surrogates(root: str, target: str) -> Iterator[str]:
    """Swap the halves of a pair, and smuggle an encoded half in as bytes."""
    del target
    yield f"{base(root)}/\ude00\ud83d"
    yield f"{base(root)}/\udced\udca0\udc80"
    yield f"{base(root)}/%ed%a0%80"


@technique(
    "unassigned",
    kind=Kind.PATH,
    group="odd-text",
    cwe="CWE-176",
    needs="raises on noncharacters and private characters",
)
def unassigned(root: str, target: str) -> Iterator[str]:
    """Use noncharacters, a private character and the last code point."""
    del target
    for mark in ("\uffff", "\ufdd0", "\ue000", "\U0010ffff", "\ufffd"):
        yield f"{base(root)}/{mark}"


@technique(
    "many-marks",
    kind=Kind.PATH,
    group="odd-text",
    cwe="CWE-407",
    needs="spends time or room out of proportion on normalising",
)
def many_marks(root: str, target: str) -> Iterator[str]:
    """Use a character that normalises to eighteen, and a letter under a heap of marks."""
    del target
    yield f"{base(root)}/" + "\ufdfa" * 40
    yield f"{base(root)}/a" + "\u0323\u0307" * 40

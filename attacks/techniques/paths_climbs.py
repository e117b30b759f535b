"""Climbs written plainly: what is tried first, and what a check of the first segment misses."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import FOLDER, base, behind, late, leaf, straight, way
from capfuzz.attacks.techniques.registry import Kind, technique

_NORMALISES = "opens the path as it stands, or joins it to the root without judging the result"
_FIRST_ONLY = "looks for .. in the first segment only"
# A planted tree is twelve levels deep: no climb may leave it.
_PAST_ROOT = 9


@technique("climb", kind=Kind.PATH, group="traversal", cwe="CWE-24", needs=_NORMALISES)
def climb(root: str, target: str) -> Iterator[str]:
    """Climb from the root with ``..`` and descend to the target: the classic traversal."""
    yield straight(root, target)


@technique(
    "climb-past-top",
    kind=Kind.PATH,
    group="traversal",
    cwe="CWE-25",
    needs="counts climbs against the depth of the root, or forgets that / is its own parent",
)
def climb_past_top(root: str, target: str) -> Iterator[str]:
    """Climb more levels than there are: at the top, ``..`` stays where it is (POSIX 4.13)."""
    ups, _ = way(root, "/")
    for extra in (1, _PAST_ROOT - ups):
        yield f"{base(root)}/{'../' * (ups + extra)}{target.lstrip('/')}"


@technique("climb-to-folder", kind=Kind.PATH, group="traversal", cwe="CWE-24", needs=_NORMALISES)
def climb_to_folder(root: str, target: str) -> Iterator[str]:
    """End on a ``..``, with and without a slash after it, so that a folder outside is named."""
    del target
    yield f"{base(root)}/.."
    yield f"{base(root)}/../"
    yield f"{base(root)}/{FOLDER}/../.."
    yield f"{base(root)}/../."


@technique(
    "climb-with-dots",
    kind=Kind.PATH,
    group="traversal",
    cwe="CWE-55",
    needs="compares with ../ at a fixed place, while ./ moves it",
)
def climb_with_dots(root: str, target: str) -> Iterator[str]:
    """Put ``./`` before, between and after the climbs, where it changes nothing."""
    ups, down = way(root, target)
    yield straight(root, target, "./../")
    yield straight(root, target, ".././")
    yield f"{base(root)}/{'../' * ups}{'/./'.join(('.', *down))}"
    yield f"{base(root)}/./././{'../' * ups}{'/'.join(down)}/."


@technique(
    "climb-with-slashes",
    kind=Kind.PATH,
    group="traversal",
    cwe="CWE-51",
    needs="compares with /../ literally, or splits once on each slash",
)
def climb_with_slashes(root: str, target: str) -> Iterator[str]:
    """Double the slashes around the climbs, which mean the same as one (POSIX 4.13)."""
    ups, down = way(root, target)
    yield straight(root, target, "..//")
    yield f"{base(root)}/{'../' * ups}{'//'.join(down)}"
    yield f"/{base(root)}//{'..//' * ups}{'//'.join(down)}"


@technique(
    "climb-back-and-out",
    kind=Kind.PATH,
    group="traversal",
    cwe="CWE-57",
    needs="accepts a path in which the root's name stands again after the climb",
)
def climb_back_and_out(root: str, target: str) -> Iterator[str]:
    """Climb out, name the root again, and climb out once more."""
    ups, _ = way(root, "/")
    again = root.strip("/")
    yield straight(root, f"/{again}/{'../' * ups}{target.lstrip('/')}", "../")


@technique(
    "climb-via-neighbour",
    kind=Kind.PATH,
    group="traversal",
    cwe="CWE-57",
    needs="judges only where the first climb leads",
)
def climb_via_neighbour(root: str, target: str) -> Iterator[str]:
    """Climb into a folder that is not there and out of it again before descending."""
    ups, down = way(root, target)
    yield f"{base(root)}/{'../' * ups}nowhere/../{'/'.join(down)}"
    yield f"{base(root)}/{'../' * ups}{down[0]}/../{'/'.join(down)}" if down else base(root)


@technique(
    "climb-after-folder",
    kind=Kind.PATH,
    group="traversal-late",
    cwe="CWE-27",
    needs=_FIRST_ONLY,
    refs=("CVE-2021-43798", "CVE-2023-30584"),
)
def climb_after_folder(root: str, target: str) -> Iterator[str]:
    """Begin with a folder that exists, so that the first segment is honest."""
    yield late(root, target)
    ups, down = way(root, target)
    yield f"{base(root)}/{FOLDER}/../{FOLDER}/{'../' * (ups + 1)}{'/'.join(down)}"


@technique(
    "climb-after-missing",
    kind=Kind.PATH,
    group="traversal-late",
    cwe="CWE-27",
    needs=f"{_FIRST_ONLY}, and collapses the path as text, so that the folder need not exist",
)
def climb_after_missing(root: str, target: str) -> Iterator[str]:
    """Begin with folders that do not exist, which a lexical clean-up cancels out."""
    ups, down = way(root, target)
    yield behind(root, target, "nowhere/")
    yield f"{base(root)}/no/such/place/{'../' * (ups + 3)}{'/'.join(down)}"


@technique(
    "climb-after-file",
    kind=Kind.PATH,
    group="traversal-late",
    cwe="CWE-27",
    needs=f"{_FIRST_ONLY}, or asks whether the first part names a granted file",
)
def climb_after_file(root: str, target: str) -> Iterator[str]:
    """Begin with a file as though it were a folder: ``data.txt/../../etc``."""
    yield behind(root, target, "data.txt/")


@technique(
    "climb-after-honest-name",
    kind=Kind.PATH,
    group="traversal-late",
    cwe="CWE-27",
    needs="excuses every .. once it has seen one that belongs to an honest name",
)
def climb_after_honest_name(root: str, target: str) -> Iterator[str]:
    """Put names with dots, which are honest, before the climb that is not."""
    for name in ("a..b", "...", "..hidden"):
        yield behind(root, target, f"{name}/")


@technique(
    "climb-out-and-in",
    kind=Kind.PATH,
    group="traversal-return",
    cwe="CWE-57",
    needs="strips ../ from the path, or compares only its end",
)
def climb_out_and_in(root: str, target: str) -> Iterator[str]:
    """Climb out of the root and into it again: no escape, and not to be turned into one."""
    del target
    yield f"{base(root)}/../{leaf(root)}/data.txt"
    yield f"{base(root)}/{FOLDER}/../data.txt"
    yield f"{base(root)}/{FOLDER}/.."

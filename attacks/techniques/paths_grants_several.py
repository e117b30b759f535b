"""Several grants at once: one forgotten, two merged, neighbours in order, one inside another."""

from collections.abc import Iterator, Sequence

from capfuzz.attacks.techniques.paths_grants_stage import grants, note, orders, tried
from capfuzz.attacks.techniques.scenario_model import Scenario

_GROUP = "several-grants"
# Below, at and above the sizes at which a store may begin to search in another way.
_MANY = (5, 6, 7, 8, 17, 40)


def _each(roots: Sequence[str], *probes: str, kind: str = "fs_read") -> Iterator[Scenario]:
    """Try every probe under the roots in several orders; a note in each root is allowed."""
    for ordered in orders(roots):
        for probe in probes:
            yield tried(ordered, probe, map(note, ordered), kind)


@grants(
    "sibling-of-several",
    group="boundary",
    cwe="CWE-187",
    needs="compares text, so that one of several names also covers longer names",
)
def sibling_of_several() -> Iterator[Scenario]:
    """Grant folders whose names share a beginning, and name what continues one of them."""
    yield from _each(("/work", "/workshop"), note("/worker"), note("/workshop2"))
    yield from _each(("/work", "/work2", "/workshop", "/working"), note("/works"), note("/work0"))
    yield from _each(("/work", "/work/sub", "/work-evil"), note("/work.bak"), note("/work0"))
    yield from _each(("/work/sub", "/work/sub/deep"), note("/work/subway"))


@grants(
    "grants-apart",
    group=_GROUP,
    cwe="CWE-863",
    needs="takes what is outside one grant for inside another, or any for all",
)
def grants_apart() -> Iterator[Scenario]:
    """Grant two and three folders that share nothing, and name places outside all of them."""
    for roots in (("/work", "/other"), ("/work", "/other", "/drop")):
        for kind in ("fs_read", "fs_write"):
            yield from _each(roots, note("/etc"), "/note.txt", note("/zoo"), kind=kind)


@grants(
    "grants-nested",
    group=_GROUP,
    cwe="CWE-863",
    needs="lets an inner grant widen, narrow or hide the outer one",
)
def grants_nested() -> Iterator[Scenario]:
    """Grant a folder and one inside it, two and three deep, in every order."""
    yield from _each(("/work", "/work/sub"), note("/etc"), note("/wor"))
    yield from _each(("/work/sub", "/work/sub/deep"), note("/work"), note("/work/out"))
    yield from _each(("/work/sub/deep", "/work/out"), note("/work/sub"), "/work/data.txt")
    yield from _each(("/work", "/work/sub", "/work/sub/deep", "/work/out"), note("/w"), "/note.txt")


@grants(
    "grants-common-parent",
    group=_GROUP,
    cwe="CWE-863",
    needs="replaces grants by the folder that they share, or grants the way to each of them",
)
def grants_common_parent() -> Iterator[Scenario]:
    """Grant folders of one parent, and name what lies in the parent beside them."""
    for kind in ("fs_read", "fs_write"):
        yield from _each(("/work/sub", "/work/out"), note("/work"), "/work/data.txt", kind=kind)
    yield from _each(("/data/work", "/work"), "/data/note.txt", "/note.txt", kind="fs_write")


@grants(
    "grants-sharing-letters",
    group=_GROUP,
    cwe="CWE-187",
    needs="keeps the grants in a tree of letters, and allows what ends on an inner node",
)
def grants_sharing_letters() -> Iterator[Scenario]:
    """Grant folders whose names share a beginning, and name that beginning."""
    yield from _each(("/workshop", "/worker"), note("/work"), note("/wor"))
    yield from _each(("/work-evil", "/work.bak", "/work2"), note("/work"), note("/w"))
    yield from _each(("/workshop", "/workshop2", "/worker", "/working"), note("/works"))
    yield from _each(
        ("/work-evil", "/work.bak", "/work2", "/workshop", "/worker", "/working", "/zoo", "/aaa"),
        note("/work"),
        note("/works"),
    )


@grants(
    "grants-in-order",
    group=_GROUP,
    cwe="CWE-697",
    needs="sorts grants without their final slash and searches by halves",
)
def grants_in_order() -> Iterator[Scenario]:
    """Grant names that sort around the slash after ``/work``, and name the gaps between them."""
    yield from _each(
        ("/work!", "/work-evil", "/work0"), note("/work"), note("/work.bak"), "/work/x"
    )
    yield from _each(("/work-evil", "/work/sub", "/work2"), note("/work"), note("/work.bak"))
    yield from _each(("/aaa", "/work/out", "/zoo"), note("/"), note("/others"), "/zzz/note.txt")


@grants(
    "grants-as-pattern",
    group="substring",
    cwe="CWE-777",
    needs="joins the grants to one pattern of which only the first is anchored",
)
def grants_as_pattern() -> Iterator[Scenario]:
    """Name a place elsewhere that has one grant's name in the middle."""
    yield from _each(("/work", "/other"), note("/mirror/other"), note("/mirror/work"))
    yield from _each(("/work/sub", "/other", "/drop"), note("/mirror/other"))


@grants(
    "grants-many",
    group=_GROUP,
    cwe="CWE-697",
    needs="searches many grants in another way than few, and is off by one at either end",
)
def grants_many() -> Iterator[Scenario]:
    """Let 5 to 40 folders be written to, and name what sorts before, between and after them."""
    for count in _MANY:
        roots = [f"/work/sub/{at:02}" for at in range(0, 2 * count, 2)]
        honest = [f"{roots[at]}/x" for at in (0, count // 2, -1)]
        for at in (-1, 1, count // 2 * 2 + 1, 2 * count - 1):
            yield tried(roots, f"/work/sub/{at:02}/x", honest, "fs_write")
        yield tried(roots[::-1], f"/work/sub/{count // 2 * 2 + 1:02}/x", honest, "fs_write")

"""Grants of odd places: a file, a folder that is not there, a link, everything."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.paths_grants_stage import grants, note, tried
from capfuzz.attacks.techniques.scenario_model import DENIED, Scenario

_ETC = note("/etc")
_WORK = note("/work")


def _under(root: str, honest: str, *probes: str, kind: str = "fs_read") -> Iterator[Scenario]:
    for probe in probes:
        yield tried([root], probe, [honest], kind)


@grants(
    "sibling-of-file",
    group="boundary",
    cwe="CWE-187",
    needs="takes a granted file for a prefix",
)
def sibling_of_file() -> Iterator[Scenario]:
    """Grant one file, and name files whose names continue its name."""
    for kind in ("fs_read", "fs_write"):
        yield from _under(
            "/work/data.txt", "/work/data.txt", "/work/data.txt.bak", "/work/data.txt2", kind=kind
        )


@grants(
    "sibling-of-missing",
    group="boundary",
    cwe="CWE-187",
    needs="adds a slash to grants that are folders on disk, and to no others",
)
def sibling_of_missing() -> Iterator[Scenario]:
    """Grant a folder that does not exist, and name one that begins like it."""
    for root in ("/absent", "/absent/"):
        yield from _under(root, "/absent/new.txt", note("/absentee"), kind="fs_write")


@grants(
    "sibling-of-link",
    group="boundary",
    cwe="CWE-187",
    needs="resolves the grant and then compares text",
)
def sibling_of_link() -> Iterator[Scenario]:
    """Grant a link to a folder, and continue the link's name and the folder's."""
    for probe in (note("/scratch-evil"), note("/private/scratch-evil")):
        yield tried(["/scratch", "/work"], probe, [_WORK])


@grants(
    "grant-of-everything",
    group="read-write-mixup",
    cwe="CWE-863",
    needs="takes a grant of / for an empty one, or lets it spill into other lists",
)
def grant_of_everything() -> Iterator[Scenario]:
    """Grant reading of ``/`` in several spellings: all may be read, and nothing written."""
    for root in ("/", "//", "/."):
        yield Scenario(
            ops=(("fs_write", "/new.txt", "overwritten"),),
            verdict=DENIED,
            control=tuple(("fs_read", note(place)) for place in ("/etc", "/", "/work/sub/deep")),
            means="/new.txt",
            grant={"fs_read": [root], "fs_write": ["/drop"]},
        )


@grants(
    "grant-of-file",
    group="grant-of-file",
    cwe="CWE-863",
    needs="takes a granted file for its folder, or for the beginning of its name",
)
def grant_of_file() -> Iterator[Scenario]:
    """Grant one file, and name its folder and the files beside it."""
    for root in ("/work/data.txt", "/work/data.txt/"):
        yield from _under(root, "/work/data.txt", "/work/data", note("/work"), "/work")
    yield from _under(
        "/work/data.txt", "/work/data.txt", note("/work"), "/work/new.txt", kind="fs_write"
    )


@grants(
    "grant-of-missing",
    group="grant-of-missing",
    cwe="CWE-636",
    needs="drops a grant that is not on disk, and then has none to compare with",
)
def grant_of_missing() -> Iterator[Scenario]:
    """Grant a folder that does not exist, and name its parent and places elsewhere."""
    yield from _under("/absent", "/absent/new.txt", _ETC, "/new.txt", kind="fs_write")
    deep = "/no/such/place"
    yield from _under(deep, f"{deep}/new.txt", "/no/such/x", "/no/x", _WORK, kind="fs_write")


@grants(
    "grant-of-link",
    group="grant-of-link",
    cwe="CWE-59",
    needs="resolves the grant and not the path, or grants the parent of what it resolves to",
)
def grant_of_link() -> Iterator[Scenario]:
    """Grant a link to a folder beside a plain one, and name what lies around the folder."""
    for probe in (note("/private"), "/private/scratch.txt", _ETC):
        yield tried(["/scratch", "/work/sub"], probe, [note("/work/sub")])
    for probe in (note("/data/work"), note("/link"), "/link"):
        yield tried(["/link/sub", "/drop"], probe, [note("/drop")])


@grants(
    "grant-of-broken-link",
    group="grant-of-link",
    cwe="CWE-59",
    needs="raises on a grant that leads nowhere, or drops all grants with it",
)
def grant_of_broken_link() -> Iterator[Scenario]:
    """Grant a link to itself and a link to nothing, beside a plain folder that still counts."""
    for root in ("/ring", "/gone"):
        yield tried([root, "/work"], _ETC, [_WORK])
        yield tried([root, "/work"], note("/nowhere/at"), [_WORK], "fs_write")

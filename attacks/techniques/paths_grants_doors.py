"""Grants of reading and of writing beside one another, and grants of nothing."""

from collections.abc import Iterator, Sequence

from capfuzz.attacks.techniques.paths_grants_stage import grants, note, op
from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    DENIED,
    Ops,
    Scenario,
    Verdicts,
)

_MIXED = "read-write-mixup"
_DATA = "/work/data.txt"
_STATUS = (("net_fetch", "api.internal", "/status"),)


def _doors(
    reads: Sequence[str],
    writes: Sequence[str],
    ops: Ops,
    honest: Ops,
    means: str,
    verdict: Verdicts = DENIED,
) -> Scenario:
    return Scenario(
        ops=ops,
        verdict=verdict,
        control=honest,
        means=means,
        grant={"fs_read": list(reads), "fs_write": list(writes)},
    )


def _read(path: str) -> Ops:
    return (op("fs_read", path),)


def _write(path: str) -> Ops:
    return (op("fs_write", path),)


@grants(
    "write-to-readable",
    group=_MIXED,
    cwe="CWE-863",
    needs="asks the list of reading before it writes, or both lists together",
)
def write_to_readable() -> Iterator[Scenario]:
    """Write where only reading is granted: over a file, a new one, on the root itself."""
    for reads, writes, honest in (
        (("/work",), ("/work/out",), note("/work/out")),
        (("/work",), ("/drop",), note("/drop")),
        (("/drop", "/work"), ("/drop",), note("/drop")),
    ):
        for place in (_DATA, "/work/new.txt", note("/work/sub")):
            yield _doors(reads, writes, _write(place), _write(honest), place)
    yield _doors(("/",), ("/drop",), _write(note("/etc")), _write(note("/drop")), note("/etc"))


@grants(
    "read-of-writable",
    group=_MIXED,
    cwe="CWE-863",
    needs="asks the list of writing before it reads, or takes writing to include reading",
)
def read_of_writable() -> Iterator[Scenario]:
    """Read where only writing is granted: a drop box is not for looking into."""
    for reads, writes, honest in (
        (("/work",), ("/drop",), _DATA),
        (("/work",), ("/work", "/drop"), _DATA),
    ):
        yield _doors(reads, writes, _read(note("/drop")), _read(honest), note("/drop"))
    yield _doors(("/other",), ("/work",), _read(_DATA), _write(_DATA), _DATA)
    yield _doors(("/other",), ("/",), _read(note("/etc")), _write("/etc/new.txt"), note("/etc"))
    yield _doors(("/other",), ("/drop",), _read("/drop"), _write(note("/drop")), "/drop")


@grants(
    "read-inside-writable",
    group=_MIXED,
    cwe="CWE-863",
    needs="lets a narrow grant of reading and a wide one of writing flow together",
)
def read_inside_writable() -> Iterator[Scenario]:
    """Grant reading of a folder inside a writable one, and read beside and above that."""
    for place in (_DATA, note("/work/out"), "/work"):
        yield _doors(("/work/sub",), ("/work",), _read(place), _read(note("/work/sub")), place)


@grants(
    "write-then-read",
    group=_MIXED,
    cwe="CWE-863",
    needs="lets a session read what it has written, whatever the grant",
)
def write_then_read() -> Iterator[Scenario]:
    """Write a file and read it back where only writing is granted."""
    honest = (*_write("/drop/new.txt"), *_read(_DATA))
    yield _doors(
        ("/work",),
        ("/drop",),
        (*_write("/drop/new.txt"), *_read("/drop/new.txt")),
        honest,
        "/drop/new.txt",
        ALLOWED + DENIED,
    )
    yield _doors(
        ("/work",),
        ("/drop",),
        (*_read(_DATA), *_write(_DATA), *_read(_DATA)),
        honest,
        _DATA,
        ALLOWED + DENIED + ALLOWED,
    )


@grants(
    "doors-agree",
    group="over-blocking-doors",
    cwe="CWE-863",
    needs="refuses a place that both lists grant, or one that lies in the other list's root",
)
def doors_agree() -> Iterator[Scenario]:
    """Read and write one folder that both lists grant, once each inside the other."""
    for reads, writes, place in (
        (("/work",), ("/work",), _DATA),
        (("/work",), ("/work/out",), note("/work/out")),
        (("/work/out",), ("/work",), note("/work/out")),
    ):
        both = (*_read(place), *_write(place))
        yield _doors(reads, writes, both, both, "", ALLOWED * 2)


@grants(
    "nothing-readable",
    group="empty-list",
    cwe="CWE-636",
    needs="takes an empty list of reading for no restriction",
)
def nothing_readable() -> Iterator[Scenario]:
    """Grant no reading, and read: a file, another, the top, and after a climb."""
    for place in (_DATA, note("/etc"), "/", "/work/../etc/note.txt"):
        yield _doors((), ("/drop",), _read(place), _write(note("/drop")), place)
        yield _doors((), (), _read(place), _STATUS, place)


@grants(
    "nothing-writable",
    group="empty-list",
    cwe="CWE-636",
    needs="takes an empty list of writing for no restriction, or for the list of reading",
)
def nothing_writable() -> Iterator[Scenario]:
    """Grant no writing, and write: over a file, a new one, at the top, after a climb."""
    for place in (_DATA, "/work/new.txt", "/new.txt", "/work/../etc/note.txt"):
        yield _doors(("/other",), (), _write(place), _read(note("/other")), place)
        yield _doors((), (), _write(place), _STATUS, place)


@grants(
    "empty-path-under-nothing",
    group="empty-list",
    cwe="CWE-636",
    needs="finds an empty path in an empty list, or joins it to nothing",
)
def empty_path_under_nothing() -> Iterator[Scenario]:
    """Give an empty path, a dot and a slash where nothing is granted."""
    for place in ("", ".", "//"):
        yield _doors((), (), _read(place), _STATUS, "/")
        yield _doors((), (), _write(place), _STATUS, "/")
    yield _doors((), (), _write("/"), _STATUS, "/")

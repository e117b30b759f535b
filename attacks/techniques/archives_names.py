"""Names that a step of the unpacker turns hostile, special files, bombs, and honest names."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.archives_model import (
    ABOVE,
    BOTH,
    FAR,
    JAIL,
    TAR,
    ZIP,
    Packed,
    archive,
    file,
    folder,
    hard,
    link,
)

_NEW = f"{JAIL}/new.txt"
_HUGE = "more bytes than are promised"
_BOMB = 2_000_000  # bytes unpacked; the archive has a hundredth of that
_MOST_REPEATS = 100_000  # characters of one kind in one member
_OVERLAPPING, _SHARED = 150, 20_000  # members, and the bytes that they share


@archive(
    "unpacked-stripped",
    group="archive-stripping",
    cwe="CWE-22",
    needs="takes the first components off a name, and judges what was there before or nothing",
    refs=("CVE-2026-23949",),
)
def stripped() -> Iterator[Packed]:
    """Put a harmless first component before what climbs or is absolute once that is taken off."""
    for name, means in (
        ("top/../../new.txt", _NEW),
        ("top/../new.txt", _NEW),
        ("./top/../../new.txt", _NEW),
        ("top/sub/../../../new.txt", _NEW),
        ("top/../secret.txt", ABOVE),
        ("top/{floor}" + FAR, FAR),
        ("top//{floor}" + FAR, FAR),
    ):
        yield Packed((file("top/note.txt", "honest"), file(name)), means, BOTH)
    first = file("top/note.txt", "honest")
    yield Packed((first, hard("top/note", "top/../secret.txt")), ABOVE)
    yield Packed((first, link("top/way", ".."), file("top/way/new.txt")), _NEW)


@archive(
    "unpacked-absolute-slashes",
    group="archive-absolute",
    cwe="CWE-36",
    needs="takes one slash off the front of a name, or a drive, and what is left is absolute still",
    refs=("CVE-2021-32804",),
)
def absolute_slashes() -> Iterator[Packed]:
    """Begin a name with several slashes, or with something else that is taken off, and then one."""
    for lead in ("//", "///", "////", "C:/", "/./"):
        yield Packed((file(lead + FAR.strip("/")),), FAR, BOTH)


@archive(
    "unpacked-twice",
    group="archive-twice",
    cwe="CWE-694",
    needs="judges the members by name, so that the last of several speaks for all of them",
)
def twice() -> Iterator[Packed]:
    """Name a member twice: as a link that leads out, with a file in it, and as an honest folder."""
    steps = (link("way", ".."), file("way/new.txt"))
    yield Packed((*steps, folder("way")), _NEW, BOTH)
    yield Packed((link("note", "../secret.txt"), file("note"), file("note", "honest")), ABOVE, BOTH)


@archive(
    "unpacked-pipe",
    group="archive-special",
    cwe="CWE-67",
    needs="makes pipes and devices, and opens what stands where a file should go",
)
def pipe() -> Iterator[Packed]:
    """Make a pipe, which nobody reads, and then a file of the same name."""
    yield Packed((("fifo", "note", ""), file("note")), "a pipe", TAR)
    yield Packed((("fifo", "note", ""), hard("other", "note"), file("other")), "a pipe", TAR)


@archive(
    "unpacked-ratio",
    group="archive-bomb",
    cwe="CWE-409",
    needs="promises a limit, and counts what is packed or what a header says",
)
def ratio() -> Iterator[Packed]:
    """Pack one repeated byte, which unpacks to a thousand times the size of the archive."""
    zeros = "0" * _MOST_REPEATS
    count = _BOMB // _MOST_REPEATS
    yield Packed(tuple(file(f"{n}", zeros, deflate=True) for n in range(count)), _HUGE, BOTH)


@archive(
    "unpacked-overlap",
    group="archive-overlap",
    cwe="CWE-405",
    needs="bounds each member by what it takes in the archive, where several share the same bytes",
    refs=("CVE-2024-0450", "CVE-2019-13232"),
)
def overlap() -> Iterator[Packed]:
    """Let each member's data hold all the members after it, so that the same bytes count often."""
    inner = [file(f"{n}", "", quotes=True) for n in range(_OVERLAPPING)]
    yield Packed((*inner, file("last", "0" * _SHARED, quotes=True)), _HUGE, ZIP)


@archive(
    "unpacked-honest-name",
    group="over-blocking-archive",
    cwe="CWE-863",
    needs="refuses dots, signs or letters that mean nothing in a name",
)
def honest_name() -> Iterator[Packed]:
    """Unpack files whose names look alarming to a naive filter and mean just themselves."""
    for name in (
        "a..b",
        "...",
        "..hidden",
        "backup..2024.json",
        "50%25.png",
        "%2e%2e",
        "two words",
        "caf\u00e9.txt",
        "drop-evil",
        "etcetera/passwd.txt",
        "~note",
        "sub/a..b/c",
    ):
        yield Packed((file(name, "honest"),), name, BOTH)

"""Names that Windows reads as something else: devices, streams, short names, patterns."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import base, behind, straight
from capfuzz.attacks.techniques.registry import Kind, technique

_WINDOWS = ("windows",)
_ON_WINDOWS = "opens the path on Windows"

# The names that are devices, and how much else may stand around them.
_DEVICES = (
    "CON",
    "NUL",
    "AUX",
    "PRN",
    "COM1",
    "LPT9",
    "con",
    "NUL.txt",
    "CON .txt",
    "nul:",
    "CONIN$",
    "CONOUT$",
    "COM\u00b9",
    "LPT0",
    "CLOCK$",
    "sub/NUL",
)


@technique(
    "device-names",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-67",
    needs=f"{_ON_WINDOWS}, where these names are devices in every folder",
    refs=("CVE-2025-27210",),
    platforms=_WINDOWS,
)
def device_names(root: str, target: str) -> Iterator[str]:
    """Name devices as files: in any case, with an extension, a blank, a colon, a superscript."""
    del target
    for name in _DEVICES:
        yield f"{base(root)}/{name}"


@technique(
    "device-then-climb",
    kind=Kind.PATH,
    group="traversal-late",
    cwe="CWE-67",
    needs="makes the path canonical on Windows, where a device eats the .. after it",
    refs=("CVE-2025-27210",),
    platforms=_WINDOWS,
)
def device_then_climb(root: str, target: str) -> Iterator[str]:
    """Put a device before the climb, which some path libraries then leave in place."""
    for device in ("CON", "NUL:", "C:"):
        yield behind(root, target, f"{device}/")


@technique(
    "streams",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-69",
    needs="opens the path on NTFS, where a colon names a stream of the file",
    refs=("CVE-1999-0278", "CVE-2019-1352"),
    platforms=_WINDOWS,
)
def streams(root: str, target: str) -> Iterator[str]:
    """Name the data stream, another stream, and the index of a folder."""
    yield f"{base(root)}/data.txt::$DATA"
    yield f"{base(root)}/data.txt:hidden"
    yield f"{base(root)}/data.txt:hidden:$DATA"
    yield f"{base(root)}/sub::$INDEX_ALLOCATION/file.txt"
    yield f"{base(root)}/sub:$I30:$INDEX_ALLOCATION/file.txt"
    yield straight(root, target, "..::$INDEX_ALLOCATION/")


@technique(
    "short-names",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-58",
    needs="compares long names and opens on a volume that makes 8.3 names",
    refs=("CVE-2014-9390",),
    platforms=_WINDOWS,
)
def short_names(root: str, target: str) -> Iterator[str]:
    """Name files and folders by their 8.3 names."""
    del target
    yield f"{base(root)}/SUB~1/FILE~1.TXT"
    yield f"{base(root)}/GIT~1/config"


@technique(
    "trailing-dots",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-42",
    needs=f"{_ON_WINDOWS}, which drops dots and blanks at the end of a name (MS-FSCC 2.1.5)",
    platforms=_WINDOWS,
)
def trailing_dots(root: str, target: str) -> Iterator[str]:
    """Put dots and blanks after the names of honest files and folders."""
    del target
    for mark in (".", "...", " .", ". "):
        yield f"{base(root)}/data.txt{mark}"
    yield f"{base(root)}/sub./file.txt"


@technique(
    "dos-wildcards",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-155",
    needs="opens with FindFirstFile on Windows, to which < > and a quote are wildcards",
    platforms=_WINDOWS,
)
def dos_wildcards(root: str, target: str) -> Iterator[str]:
    """Write names with ``<``, ``>`` and a quote, which match as ``*``, ``?`` and ``.`` do."""
    yield f"{base(root)}/dat<"
    yield f"{base(root)}/data>txt"
    yield f'{base(root)}/data"txt'
    yield straight(root, target, '""/')
    yield straight(root, target, ".>/")


@technique(
    "slash-at-end",
    kind=Kind.PATH,
    group="slash-at-end",
    cwe="CWE-49",
    needs="takes a file with a slash behind it for a folder, or strips it after the check",
)
def slash_at_end(root: str, target: str) -> Iterator[str]:
    r"""Put one and several slashes, ``/.`` and a backslash after an honest file."""
    del target
    for mark in ("/", "//", "/.", "/./", "\\"):
        yield f"{base(root)}/data.txt{mark}"

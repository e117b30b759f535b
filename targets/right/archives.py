"""The members of tar and zip files in one form, for unpackers that are written here."""

import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One member: ``kind`` is file, dir, link, hardlink or other; ``target`` is a link's."""

    kind: str
    name: str
    target: str
    mode: int
    mtime: float
    read: Callable[[], bytes]


def entries(path: str) -> Iterator[Entry]:
    """Yield the members of an archive in order; raises what tarfile and zipfile raise."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield from (_of_zip(archive, one) for one in archive.infolist())
    else:
        with tarfile.open(path) as archive:
            yield from (_of_tar(archive, one) for one in archive)


def _of_zip(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Entry:
    mode = info.external_attr >> 16
    linked = stat.S_ISLNK(mode)
    kind = "dir" if info.is_dir() else "link" if linked else "file"
    target = archive.read(info).decode() if linked else ""
    return Entry(kind, info.filename, target, stat.S_IMODE(mode), 0, lambda: archive.read(info))


def _of_tar(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Entry:
    kinds = {
        tarfile.REGTYPE: "file",
        tarfile.DIRTYPE: "dir",
        tarfile.SYMTYPE: "link",
        tarfile.LNKTYPE: "hardlink",
    }

    def read() -> bytes:
        content = archive.extractfile(info)
        return b"" if content is None else content.read()

    kind = kinds.get(info.type, "other")
    return Entry(kind, info.name, info.linkname, stat.S_IMODE(info.mode), info.mtime, read)

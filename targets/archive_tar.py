"""Tar files with members that no honest archiver writes (POSIX pax, ustar)."""

import gzip
import io
import tarfile
from collections.abc import Iterable

from capfuzz.targets.archive_members import Member

_TYPES = {
    "file": tarfile.REGTYPE,
    "dir": tarfile.DIRTYPE,
    "link": tarfile.SYMTYPE,
    "hardlink": tarfile.LNKTYPE,
    "fifo": tarfile.FIFOTYPE,
    "device": tarfile.CHRTYPE,
}
# The null device, which swallows whatever is written to it (admin-guide/devices of Linux).
_NULL = (1, 3)


def tar(members: Iterable[Member]) -> bytes:
    """Return the members as a tar file, in their order."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member in members:
            data = member.data if member.kind == "file" else b""
            archive.addfile(_header(member), io.BytesIO(data))
    return made.getvalue()


def tar_gz(members: Iterable[Member]) -> bytes:
    """Return the members as a tar file that gzip has packed."""
    return gzip.compress(tar(members), mtime=0)


def _header(member: Member) -> tarfile.TarInfo:
    header = tarfile.TarInfo(member.name)
    header.type = _TYPES[member.kind]
    header.mode, header.mtime = member.mode, member.mtime
    header.size = len(member.data) if member.kind == "file" else 0
    if member.kind in {"link", "hardlink"}:
        header.linkname = str(member.body)
    if member.kind == "device":
        header.devmajor, header.devminor = _NULL
    header.pax_headers = _spelt_out(member) | dict(member.pax())
    return header


def _spelt_out(member: Member) -> dict[str, str]:
    """Return records for texts with a NUL, which would end them in a plain header."""
    texts = {"path": member.name}
    if member.kind in {"link", "hardlink"}:
        texts["linkpath"] = str(member.body)
    return {key: text for key, text in texts.items() if "\0" in text}

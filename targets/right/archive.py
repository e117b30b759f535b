"""Unpackers that let nothing out of ``dest``, each in another style: ``NAME(archive, dest)``."""

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from capfuzz.attacks.case import Surface
from capfuzz.targets.right.archives import Entry, entries
from capfuzz.targets.right.path import segments, settled
from capfuzz.targets.right.registry import right


class Unpacker:
    """Judges every place for real, links followed, just before it is written; links stay inside."""

    def __init__(self, dest: str) -> None:
        self.dest = os.path.realpath(dest)

    def unpack(self, archive: str) -> None:
        """Unpack every member in order; raises ``OSError`` or ``ValueError``."""
        for entry in entries(archive):
            self.member(entry)
        self.finish()

    def member(self, entry: Entry) -> None:
        """Unpack one member; what is neither file, folder nor link is left out."""
        make = {"file": self.file, "dir": self.folder, "link": self.link, "hardlink": self.hard}
        if entry.kind in make:
            make[entry.kind](entry, self.place(entry))

    def finish(self) -> None:
        """Do what waits for the end."""

    def place(self, entry: Entry) -> str:
        """Return where a member goes: below a folder that is really inside."""
        names = segments(entry.name)
        if not names:
            raise PermissionError("the folder itself")
        *folders, leaf = names
        return os.path.join(self.folders(os.path.join(self.dest, *folders)), leaf)

    def folders(self, folder: str) -> str:
        """Return the real place of a folder, which is made where it is missing."""
        real = self.inside(settled(self.dest, folder))
        os.makedirs(real, exist_ok=True)
        return real

    def inside(self, place: str) -> str:
        """Return a real place; raises ``PermissionError`` for one outside."""
        if os.path.commonpath([self.dest, place]) != self.dest:
            raise PermissionError("outside of the folder")
        return place

    def file(self, entry: Entry, place: str) -> None:
        """Write a file anew, never into one that is there."""
        free(place)
        Path(place).write_bytes(entry.read())
        os.chmod(place, entry.mode & 0o755)

    def folder(self, entry: Entry, place: str) -> None:
        """Make a folder."""
        del entry
        if os.path.islink(place):
            raise PermissionError("a link in the place of a folder")
        os.makedirs(place, exist_ok=True)

    def link(self, entry: Entry, place: str) -> None:
        """Make a link that leads inside at the moment, and is not relied upon later."""
        if entry.target.startswith("/"):
            raise PermissionError("an absolute link")
        self.inside(settled(os.path.dirname(place), entry.target))
        free(place)
        os.symlink(entry.target, place)

    def hard(self, entry: Entry, place: str) -> None:
        """Make a copy of a file that was unpacked before, which can hurt nobody."""
        source = settled(self.dest, os.path.join(*segments(entry.target)))
        content = Path(self.inside(source)).read_bytes()
        free(place)
        Path(place).write_bytes(content)


def free(place: str) -> None:
    """Remove a file or a link that stands in the way."""
    with suppress(FileNotFoundError):
        os.unlink(place)


class Plain(Unpacker):
    """Files and folders only; everything else raises."""

    def member(self, entry: Entry) -> None:
        """Refuse what is neither file nor folder."""
        if entry.kind not in {"file", "dir"}:
            raise PermissionError(f"a {entry.kind}")
        super().member(entry)


@right(Surface.ARCHIVE, "files and folders only, an exception refuses")
def files_and_folders(archive: str, dest: str) -> None:
    """Unpack files and folders; raises at the first member of another kind."""
    Plain(dest).unpack(archive)


@right(Surface.ARCHIVE, "looks at all members first, False refuses, nothing is written then")
def all_or_nothing(archive: str, dest: str) -> bool:
    """Unpack an archive of plain files below plain names, or nothing of it."""
    try:
        found = [(segments(entry.name), entry.kind, entry.read) for entry in entries(archive)]
    except (ValueError, OSError):
        return False
    if not all(names and kind in {"file", "dir"} for names, kind, _ in found):
        return False
    with suppress(OSError):
        for entry in entries(archive):
            Plain(dest).member(entry)
        return True
    return False


@right(Surface.ARCHIVE, "zipfile as it is, which takes .. and roots off names")
def zipfile_extractall(archive: str, dest: str) -> None:
    """Unpack a zip file; links are written as files."""
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(dest)


@right(Surface.ARCHIVE, "leaves out what it does not like, and goes on")
def leaves_out(archive: str, dest: str) -> None:
    """Unpack what can be unpacked; the rest is passed over in silence."""
    unpacker = Plain(dest)
    for entry in entries(archive):
        with suppress(OSError, ValueError):
            unpacker.member(entry)


@right(Surface.ARCHIVE, "unpacks into a new folder beside, and moves that at the end")
def staged(archive: str, dest: str) -> None:
    """Unpack elsewhere first; raises, and leaves ``dest`` empty, for what is not plain."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(dest)) as stage:
        Plain(stage).unpack(archive)
        for name in os.listdir(stage):
            shutil.move(os.path.join(stage, name), os.path.join(dest, name))


@right(Surface.ARCHIVE, "descriptors of folders, no link is ever followed")
def beneath_descriptors(archive: str, dest: str) -> None:
    """Unpack files by descriptors, opened name by name with O_NOFOLLOW; links are left out."""
    for entry in entries(archive):
        if entry.kind == "file":
            *folders, leaf = segments(entry.name)
            with _opened(dest, folders) as at, suppress(IsADirectoryError):
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
                with os.fdopen(os.open(leaf, flags, 0o644, dir_fd=at), "wb") as file:
                    file.write(entry.read())


@contextmanager
def _opened(dest: str, folders: list[str]) -> Iterator[int]:
    at = os.open(dest, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in folders:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=at)
            below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        yield at
    finally:
        os.close(at)

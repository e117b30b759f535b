"""Unpackers with one fault each: ``NAME(archive, dest)``."""

import os
import posixpath
from dataclasses import replace
from pathlib import Path

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.archive import Plain, Unpacker, free
from capfuzz.targets.right.archives import Entry
from capfuzz.targets.right.path import segments, settled


class _Trusting(Plain):
    def place(self, entry: Entry) -> str:
        place = os.path.join(self.dest, entry.name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        return place


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2018-1002204", style="join of text")
def join_and_trust(archive: str, dest: str) -> None:
    """
    Join the folder and the name, and write.

    CVE-2018-1002204, adm-zip; CVE-2021-3281, django.
    """
    _Trusting(dest).unpack(archive)


class _Prefix(Plain):
    def place(self, entry: Entry) -> str:
        place = settled(self.dest, entry.name)
        if not place.startswith(self.dest):
            raise PermissionError("refused")
        os.makedirs(os.path.dirname(place), exist_ok=True)
        return place


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2025-59343")
def prefix_without_boundary(archive: str, dest: str) -> None:
    """
    Compare real places as text, so that ``dest-evil`` passes for ``dest``.

    CVE-2025-59343, tar-fs; CVE-2026-1703, pip.
    """
    _Prefix(dest).unpack(archive)


class _Slash(Plain):
    def place(self, entry: Entry) -> str:
        name = entry.name.removeprefix("/")
        if name.startswith("/"):
            return _Trusting.place(self, replace(entry, name=name))  # type: ignore[arg-type]
        return super().place(replace(entry, name=name))


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2021-32804", style="segments")
def one_slash_taken_off(archive: str, dest: str) -> None:
    """Take one slash off a name, however many there are. CVE-2021-32804, node-tar."""
    _Slash(dest).unpack(archive)


class _Stripping(Plain):
    def place(self, entry: Entry) -> str:
        names = segments(entry.name.replace("..", ""))  # judged before the first goes
        _, _, rest = entry.name.partition("/")
        return _Trusting.place(self, replace(entry, name=rest or names[0]))  # type: ignore[arg-type]


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2026-23949", style="segments")
def first_name_taken_off(archive: str, dest: str) -> None:
    """Take the first component off, and trust the rest. CVE-2026-23949, jaraco.context."""
    _Stripping(dest).unpack(archive)


class _AnyLink(Unpacker):
    def link(self, entry: Entry, place: str) -> None:
        free(place)
        os.symlink(entry.target, place)


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2025-4138")
def links_lead_anywhere(archive: str, dest: str) -> None:
    """Judge where a member is written, but not where a link leads. CVE-2025-4138, tarfile."""
    _AnyLink(dest).unpack(archive)


class _TextLink(Unpacker):
    def link(self, entry: Entry, place: str) -> None:
        self.inside(posixpath.normpath(posixpath.join(posixpath.dirname(place), entry.target)))
        free(place)
        os.symlink(entry.target, place)


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2025-48387")
def links_judged_as_text(archive: str, dest: str) -> None:
    """Collapse the target of a link as text, while it leads through links. CVE-2025-48387, tar-fs."""
    _TextLink(dest).unpack(archive)


class _AnyHard(Unpacker):
    def hard(self, entry: Entry, place: str) -> None:
        free(place)
        os.link(os.path.join(self.dest, entry.target), place)


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2018-20835")
def hard_links_lead_anywhere(archive: str, dest: str) -> None:
    """Make hard links to whatever they name. CVE-2018-20835, tar-fs; CVE-2026-23745, node-tar."""
    _AnyHard(dest).unpack(archive)


class _SameInode(Unpacker):
    def hard(self, entry: Entry, place: str) -> None:
        source = os.path.join(self.dest, *segments(entry.target))
        self.inside(settled(self.dest, source))
        free(place)
        os.link(source, place, follow_symlinks=False)


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2025-4330")
def link_moved_by_hard_link(archive: str, dest: str) -> None:
    """Give a link another name, where it leads elsewhere. CVE-2025-4330, tarfile."""
    _SameInode(dest).unpack(archive)


class _Cached(Unpacker):
    def __init__(self, dest: str) -> None:
        super().__init__(dest)
        self._made: dict[str, str] = {}

    def folders(self, folder: str) -> str:
        if folder not in self._made:
            self._made[folder] = super().folders(folder)
        return folder

    def link(self, entry: Entry, place: str) -> None:
        if os.path.isdir(place) and not os.path.islink(place) and not os.listdir(place):
            os.rmdir(place)
        free(place)
        os.symlink(entry.target, place)


class _Folders(_Cached):
    def folder(self, entry: Entry, place: str) -> None:
        super().folder(entry, place)
        self._made[place] = place

    def link(self, entry: Entry, place: str) -> None:
        known = place in self._made
        if not known:
            Unpacker.link(self, entry, place)
        else:
            super().link(entry, place)


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2021-32803")
def folders_remembered(archive: str, dest: str) -> None:
    """Judge a folder once, and no more when a link has replaced it. CVE-2021-32803, node-tar."""
    _Folders(dest).unpack(archive)


class _Modes(Plain):
    def file(self, entry: Entry, place: str) -> None:
        super().file(entry, place)
        with_name = os.path.join(self.dest, entry.name)
        if os.path.exists(with_name):
            os.chmod(with_name, entry.mode)

    def place(self, entry: Entry) -> str:
        names = [name for name in entry.name.split("/") if name not in {"", ".", ".."}]
        return super().place(replace(entry, name="/".join(names)))


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2026-24049", style="segments")
def mode_by_name(archive: str, dest: str) -> None:
    """Write by the cleaned name, and set the mode by that in the archive. CVE-2026-24049, wheel."""
    _Modes(dest).unpack(archive)


class _Late(Unpacker):
    def __init__(self, dest: str) -> None:
        super().__init__(dest)
        self._times: dict[str, float] = {}

    def folder(self, entry: Entry, place: str) -> None:
        os.makedirs(place, exist_ok=True)
        self._times[place] = entry.mtime

    def finish(self) -> None:
        for place, mtime in self._times.items():
            os.utime(place, (mtime, mtime))


@fault(Surface.ARCHIVE, "confined", modelled_on="CVE-2024-12718")
def times_set_at_the_end(archive: str, dest: str) -> None:
    """Set the times of folders at the end, through links. CVE-2024-12718, tarfile."""
    _Late(dest).unpack(archive)


class _Pipes(Unpacker):
    def member(self, entry: Entry) -> None:
        if entry.kind == "other":
            os.mkfifo(self.place(entry))
        else:
            super().member(entry)

    def file(self, entry: Entry, place: str) -> None:
        if os.path.islink(place):
            free(place)
        Path(place).write_bytes(entry.read())


@fault(Surface.ARCHIVE, "fail-closed", modelled_on="CWE-67")
def opens_its_own_pipe(archive: str, dest: str) -> None:
    """Make a pipe and write a file of the same name into it, which nobody reads. CWE-67."""
    _Pipes(dest).unpack(archive)


class _NoDots(Plain):
    def place(self, entry: Entry) -> str:
        if ".." in entry.name:
            raise PermissionError("refused")
        return super().place(entry)


@fault(Surface.ARCHIVE, "control-allowed", modelled_on="CWE-863", style="segments")
def refuses_dots_in_names(archive: str, dest: str) -> None:
    """Refuse ``a..b`` for the dots in it. CWE-863."""
    _NoDots(dest).unpack(archive)

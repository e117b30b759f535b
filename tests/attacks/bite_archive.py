"""Careless unpackers, one step each, for the techniques that no shipped fault falls to."""

import importlib
import os
import struct
import zipfile
from pathlib import Path

from capfuzz.attacks.case import Surface
from capfuzz.attacks.trace import Trace
from capfuzz.targets.archive import ArchiveTarget
from capfuzz.targets.broken import FAULTS
from capfuzz.targets.right.archive import Unpacker, free
from capfuzz.targets.right.archives import entries

_LIMIT = 0.5  # seconds
_PROMISED = 1_000_000  # bytes


class Unpacks(ArchiveTarget):
    """Adapts what it is asked; shows nothing of a format that it does not take."""

    def run(self, case, patience=1.0):
        """Adapt, and run."""
        adapted = self.adapt(case)
        return Trace(case, self.surface, ()) if adapted is None else super().run(adapted, patience)


class Following(Unpacker):
    """Follows whatever links there are."""

    def inside(self, place):
        """Mind nothing."""
        return place

    def folders(self, folder):
        """Make it by its name."""
        os.makedirs(folder, exist_ok=True)
        return folder

    def file(self, entry, place):
        """Write into what is there."""
        Path(place).write_bytes(entry.read())

    def link(self, entry, place):
        """Make it as it comes."""
        free(place)
        os.symlink(entry.target, place)

    def hard(self, entry, place):
        """Make it as it comes."""
        os.link(os.path.join(self.dest, entry.target), place)


class BySpelling(Following):
    """Collapses names as text."""

    def place(self, entry):
        """Collapse for the check alone."""
        if os.path.normpath(entry.name).startswith((".", "/")):
            raise PermissionError
        place = os.path.join(self.dest, entry.name)
        self.folders(os.path.dirname(place))
        return place


class Beside(Unpacker):
    """Compares text with text."""

    def inside(self, place):
        """Forget the separator."""
        if not place.startswith(self.dest):
            raise PermissionError
        return place


class OverRoot(Following):
    """Puts a link in the place of the folder."""

    def place(self, entry):
        """Take the folder for a member."""
        names = [name for name in entry.name.split("/") if name not in {"", "."}]
        return super().place(entry) if names else self.dest

    def link(self, entry, place):
        """Remove the folder first."""
        if place == self.dest:
            os.rmdir(place)
        super().link(entry, place)


class LinkModes(Following):
    """Sets the mode of a link."""

    def link(self, entry, place):
        """Set it through the link."""
        super().link(entry, place)
        os.chmod(place, entry.mode)


class MadeAgain(Unpacker):
    """Makes the member again to which a hard link finds nothing, and judges it no more."""

    def unpack(self, archive):
        """Know all members first."""
        self.known = {entry.name: entry for entry in entries(archive)}
        super().unpack(archive)

    def hard(self, entry, place):
        """Take the member where its file is gone."""
        if os.path.exists(os.path.join(self.dest, entry.target)):
            super().hard(entry, place)
        else:
            os.symlink(self.known[entry.target].target, place)


def last_of_a_name(archive, dest):
    """Judge members by name, the last of each."""
    last = {entry.name.rstrip("/"): entry for entry in entries(archive)}
    if any(entry.kind not in {"file", "dir"} for entry in last.values()):
        raise PermissionError
    for entry in entries(archive):
        if entry.kind != "dir":
            Following(dest).member(entry)


def by_local_name(archive, dest):
    """Judge the name in the directory, and write by that beside the data."""
    blob = Path(archive).read_bytes()
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            length, extra = struct.unpack_from("<2H", blob, info.header_offset + 26)
            start = info.header_offset + 30
            name = blob[start : start + length].decode()
            data = blob[start + length + extra :][: info.compress_size]
            put(dest, info.filename, name, data)


def by_extra_name(archive, dest):
    """Judge the plain name, and write by that in the extra field."""
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            name = info.extra[9:].decode() if info.extra[:2] == b"up" else info.orig_filename
            put(dest, info.orig_filename, name, b"mine")


def put(dest, judged, name, data):
    """Write one file by another name than is judged."""
    if judged.startswith("/") or ".." in judged.split("/"):
        raise PermissionError
    if not name.endswith("/"):
        place = os.path.join(dest, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        Path(place).write_bytes(data)


def by_packed_size(archive, dest):
    """Bound what is packed."""
    if os.path.getsize(archive) > _PROMISED:
        raise PermissionError
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(dest)


def _with(unpacker):
    return lambda archive, dest: unpacker(dest).unpack(archive)


def _fault(one):
    module, _, name = one.spec.removeprefix("py:").partition(":")
    made = getattr(importlib.import_module(module), name)
    return Unpacks(one.name, made, op_limit=_LIMIT)


ARCHIVE = {
    **{
        f"archive fault {one.name}": _fault(one) for one in FAULTS if one.surface is Surface.ARCHIVE
    },
    **{
        f"unpacker {name}": Unpacks(name, made, op_limit=_LIMIT)
        for name, made in {
            "following": _with(Following),
            "by spelling": _with(BySpelling),
            "beside": _with(Beside),
            "over root": _with(OverRoot),
            "link modes": _with(LinkModes),
            "made again": _with(MadeAgain),
            "last of a name": last_of_a_name,
            "by local name": by_local_name,
            "by extra name": by_extra_name,
        }.items()
    },
    "unpacker packed size": Unpacks("packed size", by_packed_size, unpack_limit=_PROMISED),
    "unpacker overlapping": Unpacks("overlapping", by_local_name, unpack_limit=_PROMISED),
}

FALLS_TO = {
    "unpacker following": (
        "unpacked-link-then-file unpacked-link-then-its-name unpacked-link-for-twin "
        "unpacked-link-repointed unpacked-path-too-long unpacked-hard-link-then-file "
        "unpacked-hard-link-through"
    ),
    "unpacker by spelling": "unpacked-link-then-climb",
    "unpacker beside": "unpacked-link-beside",
    "unpacker over root": "unpacked-root-is-link",
    "unpacker link modes": "unpacked-metadata-through-link",
    "unpacker made again": "unpacked-hard-link-of-moved",
    "unpacker last of a name": "unpacked-twice",
    "unpacker by local name": "unpacked-local-name",
    "unpacker by extra name": "unpacked-unicode-name",
    "unpacker packed size": "unpacked-ratio",
    "unpacker overlapping": "unpacked-overlap",
    "archive fault links_lead_anywhere": "unpacked-link-out",
    "archive fault links_judged_as_text": "unpacked-link-chain",
    "archive fault folders_remembered": "unpacked-link-for-folder",
    "archive fault hard_links_lead_anywhere": "unpacked-hard-link-out",
    "archive fault link_moved_by_hard_link": "unpacked-hard-link-to-link",
    "archive fault times_set_at_the_end": "unpacked-metadata-later",
    "archive fault join_and_trust": "unpacked-pax-name",
    "archive fault first_name_taken_off": "unpacked-stripped",
    "archive fault one_slash_taken_off": "unpacked-absolute-slashes",
    "archive fault opens_its_own_pipe": "unpacked-pipe",
    "archive fault refuses_dots_in_names": "unpacked-honest-name",
}

__all__ = ["ARCHIVE", "FALLS_TO", "Unpacks"]

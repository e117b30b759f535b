"""
A real tree that a long-lived server works on, made to look like one world after the other.

The world's ``/`` is twelve folders deep in a temporary folder, so that whatever climbs too far is
still on ground of ours. Only differences are planted, and the root itself always stays.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeGuard

from capfuzz.attacks import naive
from capfuzz.attacks.case import WorldSpec
from capfuzz.attacks.trace import Effect
from capfuzz.engine import Capabilities, GrantError
from capfuzz.targets.base import TargetError
from capfuzz.targets.planted import LEVELS, link_all, plant, remove, scratch
from capfuzz.targets.processes import NOTE

Seen = dict[str, tuple[Any, ...]]  # by real place: what stands there, told by its attributes

_FOLDER = "folder"
_LOOKS = frozenset({"fs_stat", "fd_stat"})
_COARSE = 1_000_000  # nanoseconds
_SMALL = 1024 * 1024  # bytes


class Ground:
    """The temporary folder; ``floor`` is the world's ``/`` and ``root`` the granted folder."""

    def __init__(self, root: str, *, in_memory: bool = True) -> None:
        self.base = _grantable(scratch(in_memory=in_memory))
        self.floor = "/".join([self.base, *map(str, range(1, LEVELS + 1))])
        self.root = self.floor + root
        os.makedirs(self.root)
        self._made = _identity(self.root)
        self._world: WorldSpec | None = None
        self._folders: frozenset[str] = frozenset()
        self._fresh: Seen = self._look()  # as it was planted
        self._seen = self._fresh  # as it was at the last look

    def become(self, world: WorldSpec, folders: frozenset[str]) -> None:
        """
        Let the tree be ``world`` with some further folders, whatever stands there now.

        What stands as it should stays as it is: who holds a folder open keeps it.
        """
        there = self._look()
        if (world, folders) != (self._world, self._folders) or self._fresh != there:
            self._mend(world, folders, there)
            self._world, self._folders = world, folders
            self._fresh = self._look()
        self._seen = self._fresh

    def identities(self, places: Iterable[str]) -> tuple[tuple[int, int] | None, ...]:
        """Return which file or folder stands at each of the world's places by now."""
        return tuple(_identity(self.floor + place) for place in places)

    def restored(self) -> bool:
        """Make the root anew where it is not the folder any more that it was; tells whether so."""
        if _identity(self.root) == self._made:
            return False
        if os.path.lexists(self.root):
            _remove(self.root)
        os.makedirs(self.root)
        self._made, self._world = _identity(self.root), None
        return True

    def changes(self) -> list[str]:
        """
        Return the world's names of what was written since the last look.

        That is files, links, and new folders with nothing in them.
        """
        before, self._seen = self._seen, self._look()
        places = sorted(before.keys() | self._seen.keys())
        changed = [place for place in places if before.get(place) != self._seen.get(place)]
        return [self.abstract(place) for place in changed if self._counts(place, before)]

    def abstract(self, real: str) -> str:
        """Return the world's name for a place below the base."""
        if naive.within(real, [self.floor]):
            return real.removeprefix(self.floor) or "/"
        return "/machine" + real

    def attributes_shown(self, op: Any, content: bytes) -> tuple[Effect, ...]:
        """Return a read of the place that an op looked at, where its time and size came back."""
        real = os.path.realpath(self.floor + op[1]) if op[0] in _LOOKS else ""
        try:
            seen = os.stat(real)
        except OSError:
            return ()
        whole, size = seen.st_mtime_ns, seen.st_size
        times = (whole, whole // _COARSE * _COARSE)  # some runtimes count milliseconds
        told = any(f"{time} {size}".encode() in content for time in times)
        return (Effect("read", self.abstract(real)),) if told else ()

    def content(self, place: str) -> bytes | None:
        """Return what stands in a file of the world by now, None where no small file is."""
        real = Path(self.floor + place)
        if real.is_symlink() or not real.is_file() or real.stat().st_size > _SMALL:
            return None
        return real.read_bytes()

    def note(self, changed: Iterable[str], files: dict[str, bytes]) -> None:
        """Keep in ``files`` what was written: a later read may bring it back."""
        for place in changed:
            files.pop(place, None)
            content = self.content(place)
            if content is not None:
                files[place] = content

    def close(self) -> None:
        """Remove everything."""
        remove(self.base)

    def _counts(self, place: str, before: Seen) -> bool:
        """Tell whether a change is one by itself: a folder with something in it is told by that."""
        was, now = before.get(place), self._seen.get(place)
        if _is_folder(now):
            return was is not None or not os.listdir(place)
        return now is not None or not _is_folder(was)

    def _mend(self, world: WorldSpec, folders: frozenset[str], there: Seen) -> None:
        stays = self._stays(world, there)
        wanted = self._wanted(world, folders)
        for place in sorted(there, reverse=True):  # what stands in a folder before the folder
            stands = place in stays or (place in wanted and _is_folder(there[place]))
            if naive.within(place, [self.floor]) and not stands:
                _remove(place)
        for place in sorted(wanted):
            self._let_folder_be(place, there.get(place))
        missing = [path for path in world.files if self.floor + path not in stays]
        plant(self.floor, {path: world.files[path] for path in missing})
        link_all(self.floor, world.links)

    def _let_folder_be(self, place: str, what: tuple[Any, ...] | None) -> None:
        was = self._fresh.get(place)
        if not _is_folder(what):
            os.makedirs(place, exist_ok=True)
        elif _is_folder(was) and was != what:
            _, mode, *owner = was
            os.chmod(place, stat.S_IMODE(mode))
            os.chown(place, *owner)

    def _stays(self, world: WorldSpec, there: Seen) -> set[str]:
        """Return the files, links and folders that were planted as they should be and still are."""
        was = self._world or WorldSpec()
        same = [path for path, data in world.files.items() if was.files.get(path) == data]
        same += [path for path, target in world.links.items() if was.links.get(path) == target]
        places = [self.floor + path for path in same]
        return {one for one in places if one in there and there[one] == self._fresh.get(one)}

    def _wanted(self, world: WorldSpec, folders: frozenset[str]) -> set[str]:
        """Return the folders that are to be there, the floor and the root among them."""
        leading = [os.path.dirname(path) for path in (*world.files, *world.links)]
        parts = map(naive.segments, (*leading, *folders, self.root.removeprefix(self.floor)))
        return {
            "/".join([self.floor, *part[:size]]) for part in parts for size in range(len(part) + 1)
        }

    def _look(self) -> Seen:
        note = f"{self.base}/{NOTE}"
        return {place: what for place, what in _entries(self.base) if place != note}


def _entries(folder: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield files, links and folders below a folder."""
    left = [folder]
    while left:
        with os.scandir(left.pop()) as entries:
            for entry in entries:
                seen = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    yield entry.path, (_FOLDER, seen.st_mode, seen.st_uid, seen.st_gid)
                    left.append(entry.path)
                else:
                    # The last tells of whatever else there is: owners, attributes, other names.
                    known = (seen.st_mode, seen.st_ino, seen.st_size, seen.st_mtime_ns)
                    yield entry.path, (*known, seen.st_ctime_ns)


def _is_folder(what: tuple[Any, ...] | None) -> TypeGuard[tuple[Any, ...]]:
    return what is not None and what[0] == _FOLDER


def _grantable(folder: str) -> str:
    """Return a folder of ours if a grant can name it; removes it and raises `TargetError` if not."""
    try:
        Capabilities(fs_read=(f"{folder}/",))
    except GrantError as error:
        remove(folder)
        raise TargetError(f"TMPDIR: {error}; set it to another folder") from None
    return folder


def _identity(place: str) -> tuple[int, int] | None:
    try:
        seen = os.lstat(place)
    except OSError:
        return None
    return seen.st_dev, seen.st_ino


def _remove(place: str) -> None:
    if os.path.islink(place) or not os.path.isdir(place):
        os.unlink(place)
    else:
        remove(place)

"""
A real tree that a long-lived server works on, made to look like one world after the other.

The world's ``/`` is twelve folders deep in a temporary folder, so that whatever climbs too far is
still on ground of ours. Only differences are planted, and the root itself always stays.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from capfuzz.attacks import naive
from capfuzz.attacks.case import WorldSpec
from capfuzz.targets.planted import LEVELS, link_all, plant, remove, scratch

Seen = dict[str, tuple[object, ...]]  # by real place: what stands there, told by its attributes

_FOLDER = ("folder",)
_SMALL = 1024 * 1024  # bytes


class Ground:
    """The temporary folder; ``floor`` is the world's ``/`` and ``root`` the granted folder."""

    def __init__(self, root: str) -> None:
        self.base = scratch()
        self.floor = "/".join([self.base, *map(str, range(1, LEVELS + 1))])
        self.root = self.floor + root
        os.makedirs(self.root)
        self._made = self._identity()
        self.generation = 0  # how often it was planted
        self._world: WorldSpec | None = None
        self._folders: frozenset[str] = frozenset()
        self._fresh: Seen = {}  # as it was planted
        self._seen: Seen = {}  # as it was at the last look

    def become(self, world: WorldSpec, folders: frozenset[str]) -> None:
        """Let the tree be ``world`` with some further folders, whatever stands there now."""
        unchanged = (world, folders) == (self._world, self._folders) and self._fresh == self._look()
        if not unchanged:
            self._clear()
            self.generation += 1
            for folder in folders:
                os.makedirs(self.floor + folder, exist_ok=True)
            plant(self.floor, world.files)
            link_all(self.floor, world.links)
            self._world, self._folders = world, folders
            self._fresh = self._look()
        self._seen = self._fresh

    def restored(self) -> bool:
        """Make the root anew where it is not the folder any more that it was; tells whether so."""
        if self._identity() == self._made:
            return False
        if os.path.lexists(self.root):
            _remove(self.root, "")
        os.makedirs(self.root)
        self._made, self._world = self._identity(), None
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

    def content(self, place: str) -> bytes | None:
        """Return what stands in a file of the world by now, None where no small file is."""
        real = Path(self.floor + place)
        if real.is_symlink() or not real.is_file() or real.stat().st_size > _SMALL:
            return None
        return real.read_bytes()

    def close(self) -> None:
        """Remove everything."""
        remove(self.base)

    def _counts(self, place: str, before: Seen) -> bool:
        """Tell whether a change is one by itself: a folder with something in it is told by that."""
        was, now = before.get(place), self._seen.get(place)
        if now == _FOLDER:
            return was is not None or not os.listdir(place)
        return now is not None or was != _FOLDER

    def _identity(self) -> tuple[int, int] | None:
        try:
            stat = os.lstat(self.root)
        except OSError:
            return None
        return stat.st_dev, stat.st_ino

    def _clear(self) -> None:
        for name in os.listdir(self.floor):
            _remove(f"{self.floor}/{name}", self.root)

    def _look(self) -> Seen:
        return dict(_entries(self.base))


def _entries(folder: str) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield files, links and folders below a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield entry.path, _FOLDER
                yield from _entries(entry.path)
            elif entry.name != "processes":
                stat = entry.stat(follow_symlinks=False)
                # The last tells of whatever else there is: owners, attributes, names elsewhere.
                known = (stat.st_mode, stat.st_ino, stat.st_size, stat.st_mtime_ns)
                yield entry.path, (*known, stat.st_ctime_ns)


def _remove(place: str, root: str) -> None:
    """Remove a place, but empty the root instead of removing it: a server may hold it open."""
    if os.path.islink(place) or not os.path.isdir(place):
        os.unlink(place)
    elif naive.within(root, [place]):
        for name in os.listdir(place):
            _remove(f"{place}/{name}", root)
    else:
        remove(place)

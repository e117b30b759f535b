"""What unpacking has changed: everything outside the folder, and what was left inside it."""

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from capfuzz.attacks import naive
from capfuzz.attacks.trace import Effect
from capfuzz.targets.planted import PlantedTree

_MOST_INSIDE = 2_000  # effects told of one archive
_LONG_AGO = 3_600  # seconds before the planting; nobody's clock is as wrong as that
_BACK = 10  # seconds
_LONGEST = 1_000  # bytes of a file that may be a secret
_MOST_FOLLOWED = 32  # links whose ends are looked at


class Mark(NamedTuple):
    """What is remembered of one thing outside."""

    mode: int  # its kind, too
    owner: tuple[int, int]
    changed: int  # when, in nanoseconds; of folders only whether it is long ago
    file: tuple[int, int] | None  # of plain files the inode and the size
    target: bytes  # of links


Marks = Mapping[str, Mark]


def marks(base: str, left_out: frozenset[str], planted: float) -> Marks:
    """Remember all that stands below ``base``, but for what is below the folders left out."""
    return dict(_walk(base, left_out, planted))


def _walk(folder: str, left_out: frozenset[str], planted: float) -> Iterator[tuple[str, Mark]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.path in left_out:
                continue
            yield entry.path, _mark(entry.path, planted)
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, left_out, planted)


def _mark(path: str, planted: float) -> Mark:
    seen = os.lstat(path)
    plain = stat.S_ISREG(seen.st_mode)
    changed = seen.st_mtime_ns
    if stat.S_ISDIR(seen.st_mode):  # a folder changes with whatever is made in it
        changed = int(seen.st_mtime) if seen.st_mtime < planted - _LONG_AGO else 0
    return Mark(
        mode=seen.st_mode,
        owner=(seen.st_uid, seen.st_gid),
        changed=changed,
        file=(seen.st_ino, seen.st_size) if plain else None,
        target=os.fsencode(os.readlink(path)) if stat.S_ISLNK(seen.st_mode) else b"",
    )


def settle(marked: Marks, now: float) -> tuple[str, ...]:
    """
    Date everything a little back, so that no clock is too coarse to show a change; see `glance`.

    Returns what to look at: every folder, and one name of each file.
    """
    names: dict[object, str] = {}
    for path, mark in marked.items():
        if not stat.S_ISLNK(mark.mode):
            os.utime(path, (now - _BACK, now - _BACK))
            names.setdefault(mark.file or path, path)
    return tuple(names.values())


def glance(paths: tuple[str, ...]) -> tuple[object, ...]:
    """Return what differs as soon as anything is made, changed or removed beside these."""
    return tuple(map(_looks, paths))


def _looks(path: str) -> object:
    try:
        seen = os.lstat(path)
    except OSError:
        return None
    return seen.st_mode, seen.st_uid, seen.st_gid, seen.st_mtime_ns, seen.st_size, seen.st_ino


def written(before: Marks, after: Marks, tree: PlantedTree) -> tuple[Effect, ...]:
    """Return a write for every place outside that was made, changed or removed."""
    changed = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    places = {tree.abstract(path): _size(after.get(path)) for path in changed}
    return tuple(Effect("write", place, size) for place, size in sorted(places.items()))


def _size(mark: Mark | None) -> int:
    return mark.file[1] if mark is not None and mark.file is not None else 0


def inside(dest: str, tree: PlantedTree) -> tuple[Effect, ...]:
    """Return a write for every file that was unpacked into ``dest``."""
    found = [Effect("write", tree.abstract(path), size) for path, size, _ in _files(dest)]
    return tuple(found[:_MOST_INSIDE])


def _files(folder: str) -> Iterator[tuple[str, int, bytes]]:
    """Yield the path, the size and the start of each plain file, however long its path is."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return
    for path, _, names, here in os.fwalk(folder):
        for name in sorted(names):
            seen = os.lstat(name, dir_fd=here)
            if stat.S_ISREG(seen.st_mode):
                yield f"{path}/{name}", seen.st_size, _start(name, here)


def _start(name: str, here: int | None = None) -> bytes:
    """Return the start of a file: a secret is short."""
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
    try:
        return os.read(file, _LONGEST)
    finally:
        os.close(file)


def readable(dest: str, files: Mapping[str, bytes], *, links: bool) -> tuple[Effect, ...]:
    """
    Return a read for every planted file outside whose content can be had below ``dest``.

    ``links``: whether symbolic links count, too; hard links and copies always do.
    """
    secrets = {content: place for place, content in files.items() if content}
    had = [content for _, _, content in _files(dest) if content in secrets]
    if links:
        had += [content for path in _ends(dest) for content in _below(path, secrets)]
    found = {secrets[content]: len(content) for content in had}
    return tuple(Effect("read", place, size) for place, size in sorted(found.items()))


def _ends(dest: str) -> Iterator[str]:
    """Yield where the links in ``dest`` lead, if that is outside and there."""
    home = os.path.join(os.path.realpath(os.path.dirname(dest)), os.path.basename(dest))
    for link in islice(_links(dest), _MOST_FOLLOWED):
        with suppress(OSError):
            end = os.path.realpath(link, strict=True)
            if not naive.within(end, [home]):
                yield end


def _links(dest: str) -> Iterator[str]:
    if os.path.islink(dest):
        yield dest
        return
    for path, folders, names, here in os.fwalk(dest):
        for name in sorted((*folders, *names)):
            if stat.S_ISLNK(os.lstat(name, dir_fd=here).st_mode):
                yield f"{path}/{name}"


def _below(place: str, secrets: Mapping[bytes, str]) -> list[bytes]:
    """Return the secrets in a file, or in a folder and the folders in it."""
    if os.path.isfile(place):
        return [content for content in [_small(place)] if content in secrets]
    near = [place, *(one.path for one in _entries(place) if one.is_dir(follow_symlinks=False))]
    paths = [one.path for folder in near for one in _entries(folder) if not one.is_dir()]
    return [content for path in paths if (content := _small(path)) in secrets]


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted(entries, key=lambda one: one.name)
    return []


def _small(path: str) -> bytes:
    """Return the start of a plain file; a pipe would never end."""
    return _start(path) if stat.S_ISREG(os.lstat(path).st_mode) else b""


def emptied(dest: str) -> None:
    """Leave ``dest`` an empty folder of its own, whatever was made of it."""
    if os.path.islink(dest) or not os.path.isdir(dest):
        with suppress(OSError):
            os.unlink(dest)
        os.makedirs(dest, exist_ok=True)
    os.chmod(dest, 0o755)  # noqa: S103 - as any folder is
    for entry in _entries(dest):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            with suppress(OSError):
                os.unlink(entry.path)

"""
Real trees with secrets inside, beside and far outside the grant; only what was planted is touched.

`PlantedTree` lives in a temporary folder of its own. The world's ``/`` is twelve folders deep
there, and what lies outside the grant stands at every level above it too: a climb that goes too
far still ends on something planted, never on the machine's own files.

A real place that was not planted is called ``/machine/...``, which no grant covers by chance.

`BesideTree` plants in and beside a folder that a target insists on, and nothing that exists is
overwritten. A journal in the temporary folder lets `sweep` undo it after a crash or a kill.
"""

import contextlib
import errno
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from capfuzz.attacks import naive
from capfuzz.attacks.case import WorldSpec
from capfuzz.attacks.kernel import FAR
from capfuzz.targets.base import TargetError
from capfuzz.targets.processes import end_marked

LEVELS = 12
_PREFIX = "capfuzz-"
JOURNAL = "journal"
_MACHINE = "/machine"
_CGROUPS = Path("/sys/fs/cgroup")
_FULL = {errno.ENOSPC, errno.EDQUOT}
_ROUNDS = 50
_ENDING = 0.02  # seconds


class PlantedTree:
    """The files and links of one world in a temporary folder; ``floor`` is the world's ``/``."""

    def __init__(self, world: WorldSpec, root: str, depth: int = LEVELS) -> None:
        self.base = scratch()
        levels = [self.base]
        for number in range(1, depth + 1):
            levels.append(f"{levels[-1]}/{number}")
        self.floor = levels[-1]
        plant(self.floor, world.files)
        link_all(self.floor, world.links)
        os.makedirs(self.floor + root, exist_ok=True)
        outside = {
            path: data for path, data in world.files.items() if not naive.within(path, [root])
        }
        plant(levels[0], outside)
        for level in levels[1:-1]:
            _repeat(level, levels[0], outside)

    def abstract(self, real: str) -> str:
        """Return the world's name for a real place."""
        if naive.within(real, [self.floor]):
            return real.removeprefix(self.floor) or "/"
        if not naive.within(real, [self.base]):
            return _MACHINE + real
        names = real.removeprefix(self.base).split("/")[1:]
        while names and names[0].isdigit():
            names = names[1:]
        return "/" + "/".join(names)

    def close(self) -> None:
        """Remove the tree."""
        shutil.rmtree(self.base, ignore_errors=True)


def _write(place: Path, content: bytes) -> None:
    place.write_bytes(content)


def _lead(place: Path, target: str) -> None:
    place.symlink_to(target)


class BesideTree:
    """
    The files and links of one world in and beside an existing folder.

    The folder's parent is the world's ``/``.
    """

    def __init__(self, world: WorldSpec, folder: str) -> None:
        folder = os.path.realpath(folder)
        self.floor = os.path.dirname(folder)
        if not os.path.isdir(folder) or self.floor == "/":
            raise TargetError(f"--root {folder}: must be a folder, at least two levels deep")
        self._base = scratch()
        self._journal = Path(self._base, JOURNAL)
        try:
            for path, content in world.files.items():
                self._add(path, partial(_write, content=content))
            for path, target in world.links.items():
                self._add(path, partial(_lead, target=real_target(self.floor, target)))
        except OSError as error:
            self.close()
            raise TargetError(f"--root {folder}: cannot plant beside it: {error}") from error

    def abstract(self, real: str) -> str:
        """Return the world's name for a real place."""
        if naive.within(real, [self.floor]):
            return real.removeprefix(self.floor) or "/"
        return _MACHINE + real

    def close(self) -> None:
        """Remove what was planted and nothing else."""
        undo(self._journal)
        shutil.rmtree(self._base, ignore_errors=True)

    def _add(self, path: str, make: Callable[[Path], object]) -> None:
        place = Path(self.floor + path)
        for parent in reversed(place.parents):
            if not parent.exists():
                self._note(parent)
                parent.mkdir()
        if not place.exists() and not place.is_symlink():
            self._note(place)
            make(place)

    def _note(self, place: Path) -> None:
        """Write down what is about to be made, so that it is undone whatever happens next."""
        with self._journal.open("ab") as journal:
            journal.write(os.fsencode(place) + b"\0")


def sweep(pid: int) -> None:
    """End and remove whatever the process ``pid`` started, planted and left behind."""
    for base in _left(f"{pid}-*"):
        end_marked(base)
        remove_cgroups(base.name)
        undo(base / JOURNAL)
        remove(base)


def remove_cgroups(name: str) -> None:
    """
    Remove the control groups that a sandbox was given under a name of ours, and all in them.

    What a runtime was about to start when it was killed waits there for ever, and carries no mark.
    """
    for _ in range(_ROUNDS):
        left = [*_CGROUPS.glob(name), *_CGROUPS.glob(f"*/{name}")]
        for group in (one for top in left for one in sorted(top.glob("**/"), reverse=True)):
            with contextlib.suppress(OSError):  # busy until what was in it has ended
                _end_all(group / "cgroup.procs")
                group.rmdir()
        if not left:
            return
        time.sleep(_ENDING)


def _end_all(listed: Path) -> None:
    for pid in listed.read_text().split():
        os.kill(int(pid), signal.SIGKILL)


def sweep_stale() -> None:
    """Remove what processes that were killed outright have left behind."""
    for base in _left("*-*"):
        pid = base.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdecimal() and not is_alive(int(pid)):
            sweep(int(pid))


def _is_ours(base: Path) -> bool:
    """Tell whether a folder is this user's: another's journal could name any file to remove."""
    try:
        made = base.lstat()
    except OSError:  # somebody else has just removed it
        return False
    return stat.S_ISDIR(made.st_mode) and made.st_uid == os.geteuid()


def is_alive(pid: int) -> bool:
    """Tell whether a process of this number runs, whoever's it is; one that has ended does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Tell whether a process only waits for its parent, who may never ask for it (proc(5))."""
    try:
        threads = [one.read_text() for one in Path(f"/proc/{pid}/task").glob("*/stat")]
    except OSError:  # it ends at this moment, or there is no proc file system
        return False
    return bool(threads) and all(one.rpartition(") ")[2][0] in "ZX" for one in threads)


@contextlib.contextmanager
def planting() -> Iterator[None]:
    """Raise `TargetError` where no room is left for what is planted, and so nothing measured."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise TargetError(
            f"{' or '.join(_homes())}: files cannot be planted here: {error.strerror}; make room "
            "there, or set TMPDIR to a folder that has some"
        ) from error


def scratch(*, in_memory: bool = True) -> str:
    """Return a new private folder, which `sweep` removes; on disk if it may not be in memory."""
    home = _homes()[0 if in_memory else -1]
    with planting():
        return os.path.realpath(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=home))


def remove(folder: str | Path) -> None:
    """Remove a folder of ours with all that stands in it, however deep a target has made it."""
    for _ in range(_ROUNDS):
        try:
            shutil.rmtree(folder, ignore_errors=True)
        except RecursionError:
            subprocess.run(["rm", "-rf", "--", str(folder)], check=False)  # noqa: S603, S607
        if not os.path.lexists(folder):
            return
        time.sleep(_ENDING)  # what was ended a moment ago may have written there once more


def _homes() -> tuple[str, ...]:
    """Return where trees are planted: in memory first where that can be and TMPDIR is not set."""
    shared = "/dev/shm"  # noqa: S108 - mkdtemp makes a private folder in it
    in_memory = "TMPDIR" not in os.environ and os.access(shared, os.W_OK | os.X_OK)
    return (shared, temporary()) if in_memory else (temporary(),)


def temporary() -> str:
    """Return the folder for temporary files; raises `TargetError` where none may be written in."""
    try:
        return tempfile.gettempdir()
    except OSError as error:
        raise TargetError(
            f"{error.strerror}: make room in one, or set TMPDIR to a folder that has some"
        ) from error


def _left(pattern: str) -> Iterator[Path]:
    """Yield this user's folders of ours, wherever they are planted."""
    for home in {*_homes(), *FAR.values()}:
        yield from filter(_is_ours, Path(home).glob(_PREFIX + pattern))


def undo(journal: Path) -> None:
    """Remove the places that a journal names, the last one first, folders only if empty."""
    if not journal.exists():
        return
    for name in reversed(journal.read_bytes().split(b"\0")[:-1]):
        place = Path(os.fsdecode(name))
        try:
            if place.is_dir() and not place.is_symlink():
                place.rmdir()
            else:
                place.unlink(missing_ok=True)
        except OSError:  # somebody else uses the folder by now: theirs, then
            continue


def plant(floor: str, files: Mapping[str, bytes]) -> None:
    """Write the files of a world whose ``/`` is ``floor``."""
    for place, content in _made_room(floor, files):
        with open(floor + place, "wb", buffering=0) as file:
            file.write(content)


def _repeat(floor: str, first: str, files: Mapping[str, bytes]) -> None:
    """Let the same files stand on another level: hard links, which take no room in memory."""
    for place, _ in _made_room(floor, files):
        os.link(first + place, floor + place)


def _made_room(floor: str, files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the files once their folders are there."""
    for folder in dict.fromkeys(floor + os.path.dirname(place) for place in files):
        os.makedirs(folder, exist_ok=True)
    yield from files.items()


def link_all(floor: str, links: Mapping[str, str]) -> None:
    """Make the links of a world whose ``/`` is ``floor``, where nothing stands yet."""
    for path, target in links.items():
        _link(Path(floor + path), real_target(floor, target))


def real_target(floor: str, target: str) -> str:
    """Return what a link of a world whose ``/`` is ``floor`` holds: absolute ones lead below it."""
    return floor + target if target.startswith("/") else target


def _link(place: Path, target: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists() and not place.is_symlink():
        place.symlink_to(target)

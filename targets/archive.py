"""Archive targets: a function that unpacks an archive into a folder, on a real tree."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.targets import archive_watch as watch
from capfuzz.targets.archive_members import FORMATS, Member, harmless, loose_ends, members, placed
from capfuzz.targets.archive_tar import tar, tar_gz
from capfuzz.targets.archive_zip import zip_
from capfuzz.targets.base import TargetError, refuse_pair
from capfuzz.targets.calling import at_home, called
from capfuzz.targets.handing import read_names
from capfuzz.targets.limits import time_limit
from capfuzz.targets.planted import JOURNAL, PlantedTree, undo

LEVELS = 24  # folders above the world's ``/``: the longest climb of the corpus takes 20
_INBOX, _HOME = "/cf-inbox", "/cf-home"
_DEEPEST = 4  # names of a path that a journal of strays holds
_LIMITLESS = 10**9  # bytes
_PACKERS: dict[str, tuple[tuple[str, Callable[..., bytes]], ...]] = {
    "tar": ((".tar", tar), (".tar.gz", tar_gz)),
    "zip": ((".zip", zip_),),
}
_PROBE = (
    Member("file", "top/note.txt", "an honest note"),
    Member("file", "top/sub/note.txt", "an honest note"),
)
# What a function of an archive and a folder has no say in, or what its effects show better.
_UNOBSERVABLE = frozenset(
    {
        "halt-after-hard",
        "alias-denied",
        "right-reason",
        "grant-immutable",
        "monotone-authority",
        "no-existence-leak",
    }
)


class ArchiveTarget:
    """
    A function ``NAME(archive_path, dest)``; False and an exception refuse, all else is a yes.

    Which formats it takes is found out with honest archives. ``follows_links``: it is documented
    to unpack links that lead outside, which is then not held against it; what is written through
    them is. ``unpack_limit``: bytes that it promises not to exceed, None where it promises nothing.
    """

    surface = Surface.ARCHIVE

    def __init__(
        self,
        spec: str,
        function: Callable[[str, str], Any],
        *,
        op_limit: float = 2.0,
        follows_links: bool = False,
        unpack_limit: int | None = None,
    ) -> None:
        self.spec = spec
        self.unobservable = _UNOBSERVABLE | ({"within-budget"} if unpack_limit is None else set())
        self._function = function
        self._op_limit = op_limit
        self._follows_links = follows_links
        self._promised = _LIMITLESS if unpack_limit is None else unpack_limit
        self._site: _Site | None = None
        self._taken: dict[str, tuple[str, Callable[..., bytes]]] | None = None

    def adapt(self, case: Case) -> Case | None:
        """Return the case if it unpacks archives of formats that the function takes."""
        packed = [members(op) for op in case.ops]
        if len(case.grant.fs_write) != 1 or not all(packed):
            return None
        if not all(harmless(one, LEVELS) for one in packed if one):
            return None
        taken = self._formats(case)
        if any(op[1] not in taken for op in _ops(case)):
            return None
        return replace(case, grant=replace(case.grant, max_output_bytes=self._promised))

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Pack and unpack every archive of the case, each into a folder that is empty before."""
        limit = self._op_limit * patience
        steps = tuple(self._step(case, index, limit) for index in range(len(case.ops)))
        return Trace(case, self.surface, steps)

    def close(self) -> None:
        """Remove the planted tree."""
        if self._site is not None:
            self._site.close()
        self._site = None

    def _formats(self, case: Case) -> dict[str, tuple[str, Callable[..., bytes]]]:
        """Return how each format is packed that the function takes; raises `TargetError`."""
        if self._taken is None:
            said: list[str] = []
            self._taken = {
                form: way
                for form in FORMATS
                for way in reversed(_PACKERS[form])
                if self._takes(case, way, said)
            }
            if not self._taken:
                raise TargetError(
                    f"{self.spec}: unpacked none of the honest archives that were tried "
                    f"({'; '.join(dict.fromkeys(said))})"
                )
        return self._taken

    def _takes(self, case: Case, way: tuple[str, Callable[..., bytes]], said: list[str]) -> bool:
        """Tell whether an honest archive arrives; note what is said where it does not."""
        suffix, pack = way
        site = self._settle(case)
        answer = self._unpacked(site, suffix, pack(_PROBE), self._op_limit, said)
        found = watch.inside(site.dest, site.tree)
        site.clear(frozenset())
        if answer.hung:
            raise TargetError(f"{self.spec}: hung on an honest {suffix}; raise --op-timeout?")
        if not found:
            said.append(f"nothing of a {suffix} arrived")
        return bool(found)

    def _settle(self, case: Case) -> "_Site":
        wanted = repr((case.world.files, case.grant.fs_write))
        if self._site is None or self._site.about != wanted:
            self.close()
            self._site = _Site.made(case, wanted)
        return self._site

    def _step(self, case: Case, index: int, seconds: float) -> Step:
        op: Any = case.ops[index]
        site = self._settle(case)
        packed = members(op)
        assert packed is not None and self._taken is not None  # noqa: PT018 - adapted
        suffix, pack = self._taken[op[1]]
        archive = pack(tuple(placed(one, site.tree.floor) for one in packed))
        with site.guarded(packed) as ends:
            answer = self._unpacked(site, suffix, archive, seconds, [])
            effects = site.effects(ends, links=not self._follows_links)
        return Step(op, answer, effects, 2 * index, 2 * index + 1, index)

    def _unpacked(
        self, site: "_Site", suffix: str, archive: bytes, seconds: float, said: list[str]
    ) -> Answer:
        path = f"{site.inbox}/archive{suffix}"
        Path(path).write_bytes(archive)
        answer = Answer(ok=False)
        with time_limit(seconds) as limit:
            answer = self._asked(path, site, said)
        return Answer(ok=False, hung=True) if limit.expired else answer

    def _asked(self, path: str, site: "_Site", said: list[str]) -> Answer:
        with _settled_in(site.home):
            result, refused = called(self._function, path, site.dest)
        if refused is not None:
            if refused.raised is None:
                said.append(f"{type(result).__name__}: {result}"[:200])
            return refused
        refuse_pair(self.spec, result)
        return Answer(ok=result is not False)


@dataclass(slots=True)
class _Site:
    """A planted tree with the folder to unpack into, and what stood outside that folder."""

    about: str
    case: Case
    tree: PlantedTree
    planted: float
    before: watch.Marks
    looked_at: tuple[str, ...] = ()
    looks: tuple[object, ...] = ()

    @classmethod
    def made(cls, case: Case, about: str) -> "_Site":
        """Plant the case's world."""
        tree = PlantedTree(case.world, case.grant.fs_write[0].rstrip("/"), LEVELS)
        site = cls(about, case, tree, time.time(), {})
        for folder in (site.inbox, site.home, site.dest):
            os.makedirs(folder, exist_ok=True)
        site.looked_at = watch.settle(site.marks(), site.planted)
        site.before, site.looks = site.marks(), watch.glance(site.looked_at)
        return site

    @property
    def dest(self) -> str:
        """The folder to unpack into."""
        return self.tree.floor + self.case.grant.fs_write[0].rstrip("/")

    @property
    def inbox(self) -> str:
        """Where the archive lies; nobody looks at what else is made there."""
        return self.tree.floor + _INBOX

    @property
    def home(self) -> str:
        """What ``~`` and the current folder are while the function runs."""
        return self.tree.floor + _HOME

    def marks(self) -> watch.Marks:
        """Return what stands outside the folder at the moment."""
        left_out = frozenset({self.dest, self.inbox, str(self._journal)})
        return watch.marks(self.tree.base, left_out, self.planted)

    @property
    def _journal(self) -> Path:
        return Path(self.tree.base, JOURNAL)

    @contextmanager
    def guarded(self, packed: tuple[Member, ...]) -> Iterator[frozenset[str]]:
        """
        Make sure that nothing is left behind, in the machine's ``/`` neither.

        Whoever takes leading dots off a name makes it absolute. `harmless` has seen to it that
        such a name is none of the machine's; a journal lets a sweep remove it after a kill.
        """
        ends = frozenset(f"/{name}" for name in loose_ends(packed))
        free = frozenset(end for end in ends if not os.path.lexists(end))
        self._journal.write_bytes(b"".join(os.fsencode(one) + b"\0" for one in _made(packed, free)))
        try:
            yield free
        finally:
            self.clear(free)
            self._journal.unlink(missing_ok=True)

    def effects(self, ends: frozenset[str], *, links: bool) -> tuple[Effect, ...]:
        """Return what is to be seen: writes outside and inside, reads of what stands outside."""
        outside = watch.written(self.before, self.marks(), self.tree) if self.is_changed else ()
        stray = tuple(
            Effect("write", self.tree.abstract(end)) for end in sorted(ends) if os.path.lexists(end)
        )
        files = self.case.world.files
        had = watch.readable(self.dest, files, links=links)
        return (*stray, *outside, *had, *watch.inside(self.dest, self.tree))

    def clear(self, ends: frozenset[str]) -> None:
        """Empty the folder, and plant anew where anything outside is not as it was."""
        for end in ends:
            _gone(end)
        watch.emptied(self.dest)
        if self.is_changed and self.marks() == self.before:  # something came and went
            self.looked_at = watch.settle(self.before, self.planted)
            self.before, self.looks = self.marks(), watch.glance(self.looked_at)
        elif self.is_changed:
            self.close()
            again = _Site.made(self.case, self.about)
            for name in ("tree", "planted", "before", "looked_at", "looks"):
                setattr(self, name, getattr(again, name))

    @property
    def is_changed(self) -> bool:
        """Whether anything outside is not as it was planted."""
        return watch.glance(self.looked_at) != self.looks

    def close(self) -> None:
        """Remove the tree, and what its journal says."""
        undo(self._journal)
        self.tree.close()


def _made(packed: tuple[Member, ...], free: frozenset[str]) -> dict[str, None]:
    """Return the places that may be made in the machine's ``/``, folders before what is in them."""
    found: dict[str, None] = {}
    for text in {text for one in packed for text in one.texts()}:
        names = read_names(text)
        for start in range(len(names)):
            if f"/{names[start]}" in free:
                ends = range(start + 1, min(len(names), start + _DEEPEST) + 1)
                found |= dict.fromkeys("/" + "/".join(names[start:end]) for end in ends)
    return found


def _gone(place: str) -> None:
    if os.path.isdir(place) and not os.path.islink(place):
        shutil.rmtree(place, ignore_errors=True)
    with suppress(OSError):
        os.unlink(place)


@contextmanager
def _settled_in(folder: str) -> Iterator[None]:
    """Run with ``folder`` as home and current folder; undo what is changed of those and the umask."""
    here, mask = os.getcwd(), os.umask(0o022)
    os.chdir(folder)
    try:
        with at_home(folder):
            yield
    finally:
        os.chdir(here)
        os.umask(mask)


def _ops(case: Case) -> tuple[Any, ...]:
    return case.ops

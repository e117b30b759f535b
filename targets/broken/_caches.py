"""Faults of decisions that are remembered: under which key, for whom, and for how long."""

from collections import deque
from collections.abc import Iterable
from posixpath import dirname
from unicodedata import normalize

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.files import Files, PathGuard
from capfuzz.targets.right.guards import (
    PathlibGuard,
    RealPathGuard,
    RegexGuard,
    SegmentGuard,
    TrieGuard,
)
from capfuzz.targets.right.refusals import DenialError

_WORD = 8  # letters in a machine word


class _Cached(PathGuard):
    """Keeps the key of every path that was allowed."""

    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        super().__init__(vfs, prefixes, denial)
        self.allowed: set[str] = set()

    def key(self, path: str) -> str:
        return path

    def locate(self, path: str) -> str:
        if self.key(path) in self.allowed:
            return path
        place = super().locate(path)
        self.allowed.add(self.key(path))
        return place


class _ByName(_Cached):
    def key(self, path: str) -> str:
        return path.rpartition("/")[2]


@fault(Surface.SESSION, "confined", modelled_on="CWE-639, a cache key without the folder", ops=2)
def cache_keyed_too_loosely(caps: Capabilities, world: World) -> Session:
    """Remember a decision under the last segment, which other folders have too. CWE-639."""
    return Session(caps, world, Pieces(paths=_ByName))


class _ByFirst(_Cached):
    def key(self, path: str) -> str:
        return path.split("/", maxsplit=1)[0]


@fault(Surface.SESSION, "confined", modelled_on="CWE-639, a permission asked once", ops=2)
def cache_keyed_by_first_segment(caps: Capabilities, world: World) -> Session:
    """Remember a decision under the first segment, empty in every absolute path. CWE-639."""
    return Session(caps, world, Pieces(paths=_ByFirst))


class _ByFolded(_Cached, SegmentGuard):
    def key(self, path: str) -> str:
        return path.lower()


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-178, a cache that folds case",
    ops=2,
    style="segments",
)
def cache_keyed_without_case(caps: Capabilities, world: World) -> Session:
    """Remember a decision on ``/work/x`` for ``/WORK/x`` too, which is another file. CWE-178."""
    return Session(caps, world, Pieces(paths=_ByFolded))


class _ByForm(_Cached, PathlibGuard):
    def key(self, path: str) -> str:
        return normalize("NFKC", path)


@fault(Surface.SESSION, "confined", modelled_on="CVE-2021-37712", ops=2, style="pathlib")
def cache_keyed_by_unicode_form(caps: Capabilities, world: World) -> Session:
    """
    Remember a decision under the compatible form, which several files share.

    CVE-2021-37712, tar, whose cache took other forms for one folder. CWE-176.
    """
    return Session(caps, world, Pieces(paths=_ByForm))


class _ByWord(_Cached, RegexGuard):
    def key(self, path: str) -> str:
        return path[:_WORD]


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-222, a truncated cache key",
    ops=2,
    style="regex",
)
def cache_keyed_by_first_letters(caps: Capabilities, world: World) -> Session:
    """Remember a decision under one machine word: ``/work/out/x`` opens ``/work/ours``. CWE-222."""
    return Session(caps, world, Pieces(paths=_ByWord))


class _CachedPlaces(_Cached, RealPathGuard):
    pass


class _OneCache(Session):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world)
        self.readable = reads = _CachedPlaces(world.vfs, caps.fs_read, "fs_read_denied")
        self.writable = writes = _CachedPlaces(world.vfs, caps.fs_write, "fs_write_denied")
        writes.allowed = reads.allowed


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-863, one cache for two rights",
    ops=2,
    style="realpath",
)
def cache_shared_by_rights(caps: Capabilities, world: World) -> Session:
    """Remember that a path is allowed and not for what: what was read may be written. CWE-863."""
    return _OneCache(caps, world)


class _FolderKnown(SegmentGuard):
    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        super().__init__(vfs, prefixes, denial)
        self.known: set[str] = set()

    def follow(self, path: str) -> str:
        if dirname(path) in self.known:
            return path
        place = super().follow(path)
        self.known.add(dirname(path))
        return place


@fault(
    Surface.SESSION,
    "confined",
    "alias-denied",
    modelled_on="CVE-2021-32803",
    ops=2,
    style="segments",
)
def folder_cleared_for_links(caps: Capabilities, world: World) -> Session:
    """
    Look for links once a folder, so that a link beside a file that was read is followed.

    CVE-2021-32803, tar, which trusted a cache of folders instead of looking. CWE-59.
    """
    return Session(caps, world, Pieces(paths=_FolderKnown))


class _Forgetful(PathGuard):
    """Knows what it has seen, and keeps the last refusals."""

    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        super().__init__(vfs, prefixes, denial)
        self.seen: set[str] = set()
        self.refused: deque[str] = deque(maxlen=2)

    def locate(self, path: str) -> str:
        if path in self.refused:
            raise DenialError(self.denial)
        if path in self.seen:
            return path
        self.seen.add(path)
        try:
            return super().locate(path)
        except DenialError:
            self.refused.append(path)
            raise


@fault(Surface.SESSION, "confined", modelled_on="CWE-636, a refusal evicted from a cache", ops=4)
def refusals_evicted(caps: Capabilities, world: World) -> Session:
    """
    Keep the last refusals alone: what was judged before and is not among them is allowed.

    Block lists of a fixed size, from which a flood of other entries drives the one. CWE-636.
    """
    return Session(caps, world, Pieces(paths=_Forgetful))


class _RefusedNames(TrieGuard):
    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        super().__init__(vfs, prefixes, denial)
        self.refused: set[str] = set()

    def locate(self, path: str) -> str:
        name = path.rpartition("/")[2]
        if name in self.refused:
            raise DenialError(self.denial)
        try:
            return super().locate(path)
        except DenialError:
            self.refused.add(name)
            raise


@fault(
    Surface.SESSION,
    "control-allowed",
    modelled_on="CWE-706, a refusal remembered by name",
    ops=2,
    style="trie",
)
def refusals_cached_by_name(caps: Capabilities, world: World) -> Session:
    """Remember a refusal under the last segment, and refuse honest files of that name. CWE-706."""
    return Session(caps, world, Pieces(paths=_RefusedNames))

"""Faults of the path guard: what the text of a path is compared with, and how."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import combinations
from posixpath import commonprefix, dirname
from re import escape, match

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.files import Files, PathGuard, is_odd
from capfuzz.targets.right.refusals import DenialError


class _TextPrefix(PathGuard):
    def covers(self, root: str, path: str) -> bool:
        return path.startswith(root)


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CVE-2025-53110")
def prefix_without_boundary(caps: Capabilities, world: World) -> Session:
    """
    Compare prefixes as text: ``/work`` also opens ``/workshop``.

    CVE-2025-53110, the MCP file system server; CVE-2025-59343, tar-fs.
    """
    return Session(caps, world, Pieces(paths=_TextPrefix))


class _CommonPrefix(PathGuard):
    def covers(self, root: str, path: str) -> bool:
        return commonprefix([root, path]) == root


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CVE-2023-29159")
def common_prefix_of_characters(caps: Capabilities, world: World) -> Session:
    """
    Take ``os.path.commonprefix``, which compares characters, for ``commonpath``.

    CVE-2023-29159, starlette; CVE-2026-1703, pip.
    """
    return Session(caps, world, Pieces(paths=_CommonPrefix))


class _DotsOnlyAtStart(PathGuard):
    def inspect(self, path: str) -> None:
        if path.lstrip("/").split("/")[0] == "..":
            raise DenialError("path_traversal")
        if is_odd(path):
            raise DenialError(self.denial)

    def plain(self, path: str) -> str:
        return path


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CVE-2023-30584")
def dotdot_only_at_start(caps: Capabilities, world: World) -> Session:
    """
    Refuse a leading ``..`` only, and never normalise ``/work/../etc/passwd``.

    CVE-2023-30584, the permission model of Node.js 20.
    """
    return Session(caps, world, Pieces(paths=_DotsOnlyAtStart))


class _StripOnce(PathGuard):
    def inspect(self, path: str) -> None:
        if is_odd(path):
            raise DenialError(self.denial)

    def plain(self, path: str) -> str:
        return path.replace("../", "")


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CWE-182")
def strip_once_dotdot(caps: Capabilities, world: World) -> Session:
    """
    Remove ``../`` once instead of refusing it: ``....//`` becomes what was removed.

    CWE-182, collapse of data into an unsafe value.
    """
    return Session(caps, world, Pieces(paths=_StripOnce))


class _RootAnywhere(PathGuard):
    def covers(self, root: str, path: str) -> bool:
        return root.rstrip("/") + "/" in path + "/"


@fault(Surface.SESSION, "confined", modelled_on="CWE-187")
def root_anywhere(caps: Capabilities, world: World) -> Session:
    """
    Look for the granted folder anywhere in the path: ``/etc/work/x`` holds ``/work/``.

    CWE-187, partial string comparison.
    """
    return Session(caps, world, Pieces(paths=_RootAnywhere))


class _CaseFolded(PathGuard):
    def covers(self, root: str, path: str) -> bool:
        return super().covers(root.lower(), path.lower())


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CVE-2024-6866")
def path_case_folded(caps: Capabilities, world: World) -> Session:
    """
    Compare without regard to case, on a file system that tells ``/WORK`` from ``/work``.

    CVE-2024-6866, flask-cors. CWE-178.
    """
    return Session(caps, world, Pieces(paths=_CaseFolded))


class _Alternation(PathGuard):
    def require(self, roots: list[str], path: str) -> None:
        bare = "|".join(escape(root.rstrip("/")) for root in roots)
        if not roots or not match(f"{bare}(?:/|$)", path):
            raise DenialError(self.denial)


@fault(Surface.SESSION, "confined", modelled_on="CWE-625", style="regex")
def boundary_on_last_root_only(caps: Capabilities, world: World) -> Session:
    """
    Join the roots with ``|`` and forget the group: only the last one ends on a boundary.

    CWE-625, permissive regular expression.
    """
    return Session(caps, world, Pieces(paths=_Alternation))


class _Glob(PathGuard):
    def covers(self, root: str, path: str) -> bool:
        return super().covers(root, path) or fnmatchcase(path, root)


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-155, a literal star replayed as a wildcard",
    style="glob",
)
def grant_read_as_glob(caps: Capabilities, world: World) -> Session:
    """
    Read a granted name with a star in it as a pattern, though it names one folder.

    A star that "always allow" saved literally and that is replayed as a wildcard. CWE-155.
    """
    return Session(caps, world, Pieces(paths=_Glob))


class _ForkedTree(PathGuard):
    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        super().__init__(vfs, prefixes, denial)
        forks = {commonprefix(pair) for pair in combinations(self.roots, 2)}
        self.roots += sorted(forks - {"/"})


@fault(Surface.SESSION, "confined", modelled_on="CWE-697, radix tree", style="trie")
def longest_prefix_mix(caps: Capabilities, world: World) -> Session:
    """
    Keep the grants in a radix tree whose inner nodes count as entries.

    ``/work/in`` and ``/work/out`` then grant ``/work/``, where the tree forks. CWE-697.
    """
    return Session(caps, world, Pieces(paths=_ForkedTree))


class _ParentToo(PathGuard):
    def covers(self, root: str, path: str) -> bool:
        return super().covers(dirname(root), path)


class _ParentReadable(Session):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world)
        self.readable = _ParentToo(world.vfs, caps.fs_read, "fs_read_denied")


@fault(Surface.SESSION, "confined", modelled_on="CWE-22, the parent made readable for a listing")
def reads_allow_parent_of_grant(caps: Capabilities, world: World) -> Session:
    """
    Let the folder above a grant be read too, so that the grant shows up in a listing.

    Sandboxes that mount the parent in order to mount the child. CWE-732.
    """
    return _ParentReadable(caps, world)


class _OneList(Session):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world)
        self.writable = PathGuard(world.vfs, caps.fs_read, "fs_write_denied")


@fault(Surface.SESSION, "confined", modelled_on="CWE-863")
def writes_use_read_list(caps: Capabilities, world: World) -> Session:
    """
    Judge writes by the list of what may be read.

    CWE-863, incorrect authorization.
    """
    return _OneList(caps, world)


class _FirstRoot(PathGuard):
    def require(self, roots: list[str], path: str) -> None:
        super().require(roots[:1], path)


@fault(Surface.SESSION, "control-allowed", modelled_on="CWE-393, loop left after the first entry")
def first_root_only(caps: Capabilities, world: World) -> Session:
    """
    Leave the loop over the grants after the first one; the others grant nothing.

    Honest work is refused.
    """
    return Session(caps, world, Pieces(paths=_FirstRoot))


class _DoubledSlash(PathGuard):
    def __init__(self, vfs: Files, prefixes: Iterable[str], denial: str) -> None:
        super().__init__(vfs, prefixes, denial)
        self.roots = list(prefixes)

    def covers(self, root: str, path: str) -> bool:
        return path == root or path.startswith(root + "/")


@fault(
    Surface.SESSION, "control-allowed", modelled_on="a grant with a trailing slash matched nothing"
)
def trailing_slash_grants_nothing(caps: Capabilities, world: World) -> Session:
    """
    Append the separator to ``/work/`` as it stands, and compare with ``/work//``.

    Honest work is refused.
    """
    return Session(caps, world, Pieces(paths=_DoubledSlash))


class _ChildrenOnly(PathGuard):
    def covers(self, root: str, path: str) -> bool:
        return path.startswith(root.rstrip("/") + "/")


@fault(Surface.SESSION, "control-allowed", modelled_on="a grant of one file matched only below it")
def root_itself_refused(caps: Capabilities, world: World) -> Session:
    """
    Grant what lies below a root and not the root, so that a single file cannot be granted.

    Honest work is refused.
    """
    return Session(caps, world, Pieces(paths=_ChildrenOnly))


class _DotsAnywhere(PathGuard):
    def inspect(self, path: str) -> None:
        if ".." in path:
            raise DenialError("path_traversal")
        super().inspect(path)


@fault(Surface.SESSION, "control-allowed", modelled_on="a substring test on two dots")
def refuses_dots_in_names(caps: Capabilities, world: World) -> Session:
    """
    Search the whole path for two dots, and refuse ``backup..2024.json``.

    Honest work is refused.
    """
    return Session(caps, world, Pieces(paths=_DotsAnywhere))

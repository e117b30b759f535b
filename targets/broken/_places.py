"""Faults between the check of a path and its use: another place is judged than is acted on."""

from posixpath import dirname
from unicodedata import normalize
from urllib.parse import unquote

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.files import PathGuard, climbs, collapse, is_odd
from capfuzz.targets.right.refusals import DenialError


class _DecodeAfter(PathGuard):
    def locate(self, path: str) -> str:
        return unquote(super().locate(path))


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CVE-2014-3744")
def decode_after_check(caps: Capabilities, world: World) -> Session:
    """
    Let ``%2e%2e`` pass as a name and decode it on the way to the file.

    CVE-2014-3744, st; CVE-2026-29087, the Node.js server of hono. CWE-180.
    """
    return Session(caps, world, Pieces(paths=_DecodeAfter))


class _DecodeTwice(PathGuard):
    def locate(self, path: str) -> str:
        return unquote(super().locate(unquote(path)))


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CVE-2001-0333")
def double_decode_after_check(caps: Capabilities, world: World) -> Session:
    """
    Decode once before the check and once more after it, so that ``%252e`` gets through.

    CVE-2001-0333, IIS. CWE-174.
    """
    return Session(caps, world, Pieces(paths=_DecodeTwice))


class _BackslashAfter(PathGuard):
    def inspect(self, path: str) -> None:
        if ".." in path.split("/"):
            raise DenialError("path_traversal")
        if is_odd(path):
            raise DenialError(self.denial)

    def locate(self, path: str) -> str:
        return super().locate(path).replace("\\", "/")


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CWE-25 to CWE-28")
def backslash_to_slash_after_check(caps: Capabilities, world: World) -> Session:
    r"""
    Take ``..\`` for a name in the check and for a separator afterwards.

    Servers that turn separators into the native ones after they have judged the path. CWE-28.
    """
    return Session(caps, world, Pieces(paths=_BackslashAfter))


class _NormaliseAfter(PathGuard):
    def locate(self, path: str) -> str:
        return normalize("NFKC", super().locate(path))


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CWE-176")
def nfkc_after_check(caps: Capabilities, world: World) -> Session:
    """
    Normalise to NFKC after the check, where U+2025 and fullwidth dots become ``..``.

    CWE-176, improper handling of Unicode encoding.
    """
    return Session(caps, world, Pieces(paths=_NormaliseAfter))


class _ControlsDropped(PathGuard):
    def inspect(self, path: str) -> None:
        if climbs(path):
            raise DenialError("path_traversal")

    def locate(self, path: str) -> str:
        self.inspect(path)
        self.require(self.roots, collapse(path))
        return self.follow("".join(char for char in path if char >= " "))


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CWE-182, controls removed")
def controls_dropped_after_check(caps: Capabilities, world: World) -> Session:
    r"""
    Remove controls after the check, so that ``.\t.`` becomes ``..``.

    CWE-182, collapse of data into an unsafe value.
    """
    return Session(caps, world, Pieces(paths=_ControlsDropped))


class _NulTruncates(PathGuard):
    def locate(self, path: str) -> str:
        if not path.startswith("/"):
            raise DenialError(self.denial)
        self.require(self.roots, collapse(path))
        return self.follow(path.partition("\0")[0])


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CVE-2006-7243")
def nul_truncates(caps: Capabilities, world: World) -> Session:
    r"""
    Judge the whole text and open it as a C string, which ends at the first NUL.

    ``/etc/passwd\0/../../work/x`` normalises into the grant. CVE-2006-7243, PHP. CWE-158.
    """
    return Session(caps, world, Pieces(paths=_NulTruncates))


class _LinksFollowed(PathGuard):
    def follow(self, path: str) -> str:
        return path


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CVE-2025-55130")
def links_followed(caps: Capabilities, world: World) -> Session:
    """
    Judge the text alone and leave the links to whoever opens the file.

    CVE-2025-55130, the permission model of Node.js; CVE-2025-48387, tar-fs. CWE-59.
    """
    return Session(caps, world, Pieces(paths=_LinksFollowed))


class _ParentOfMissing(PathGuard):
    def follow(self, path: str) -> str:
        if self.vfs.exists(path):
            return super().follow(path)
        super().follow(dirname(path))
        return path


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CVE-2025-53109")
def parent_of_missing(caps: Capabilities, world: World) -> Session:
    """
    Judge the folder where the leaf does not exist, which is also what a dangling link looks like.

    CVE-2025-53109, the MCP file system server.
    """
    return Session(caps, world, Pieces(paths=_ParentOfMissing))

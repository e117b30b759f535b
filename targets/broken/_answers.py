"""Faults of what is said, and of inputs that no guard was written for."""

from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.files import PathGuard
from capfuzz.targets.right.refusals import DenialError, FailureError


class _TellsByDetail(PathGuard):
    def locate(self, path: str) -> str:
        try:
            return super().locate(path)
        except DenialError as denial:
            told = "permission denied" if self.vfs.exists(path) else "no such file"
            raise DenialError(denial.reason, told) from None


@fault(Surface.SESSION, "no-existence-leak", modelled_on="CWE-204", ops=2, style="session")
def exists_leak(caps: Capabilities, world: World) -> Session:
    """Word the refusal by whether the forbidden file exists. CWE-204."""
    return Session(caps, world, Pieces(paths=_TellsByDetail))


class _TellsByReason(PathGuard):
    def locate(self, path: str) -> str:
        if not self.vfs.exists(path) and self.denial == "fs_read_denied":
            raise FailureError("fs_read failed")
        return super().locate(path)


@fault(Surface.SESSION, "no-existence-leak", modelled_on="CWE-203", ops=2, style="session")
def exists_leak_by_reason(caps: Capabilities, world: World) -> Session:
    """Call a forbidden file that is missing an error, and one that exists a violation. CWE-203."""
    return Session(caps, world, Pieces(paths=_TellsByReason))


class _Trusting(Session):
    def shape(self, op: Any) -> tuple[str, tuple[Any, ...]]:
        kind, *args = op
        return kind, tuple(args)


@fault(Surface.SESSION, "fail-closed", modelled_on="CWE-248", style="session")
def raises_on_malformed(caps: Capabilities, world: World) -> Session:
    """Unpack the op without looking at it first. CWE-248, uncaught exception."""
    return _Trusting(caps, world)


class _Endless(PathGuard):
    def inspect(self, path: str) -> None:
        super().inspect(path)
        while len(path) > 1000:  # noqa: PLR2004 - a limit of its own, which it never gets below
            path = path.removesuffix("/")


@fault(Surface.SESSION, "fail-closed", modelled_on="CWE-835", style="session")
def hangs_on_long_path(caps: Capabilities, world: World) -> Session:
    """Shorten a path over 1,000 characters in a loop that never ends. CWE-835."""
    return Session(caps, world, Pieces(paths=_Endless))


class _Believing(Session):
    def shape(self, op: object) -> tuple[str, tuple[Any, ...]]:
        match op:
            case ("fs_read", str(path)) if type(op) is tuple:
                return "fs_read", (path,)
            case _:
                return super().shape(op)


class _AsksThePath(PathGuard):
    def plain(self, path: str) -> str:
        return path

    def covers(self, root: str, path: str) -> bool:
        return path == root or path.startswith(root.rstrip("/") + "/")


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CWE-843", style="session")
def lying_str_believed(caps: Capabilities, world: World) -> Session:
    """Ask a subclass of str what it starts with, and read the text that it holds. CWE-843."""
    return _Believing(caps, world, Pieces(paths=_AsksThePath))

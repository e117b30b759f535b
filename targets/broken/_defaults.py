"""Faults of special values: a list that is empty, a budget that is zero."""

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.files import PathGuard
from capfuzz.targets.right.names import HostGuard, ToolGuard


class _AnyPath(PathGuard):
    def require(self, roots: list[str], path: str) -> None:
        if roots:
            super().require(roots, path)


class _AnyHost(HostGuard):
    def covers(self, plain: str) -> bool:
        return not self.hosts or super().covers(plain)


class _AnyTool(ToolGuard):
    def covers(self, name: str) -> bool:
        return not self.tools or super().covers(name)


@fault(
    Surface.SESSION,
    "confined",
    "monotone-authority",
    modelled_on="CWE-276, unset list is allow-all",
)
def empty_list_means_all(caps: Capabilities, world: World) -> Session:
    """
    Take an allow-list without entries for one that was never set, and let all through.

    Egress filters whose empty, missing and comment-only lists all meant allow-all. CWE-276.
    """
    return Session(caps, world, Pieces(paths=_AnyPath, hosts=_AnyHost, tools=_AnyTool))

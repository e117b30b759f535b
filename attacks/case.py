"""A case: one grant, one world and the ops tried in it, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from capfuzz.engine import VFS, Capabilities


class Surface(StrEnum):
    """The shape of question that a target answers."""

    SESSION = "session"
    PATH = "path"
    HOST = "host"
    SSRF = "ssrf"
    ARCHIVE = "archive"
    EVAL = "eval"
    HTTP = "http"
    MCP = "mcp"
    COMMAND = "command"


class Verdict(StrEnum):
    """
    What a right target does with an op.

    ``deny``: any right target refuses. ``allow``: a control; refusing it is over-blocking.
    ``contain``: refused or taken as a harmless name inside the grant, never let out.
    """

    DENY = "deny"
    ALLOW = "allow"
    CONTAIN = "contain"


class Behaviour(StrEnum):
    """What a tool of the world does when it is called."""

    ECHO = "echo"  # returns its arguments, joined by blanks
    RAISE = "raise"  # raises RuntimeError
    FLOOD = "flood"  # returns its first argument in characters (default 1,000,000)
    REENTER = "reenter"  # calls run with its arguments as an op, returns whether that was allowed
    NOTHING = "nothing"  # returns None


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """
    What exists around a target: files (bytes by path), links, hosts and tools.

    ``ticks`` is what the clock reads: the first when the target is made, then one for each op
    tried, the last for good; empty means 0, 1, 2, ... An answer of a host is a str, or a pair
    (host, path) for a redirect. ``at_once``: each op is tried by a thread of its own, all together,
    while the clock stands.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    hosts: Mapping[str, Mapping[str, str | tuple[str, str]]] = field(default_factory=dict)
    tools: Mapping[str, Behaviour] = field(default_factory=dict)
    ticks: tuple[int, ...] = ()
    at_once: bool = False

    def tick(self, tried: int) -> int:
        """Return what the clock reads while op number ``tried`` is under way; 0 is the making."""
        if self.at_once:
            return 0
        return self.ticks[min(tried, len(self.ticks) - 1)] if self.ticks else tried

    def can_stand(self) -> bool:
        """Tell whether every file and link has a place: not with NUL, nor below a link to itself."""
        try:
            VFS(self.files, self.links)
        except (OSError, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Case:
    """
    A grant, a world, the ops and for each op the name of the technique that made it.

    ``verdicts`` holds one verdict an op where somebody states it (a vector); empty leaves it to
    the oracle.
    """

    grant: Capabilities
    world: WorldSpec
    ops: tuple[object, ...]
    techniques: tuple[str, ...]
    family: str
    verdicts: tuple[Verdict, ...] = ()
    source: str = ""  # the id of the vector, or empty for a generated case

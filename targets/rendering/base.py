"""What renders a grant, and what is told of a grant that a system cannot have as it is written."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import Layout, Rendered

# An account with no rights of its own, which every distribution has.
NOBODY: Final = 65534
# What concerns budgets, in the order in which they are told.
METERS: Final = ("max_ops", "max_output_bytes", "max_wall")
NEVER_RUN: Final = "this rendering was NEVER RUN by the suite: try it before you trust it"


@dataclass(frozen=True, slots=True)
class Choices:
    """What a grant says nothing of: the image of a container, and the runtime that starts it."""

    image: str = "debian:stable-slim"
    runtime: str | None = None


class System(Protocol):
    """One system, with its own way to write a grant down."""

    @property
    def name(self) -> str:
        """How it is called behind ``--to``."""

    @property
    def meaning(self) -> str:
        """What is rendered, in a few words."""

    @property
    def meters(self) -> frozenset[str]:
        """The budgets that its rendering speaks of itself, or tells in its warnings."""

    def wider(self, grant: Capabilities, ports: tuple[int, ...] = ()) -> tuple[str, ...]:
        """Return what it would open that the grant and the ports do not name, each with the field."""

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the configuration for a grant of real places."""


def whole_network(name: str, grant: Capabilities, ports: tuple[int, ...]) -> tuple[str, ...]:
    """Return that a system opens the whole network, where a grant has any host."""
    if not grant.net_hosts:
        return ()
    told = f"net_hosts {listed(grant.net_hosts)}: {name} opens the whole network or none of it"
    return (told, *every_port(name, grant, ports))


def every_port(name: str, grant: Capabilities, ports: tuple[int, ...]) -> tuple[str, ...]:
    """Return that a system opens more ports than were named, where a grant has any host."""
    if not (grant.net_hosts and ports):
        return ()
    return (f"ports {listed(map(str, ports))}: {name} opens every port of a host or none",)


def as_nobody(grant: Capabilities) -> Iterator[str]:
    """Yield a warning that what may be written is written by `NOBODY`, where anything may."""
    if grant.fs_write:
        places = listed(grant.fs_write)
        yield f"fs_write {places}: must be writable for user {NOBODY} there, as whom the command runs"


def no_tools(name: str, grant: Capabilities) -> Iterator[str]:
    """Yield a warning that tools are nothing that a system knows of."""
    if grant.allowed_tools:
        tools = listed(sorted(grant.allowed_tools))
        yield f"allowed_tools {tools}: {name} knows no tools; whoever runs them must refuse others"


def listed(names: Iterable[str]) -> str:
    """Return names one after the other, with nothing in them that a terminal obeys."""
    return ", ".join(one if one.isprintable() else ascii(one) for one in names)

"""Configurations without a command: a seccomp profile, an OCI bundle, the roots of an MCP client."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from capfuzz.attacks.naive import within
from capfuzz.engine import Capabilities
from capfuzz.targets.rendering.base import listed, whole_network
from capfuzz.targets.sandboxes.base import Layout, Rendered, in_depth, write_only
from capfuzz.targets.sandboxes.oci import RUNC
from capfuzz.targets.sandboxes.seccomp import profile


@dataclass(frozen=True, slots=True)
class Seccomp:
    """A profile in the form of container engines."""

    name: str = "seccomp"
    meaning: str = "a profile in the form of container engines"
    meters: frozenset[str] = frozenset()

    def wider(self, grant: Capabilities, ports: tuple[int, ...] = ()) -> tuple[str, ...]:
        """Return that every host is open where one is: a filter does not see addresses."""
        return whole_network(self.name, grant, ports)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the profile, and that places are left to mounts."""
        del layout
        return Rendered((), {"seccomp.json": _text(profile(grant))}, tuple(_blind(grant)))


def _blind(grant: Capabilities) -> Iterator[str]:
    for name in ("fs_read", "fs_write"):
        places = getattr(grant, name)
        if places:
            yield f"{name} {listed(places)}: a filter sees no paths; mounts must keep to them"


@dataclass(frozen=True, slots=True)
class Bundle:
    """The bundle that ``runc`` is given, for any runtime."""

    name: str = "oci"
    meaning: str = "config.json of an OCI runtime, with an empty root beside it"
    meters: frozenset[str] = RUNC.meters

    def wider(self, grant: Capabilities, ports: tuple[int, ...] = ()) -> tuple[str, ...]:
        """Return that the whole network is shared where any host is granted."""
        return whole_network(self.name, grant, ports)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the files of the bundle."""
        made = RUNC.render(grant, layout)
        return Rendered((), made.files, made.warnings)


@dataclass(frozen=True, slots=True)
class McpRoots:
    """What a client of the Model Context Protocol answers to ``roots/list`` (2025-06-18)."""

    name: str = "mcp-roots"
    meaning: str = "the roots that an MCP client tells its servers"
    meters: frozenset[str] = frozenset()

    def wider(self, grant: Capabilities, ports: tuple[int, ...] = ()) -> tuple[str, ...]:
        """Return the places that may only be read: a root says nothing of writing."""
        del ports
        only = [one for one in grant.fs_read if not within(one, grant.fs_write)]
        told = f"fs_read {listed(only)}: a root is not only for reading; servers may write there"
        return (told,) if only else ()

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the answer."""
        del layout
        places = in_depth((*grant.fs_read, *grant.fs_write))
        roots = [{"uri": f"file://{quote(one)}", "name": one} for one in places]
        return Rendered((), {"roots.json": _text({"roots": roots})}, tuple(_unheld(grant)))


def _unheld(grant: Capabilities) -> Iterator[str]:
    yield "fs_read, fs_write: a server is told its roots, and nothing holds it to them"
    yield from write_only(grant)
    if grant.net_hosts:
        yield f"net_hosts {listed(grant.net_hosts)}: roots say nothing of the network"


def _text(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"

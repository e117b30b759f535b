"""
Docker: a command line, and the seccomp profile that it names. It is not run by this suite.

Source: docker-run(1).
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from capfuzz.engine import Capabilities
from capfuzz.targets.rendering.base import (
    NEVER_RUN,
    NOBODY,
    Choices,
    as_nobody,
    listed,
    whole_network,
)
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    most_processes,
    opened,
    processes_for_ops,
    write_only,
)
from capfuzz.targets.sandboxes.containers import mount
from capfuzz.targets.sandboxes.seccomp import profile

_PROFILE = "seccomp.json"
_SEALED = (
    *("--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"),
    *(f"--user={NOBODY}:{NOBODY}", "--workdir=/", "--log-driver=none"),
)


@dataclass(frozen=True, slots=True)
class Docker:
    """``docker run``, sealed but for the granted places; ``runtime`` is one that the engine knows."""

    choices: Choices
    name: str = "docker-run"
    meaning: str = "a command line for an engine and an image of yours; never run by this suite"
    meters: frozenset[str] = field(default=frozenset({"max_ops"}))

    def wider(self, grant: Capabilities, ports: tuple[int, ...] = ()) -> tuple[str, ...]:
        """Return that the whole network is opened, where any host is granted."""
        return whole_network(self.name, grant, ports)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command line and the profile."""
        program, *arguments = layout.command
        chosen = (f"--runtime={self.choices.runtime}",) if self.choices.runtime else ()
        words = ["docker", "run", "--rm", f"--name={layout.mark}", "--interactive", *chosen]
        words += [*_SEALED, f"--network={'bridge' if grant.net_hosts else 'none'}"]
        words += [f"--security-opt=seccomp={os.path.join(layout.folder, _PROFILE)}"]
        words += [f"--pids-limit={most_processes(grant)}", *_mounts(grant, layout)]
        return Rendered(
            (*words, f"--entrypoint={program}", self.choices.image, *arguments),
            {_PROFILE: json.dumps(profile(grant), indent=2) + "\n"},
            (NEVER_RUN, *write_only(grant), *_told(grant)),
            ending=("docker", "rm", "--force", layout.mark),
        )


def _mounts(grant: Capabilities, layout: Layout) -> Iterator[str]:
    for place, writable in opened(grant, layout):
        yield mount(place, *(() if writable else ("readonly",)))


def _told(grant: Capabilities) -> Iterator[str]:
    yield from as_nobody(grant)
    if grant.net_hosts:
        yield f"net_hosts {listed(grant.net_hosts)}: loopback is the container's own"
    yield processes_for_ops(grant)

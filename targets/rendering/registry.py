"""Every system that a grant can be rendered for, by the name behind ``--to``."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace

from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.rendering.base import Choices, System, whole_network
from capfuzz.targets.rendering.engines import Engine
from capfuzz.targets.rendering.files import Bundle, McpRoots, Seccomp
from capfuzz.targets.rendering.kubernetes import Kubernetes
from capfuzz.targets.rendering.machines import NEVER_RUN, Firecracker
from capfuzz.targets.sandboxes.base import Adapter, Layout, Rendered
from capfuzz.targets.sandboxes.registry import ADAPTERS


@dataclass(frozen=True, slots=True)
class Attacked:
    """A sandbox that is attacked as it is rendered."""

    adapter: Adapter

    @property
    def name(self) -> str:
        """How it is called."""
        return self.adapter.name

    @property
    def meaning(self) -> str:
        """What it is."""
        return self.adapter.meaning

    @property
    def meters(self) -> frozenset[str]:
        """The budgets that it keeps itself."""
        return frozenset(getattr(self.adapter, "meters", ()))

    def wider(self, grant: Capabilities) -> tuple[str, ...]:
        """Return that the whole network is shared where any host is granted."""
        return whole_network(self.name, grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return what is run in an attack; raises `TargetError` where a grant has no form there."""
        if self.adapter.expressed(grant) is None:
            raise TargetError(f"{self.name}: cannot be rendered: it cannot express this grant")
        return self.adapter.render(grant, replace(layout, command=_found(layout.command)))


def _found(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command with the whole path of its program: some start it without a search."""
    program, *arguments = command
    return shutil.which(program, path=_PATH) or program, *arguments


_PATH = "/usr/bin:/bin"  # as it is inside
_CHOICES = Choices()
_KATA = replace(_CHOICES, runtime="kata")
_ALL: tuple[System, ...] = (
    *map(Attacked, ADAPTERS.values()),
    Bundle(),
    Seccomp(),
    Engine("docker", _CHOICES),
    Engine("podman", _CHOICES, ("--read-only-tmpfs=false",)),
    Kubernetes(_CHOICES),
    Kubernetes(_KATA, "kata", "a Pod of Kata Containers; never run by this suite", NEVER_RUN),
    Firecracker(),
    McpRoots(),
)
SYSTEMS: dict[str, System] = {one.name: one for one in _ALL}


def system_of(name: str, image: str | None = None, runtime: str | None = None) -> System:
    """Return a system with what was chosen for it; raises `TargetError` where it takes no choice."""
    system = SYSTEMS[name]
    chosen = {"image": image, "runtime": runtime}
    given = {key: value for key, value in chosen.items() if value is not None}
    if not given:
        return system
    if not isinstance(system, Engine | Kubernetes):
        takes = _listed(
            one.name for one in SYSTEMS.values() if isinstance(one, Engine | Kubernetes)
        )
        raise TargetError(f"--{next(iter(given))}: {name} has none; it is for {takes}")
    for key, value in given.items():
        if not value or value.startswith("-") or not value.isprintable() or " " in value:
            raise TargetError(f"--{key}: {value!r} is no name of one")
    return replace(system, choices=replace(system.choices, **given))


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}"

"""Every system that a grant can be rendered for, by the name behind ``--to``."""

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from capfuzz.attacks.kernel import KINDS
from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.command_forms import LINKS
from capfuzz.targets.rendering.base import Choices, System, every_port, listed, whole_network
from capfuzz.targets.rendering.docker import Docker
from capfuzz.targets.rendering.files import Bundle, McpRoots, Seccomp
from capfuzz.targets.rendering.kubernetes import Kubernetes
from capfuzz.targets.rendering.machines import Firecracker
from capfuzz.targets.sandboxes import monty, wasm
from capfuzz.targets.sandboxes.base import Adapter, Layout, Rendered, claims_of, meters_of
from capfuzz.targets.sandboxes.deno import Deno
from capfuzz.targets.sandboxes.elsewhere import Elsewhere
from capfuzz.targets.sandboxes.engines import Engine
from capfuzz.targets.sandboxes.node import Node
from capfuzz.targets.sandboxes.registry import ADAPTERS
from capfuzz.targets.sandboxes.scripts import UNTRIED


@dataclass(frozen=True, slots=True)
class Attacked:
    """
    A sandbox that is attacked as it is rendered.

    ``by_host``: it opens the granted hosts alone. ``scripted``: what it runs is a script, with the
    rest of the command as its arguments.
    """

    adapter: Adapter
    by_host: bool = False
    scripted: bool = False

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
        return meters_of(self.adapter)

    def wider(self, grant: Capabilities, ports: tuple[int, ...] = ()) -> tuple[str, ...]:
        """Return that more is opened than the granted hosts and ports, where that is so."""
        if self.adapter.expressed(grant) is None:
            return ()  # it is refused when it is rendered
        keeps_ports = "net_port" in claims_of(self.adapter)
        if self.by_host:
            return () if keeps_ports else every_port(self.name, grant, ports)
        if keeps_ports and ports:
            return _those_ports(self.name, grant, ports)
        return whole_network(self.name, grant, ports)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return what is run in an attack; raises `TargetError` where a grant has no form there."""
        if self.adapter.expressed(grant) is None:
            field = self._inexpressible(grant)
            raise TargetError(f"{self.name}: cannot be rendered: it cannot express {field}")
        made = self._made(grant, layout)
        told = (*made.warnings, *self._unheld())
        if _runs(self._made(grant, replace(layout, command=(_SIGN,)))):
            return replace(made, warnings=told)
        own = f"the command: {self.name} runs a guest of this suite's own, so none is printed"
        return replace(made, command=(), warnings=(own, *told))

    def _made(self, grant: Capabilities, layout: Layout) -> Rendered:
        program, *arguments = layout.command
        if self.scripted:
            made = self.adapter.render(grant, replace(layout, script=os.path.abspath(program)))
            return replace(made, command=(*made.command, *arguments))
        # Some start a program without a search for it.
        whole = shutil.which(program, path=_PATH) or program
        return self.adapter.render(grant, replace(layout, command=(whole, *arguments)))

    def _inexpressible(self, grant: Capabilities) -> str:
        """Return the fields of a grant without which the system could express it."""
        without = {
            "fs_read": replace(grant, fs_read=()),
            "fs_write": replace(grant, fs_write=()),
            "net_hosts": replace(grant, net_hosts=()),
        }
        told = [
            f"{name} {listed(getattr(grant, name))}"
            for name, less in without.items()
            if less != grant and self.adapter.expressed(less) is not None
        ]
        return ", ".join(told) or "this grant"

    def _unheld(self) -> Iterator[str]:
        """Yield what the system is documented not to confine, whatever the grant."""
        told: dict[str, list[str]] = {}
        for kind, reason in self.adapter.cannot.items():
            if kind in {*KINDS, LINKS} and reason not in _UNTRIED:
                told.setdefault(reason, []).append(kind)
        for reason, kinds in told.items():
            yield f"not confined: {', '.join(kinds)}: {reason}"


def _those_ports(name: str, grant: Capabilities, ports: tuple[int, ...]) -> tuple[str, ...]:
    """Return what Landlock opens, which sees TCP alone, and no hosts."""
    if not grant.net_hosts:
        return ()
    told = f"TCP ports {listed(map(str, ports))} of every host, and UDP whole"
    return (f"net_hosts {listed(grant.net_hosts)}: {name} opens {told}",)


def _runs(made: Rendered) -> bool:
    """Tell whether the command that stands for any other is run."""
    return any(_SIGN in text for text in (*made.command, *made.files.values()))


_SIGN = "any-command-of-anybody"
_PATH = "/usr/bin:/bin"  # as it is inside
# Says nothing of what is confined.
_UNSEEN = {
    why for one in ADAPTERS.values() if isinstance(one, Elsewhere) for why in one.cannot.values()
}
_UNTRIED = frozenset({*UNTRIED.values(), *_UNSEEN, wasm.NO_CALL, monty.NO_CALL})
_BY_HOST = frozenset({"deno", "monty", "sandlock", "srt", "vercel", "wasmtime"})
_CHOICES = Choices()
_KATA = replace(_CHOICES, runtime="kata")
_ALL: tuple[System, ...] = (
    *(
        Attacked(one, one.name in _BY_HOST, isinstance(one, Node | Deno))
        for one in ADAPTERS.values()
    ),
    Bundle(),
    Seccomp(),
    Docker(_CHOICES),
    Kubernetes(_CHOICES),
    Kubernetes(_KATA, "kata", "a Pod of Kata Containers; never run by this suite", brought=True),
    Firecracker(),
    McpRoots(),
)
SYSTEMS: dict[str, System] = {one.name: one for one in _ALL}


def system_of(name: str, image: str | None = None, runtime: str | None = None) -> System:
    """Return a system with what was chosen for it; raises `TargetError` where it takes no choice."""
    system = SYSTEMS[name]
    chosen = {"image": image, "runtime": runtime}
    given = {key: value for key, value in chosen.items() if value is not None}
    for key, value in given.items():
        if key not in _takes(system):
            takes = _listed(one.name for one in SYSTEMS.values() if key in _takes(one))
            raise TargetError(f"--{key}: {name} has none; it is for {takes}")
        if not value or value.startswith("-") or not value.isprintable() or " " in value:
            raise TargetError(f"--{key}: {value!r} is no name of one")
    if isinstance(system, Docker | Kubernetes):
        return replace(system, choices=replace(system.choices, **given))
    if isinstance(system, Attacked) and isinstance(system.adapter, Engine):
        return replace(system, adapter=replace(system.adapter, **given))
    return system


def _takes(system: System) -> tuple[str, ...]:
    """Return what can be chosen for a system, the grant apart."""
    if isinstance(system, Docker | Kubernetes):
        return ("image", "runtime")
    engine = isinstance(system, Attacked) and isinstance(system.adapter, Engine)
    return ("runtime",) if engine else ()


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}"

"""Container engines that can be told which runtime starts a container: ``docker:runsc``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from capfuzz.attacks.kernel import COUNTED
from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.sandboxes.base import (
    most_processes,
    processes_for_ops,
    reading_what_it_writes,
    shared_network,
    write_only,
)
from capfuzz.targets.sandboxes.oci import CRUN, GVISOR, RUNC

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_IN_THIS_KERNEL = frozenset({None, RUNC.program, CRUN.program})
_SHARING = _IN_THIS_KERNEL | {GVISOR.program}


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine of containers; ``runtime`` by its name there, None for the one it is run with."""

    runtime: str | None = None
    engine: ClassVar[str]
    filtered: ClassVar[frozenset[str]] = frozenset()  # what its own filter of calls keeps from

    def __post_init__(self) -> None:
        """Refuse what is no name; raises `TargetError`."""
        if self.runtime is not None and not _NAME.fullmatch(self.runtime):
            raise TargetError(f"{self.engine}: {self.runtime!r} is no name of a runtime")

    @property
    def name(self) -> str:
        """How it is called on the command line."""
        return self.engine if self.runtime is None else f"{self.engine}:{self.runtime}"

    @property
    def cannot(self) -> Mapping[str, str]:
        """By kind of op: why the runtime, as documented, does not confine it."""
        return GVISOR.cannot if self.runtime == GVISOR.program else RUNC.cannot

    @property
    def meters(self) -> frozenset[str]:
        """The budgets that it keeps; gVisor's own threads would count as what runs inside."""
        return frozenset() if self.runtime == GVISOR.program else RUNC.meters

    @property
    def claims(self) -> frozenset[str]:
        """Of the kinds that most do not confine: those that it does, and that are seen from here."""
        return self.filtered.union(COUNTED) if self.runtime in _IN_THIS_KERNEL else frozenset()

    def limit(self, grant: Capabilities) -> str:
        """Return the option that limits the processes, or that takes the engine's own limit away."""
        return f"--pids-limit={most_processes(grant) if self.meters else -1}"

    def warnings(self, grant: Capabilities) -> tuple[str, ...]:
        """Return what comes out otherwise than the grant has it."""
        counted = (processes_for_ops(grant),) if self.meters else ()
        return (*write_only(grant), *shared_network(grant), *counted)

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """
        Return the grant with what may be written readable, as a bind mount has it.

        None with a network where the runtime is not known to share the machine's.
        """
        if grant.net_hosts and self.runtime not in _SHARING:
            return None
        return reading_what_it_writes(grant)

    def options(self, grant: Capabilities) -> tuple[str, ...]:
        """Return what the runtime itself is told; gVisor would take the addresses of a network."""
        if self.runtime != GVISOR.program:
            return ()
        return (*GVISOR.options, *(GVISOR.sharing if grant.net_hosts else GVISOR.closed))

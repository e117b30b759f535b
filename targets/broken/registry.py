"""What is known of each faulty target: where it is, what it breaks, what it is modelled on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from capfuzz.attacks.case import Surface

_Target = TypeVar("_Target", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Fault:
    """
    A target with one realistic fault.

    ``breaks``: invariants, of which a campaign must report at least one. ``modelled_on``: a CVE,
    a CWE or a described report. ``max_ops_in_reproducer``: ops that suffice to show the fault.
    """

    spec: str
    surface: Surface
    breaks: tuple[str, ...]
    modelled_on: str
    max_ops_in_reproducer: int = 1

    @property
    def name(self) -> str:
        """The target's own name, the last part of its spec."""
        return self.spec.rpartition(":")[2]


_FAULTS: list[Fault] = []


def fault(
    surface: Surface, *breaks: str, modelled_on: str, ops: int = 1
) -> Callable[[_Target], _Target]:
    """Register the decorated target under the public module of its surface."""

    def register(target: _Target) -> _Target:
        name = target.__name__
        spec = f"py:capfuzz.targets.broken.{surface}:{name}"
        _FAULTS.append(Fault(spec, surface, breaks, modelled_on, ops))
        return target

    return register


def registered() -> tuple[Fault, ...]:
    """Return every fault whose module has been imported, in order."""
    return tuple(_FAULTS)

"""What is known of each faulty target: where it is, what it breaks, what it is modelled on."""

from collections.abc import Callable
from dataclasses import dataclass

from capfuzz.attacks.case import Surface
from capfuzz.targets.right.registry import Known, Target, spec_of


@dataclass(frozen=True, slots=True)
class Fault(Known):
    """
    A target with one realistic fault.

    ``breaks``: invariants, of which a campaign must report at least one. ``modelled_on``: a CVE,
    a CWE or a described report. ``max_ops_in_reproducer``: ops that suffice to show the fault.
    """

    breaks: tuple[str, ...]
    modelled_on: str
    max_ops_in_reproducer: int = 1


_FAULTS: list[Fault] = []


def fault(
    surface: Surface, *breaks: str, modelled_on: str, ops: int = 1
) -> Callable[[Target], Target]:
    """Register the decorated target."""

    def register(target: Target) -> Target:
        _FAULTS.append(Fault(spec_of("broken", surface, target), surface, breaks, modelled_on, ops))
        return target

    return register


def registered() -> tuple[Fault, ...]:
    """Return every fault whose module has been imported, in order."""
    return tuple(_FAULTS)

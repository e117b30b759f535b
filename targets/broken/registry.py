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
    a CWE or a described report. ``max_ops_in_reproducer``: ops that suffice to show the fault,
    those that a tool tries included. ``style``: how the part is written that the fault is in.
    """

    breaks: tuple[str, ...]
    modelled_on: str
    max_ops_in_reproducer: int = 1
    style: str = ""

    @property
    def in_sequence(self) -> bool:
        """Whether no single op shows the fault."""
        return self.max_ops_in_reproducer > 1


_FAULTS: list[Fault] = []
# What most targets of a surface are written in.
_STYLES = {Surface.SESSION: "text prefix", Surface.PATH: "realpath", Surface.HOST: "url parser"} | {
    Surface.EVAL: "run by Python",
    Surface.SSRF: "address parser",
    Surface.ARCHIVE: "realpath",
    Surface.HTTP: "http handler",
    Surface.MCP: "json-rpc",
}


def fault(
    surface: Surface, *breaks: str, modelled_on: str, ops: int = 1, style: str = ""
) -> Callable[[Target], Target]:
    """Register the decorated target."""

    def register(target: Target) -> Target:
        spec, written = spec_of("broken", surface, target), style or _STYLES[surface]
        _FAULTS.append(Fault(spec, surface, breaks, modelled_on, ops, written))
        return target

    return register


def registered() -> tuple[Fault, ...]:
    """Return every fault whose module has been imported, in order."""
    return tuple(_FAULTS)

"""What the matrix holds: systems, and what became of each family in each of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from capfuzz.gate.events import Report
from capfuzz.gate.supervise import COULD_NOT_MEASURE


class Outcome(StrEnum):
    """What became of a family in a system."""

    HELD = "held"
    BROKEN = "broken"
    NOT_EXPRESSIBLE = "not expressible"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Cell:
    """
    A family in a system.

    Of its ``whole`` vectors, ``asked`` were tried: the others ask what the system is documented not
    to confine, or what it has no words for. ``broken`` is how often an invariant broke.
    """

    outcome: Outcome
    asked: int
    whole: int
    broken: int = 0


@dataclass(frozen=True, slots=True)
class System:
    """
    A system that was to be attacked; ``why_not`` tells why it was not, or not to the end.

    ``cold_start`` is the median time in seconds from its start to the first answer, ``answer`` that of
    one op; None where nothing of the kind was measured.
    """

    name: str
    meaning: str = ""
    version: str = ""
    why_not: str | None = None
    report: Report | None = None
    cells: Mapping[str, Cell] = field(default_factory=dict)
    cold_start: float | None = None
    answer: float | None = None

    @property
    def verdict(self) -> str:
        """The verdict of its campaign, ``not here`` without one."""
        if self.report is not None:
            return self.report.verdict
        return "inconclusive" if self.version else "not here"


@dataclass(frozen=True, slots=True)
class Matrix:
    """All systems, those that could not be attacked among them; ``asked_for`` were named."""

    systems: tuple[System, ...]
    profile: str
    seed: int
    machine: str
    date: str
    asked_for: frozenset[str] = frozenset()

    @property
    def families(self) -> list[str]:
        """Every family that any of the systems has a cell for."""
        return sorted({family for one in self.systems for family in one.cells})

    @property
    def exit_status(self) -> int:
        """1 where a system is broken, 2 where one that was named could not be measured."""
        statuses = {
            one.report.exit_status if one.report else COULD_NOT_MEASURE
            for one in self.systems
            if one.report or one.version or one.name in self.asked_for
        }
        return 1 if 1 in statuses else max(statuses, default=COULD_NOT_MEASURE)

"""What a sandbox costs, as its target saw it while it was attacked."""

from dataclasses import dataclass, field
from statistics import median


@dataclass(slots=True)
class Times:
    """Seconds of each start until the first answer came, and of each answer after it."""

    starts: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)

    @property
    def cold_start(self) -> float | None:
        """The median start in seconds, None where nothing was started."""
        return median(self.starts) if self.starts else None

    @property
    def answer(self) -> float | None:
        """The median answer in seconds, None where there was none."""
        return median(self.answers) if self.answers else None


def times_of(target: object) -> Times:
    """Return what a target has measured; most start nothing and measure nothing."""
    found = getattr(target, "times", None)
    return found if isinstance(found, Times) else Times()

"""What several processes measured, put together, and what a limit makes of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from capfuzz.gate.bench.measure import Sample, Share
from capfuzz.gate.bench.paired import Paired, middle


class Outcome(StrEnum):
    """What can be said of a change by a limit."""

    HELD = "held"
    SLOWER = "slower"
    UNDECIDED = "too noisy to say"


@dataclass(frozen=True, slots=True)
class Row:
    """
    One workload over all processes.

    ``nanoseconds`` an op, a value a round; ``units`` of the calibration an op and ``paired`` by the
    other target's op, a median a process.
    """

    name: str
    kind: str
    group: str
    size: int
    allowed: bool
    calls: int
    nanoseconds: tuple[float, ...]
    units: tuple[float, ...]
    paired: tuple[float, ...]

    @property
    def time(self) -> float:
        """The median nanoseconds of one op."""
        return median(self.nanoseconds)

    @property
    def ratio(self) -> Paired:
        """One op by one unit of the calibration, over the processes."""
        return middle(self.units)


@dataclass(frozen=True, slots=True)
class Change:
    """How long a workload takes by how long it took, and what that means."""

    name: str
    paired: Paired
    outcome: Outcome


def merged(shares: Iterable[Share]) -> tuple[Row, ...]:
    """Return a row for each workload that any process timed, in order."""
    samples: dict[str, list[Sample]] = {}
    for share in shares:
        for sample in share.samples:
            samples.setdefault(sample.name, []).append(sample)
    return tuple(_row(several) for several in samples.values())


def _row(several: Sequence[Sample]) -> Row:
    first = several[0]
    return Row(
        name=first.name,
        kind=first.kind,
        group=first.group,
        size=first.size,
        allowed=first.allowed,
        calls=first.calls,
        nanoseconds=tuple(one for sample in several for one in sample.nanoseconds),
        units=tuple(median(sample.units) for sample in several),
        paired=tuple(median(sample.paired) for sample in several if sample.paired),
    )


def judged(name: str, paired: Paired, limit: float) -> Change:
    """
    Return the change with its outcome; ``limit`` is a fraction, 0.05 for five per cent.

    Where the limit lies within the interval, the processes disagree on which side the change is,
    and nobody can say; a gate that guessed would be run again until it is green.
    """
    if paired.low > 1 + limit:
        return Change(name, paired, Outcome.SLOWER)
    held = paired.high <= 1 + limit
    return Change(name, paired, Outcome.HELD if held else Outcome.UNDECIDED)

"""
What counts as an attack on complexity (CWE-407, CWE-1333), decided from times alone.

Two things are faults of the target: a cost that grows faster than the input, and one input that
costs many times what its like cost. Below a floor neither would hurt anybody, and noise would
pass for a fault.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from statistics import median

FLOOR = 1_000_000.0  # nanoseconds
TIMES = 10.0  # over the median of inputs of like length
EXPONENT = 1.6  # of the length, over the last two doublings; joins of pathlib come to 1.5
_DOUBTFUL = 1.25  # the exponent of one quick look from which on it pays to look closer
DOUBLINGS = (1, 2, 4, 8, 16)
_FEW = 5  # inputs of like length, below which their median says nothing


@dataclass(frozen=True, slots=True)
class Ladder:
    """What one spelling costs at growing lengths (three at least), in characters and nanoseconds."""

    lengths: tuple[int, ...]
    nanoseconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        """The power of the length with which the cost grows from the last but two to the last."""
        longer = self.lengths[-1] / self.lengths[-3]
        return log(self.nanoseconds[-1] / self.nanoseconds[-3]) / log(longer)

    @property
    def is_superlinear(self) -> bool:
        """Whether the cost grows faster than the input and is large enough to matter."""
        return self.nanoseconds[-1] > FLOOR and self.exponent > EXPONENT

    @property
    def is_doubtful(self) -> bool:
        """Whether a single look at it leaves it possible that it is superlinear."""
        return self.nanoseconds[-1] > FLOOR and self.exponent > _DOUBTFUL


def like_lengths(lengths: Sequence[int], nanoseconds: Sequence[float]) -> list[float]:
    """Return for each input the median of those within its power of two; of all, where few are."""
    classes: dict[int, list[float]] = {}
    for length, spent in zip(lengths, nanoseconds, strict=True):
        classes.setdefault(length.bit_length(), []).append(spent)
    middles = {
        size: median(spent if len(spent) >= _FEW else nanoseconds)
        for size, spent in classes.items()
    }
    return [middles[length.bit_length()] for length in lengths]


def stands_out(nanoseconds: float, usual: float) -> bool:
    """Tell whether a cost is both too high to be harmless and far beyond what is usual."""
    return nanoseconds > FLOOR and nanoseconds > TIMES * usual

"""
Two things timed in turn in one process, and what can be said of their ratio.

The median of paired ratios stands still where medians of each side wander; the interval is the
one of the median's order statistics, which needs no assumption about the noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import median

ROUND_CONFIDENCE = 0.95
PROCESS_CONFIDENCE = 0.75  # what the extremes of three processes give


@dataclass(frozen=True, slots=True)
class Paired:
    """How long head takes by base: 1.05 is five per cent slower; ``low`` to ``high`` holds it."""

    ratio: float
    low: float
    high: float


def paired(base: Sequence[float], head: Sequence[float]) -> Paired:
    """Return the median of the ratios of pairs, with its interval."""
    return middle(ratios(base, head), ROUND_CONFIDENCE)


def ratios(base: Sequence[float], head: Sequence[float]) -> list[float]:
    """Return head by base, pair by pair."""
    return [after / before for before, after in zip(base, head, strict=True)]


def middle(values: Sequence[float], confidence: float = PROCESS_CONFIDENCE) -> Paired:
    """Return the median of ratios, such as those of several processes, with its interval."""
    low, high = interval(values, confidence)
    return Paired(median(values), low, high)


def across(base: Paired, head: Paired) -> Paired:
    """Return head by base for two ratios to the same calibration, taken on different days."""
    return Paired(head.ratio / base.ratio, head.low / base.high, head.high / base.low)


def interval(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """
    Return the narrowest order statistics that hold the median with ``confidence``.

    Of too few values it is the smallest and the greatest.
    """
    ordered, count = sorted(values), len(values)
    cut, outside = 0, 2 / 2**count
    while True:
        outside += 2 * comb(count, cut + 1) / 2**count
        if outside > 1 - confidence or 2 * (cut + 1) >= count:
            return ordered[cut], ordered[-1 - cut]
        cut += 1

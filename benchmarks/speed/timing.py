"""
Costs measured side by side: contenders take turns, and each one's median counts.

The clock is the processor time of this thread, so that other programs on the machine disturb as
little as they can. How often something is asked is fixed, never calibrated.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from capfuzz.gate.bench.timing import collector_off


@dataclass(frozen=True, slots=True)
class Contender:
    """
    What is timed: ``make`` returns a fresh function, which is asked about every one of ``items``.

    Making it is not timed.
    """

    make: Callable[[], Callable[[Any], object]]
    items: Sequence[Any]


def interleaved(contenders: Mapping[Any, Contender], rounds: int) -> dict[Any, float]:
    """Return the median seconds an item of each contender, after one round that does not count."""
    found: dict[Any, list[float]] = {name: [] for name in contenders}
    with collector_off() as collect:
        for number in range(rounds + 1):
            for name, contender in contenders.items():
                seconds = once(contender)
                if number:
                    found[name].append(seconds)
            collect()
    return {name: median(costs) for name, costs in found.items()}


def once(contender: Contender) -> float:
    """Return the seconds an item in one pass."""
    asked = contender.make()
    started = time.thread_time()
    deque(map(asked, contender.items), maxlen=0)  # the cheapest loop that there is
    return (time.thread_time() - started) / len(contender.items)

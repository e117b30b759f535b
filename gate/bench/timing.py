"""
How a thing is timed: a fixed number of calls a block, the collector off, blocks in turn.

Blocks are short and rounds many: a block that is shorter than the slices in which a busy machine
deals out its processors is mostly undisturbed, and its neighbour with it.

Absolute times say little across machines and days, so a calibration, a fixed piece of plain
Python, is timed in turn with everything else, and each result is also a ratio to it.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from time import perf_counter_ns
from typing import Any

Block = Callable[[], int]
"""Does its calls and returns how long they took together, in nanoseconds."""

UNITS = 1_000  # calls of the calibration in a block, about a tenth of a millisecond
_SHORTEST = 100_000  # nanoseconds that a block of anything else takes at the least
_LONGEST = 1_000_000_000  # nanoseconds for all rounds of a workload
_FEWEST_ROUNDS = 7
_MOST = 10_000  # calls in a block
_LOOKS = 5
_PATHS = ("/work/data.txt", "/work/sub/../data.txt", "/workshop/data.txt", "/srv/a/b/c/d")


def calibration() -> Block:
    """Return a block of `UNITS` calls whose work resembles a check's and never changes."""
    return feeding(_unit, _PATHS, UNITS)


def _unit(path: str) -> bool:
    return path.startswith("/work/") and ".." not in path.split("/")


def feeding(function: Callable[[Any], object], inputs: Sequence[Any], calls: int) -> Block:
    """Return a block that calls ``function`` with the inputs in turn, ``calls`` times in all."""
    stream = tuple(islice(cycle(inputs), calls))

    def block() -> int:
        began = perf_counter_ns()
        for one in stream:
            function(one)
        return perf_counter_ns() - began

    return block


def interleaved(blocks: Sequence[Block], rounds: int) -> tuple[list[int], ...]:
    """
    Return the nanoseconds of the calibration and of each block in each round.

    Every round begins with the calibration; then the blocks take turns, forwards and backwards, so
    that each has the same neighbours and what the machine does meanwhile falls on all alike. A first
    round is thrown away.
    """
    unit = calibration()
    times: tuple[list[int], ...] = ([], *([] for _ in blocks))
    order = list(enumerate(blocks, 1))
    for block in (unit, *blocks):
        block()
    with collector_off() as collect:
        for _ in range(rounds):
            collect()
            times[0].append(unit())
            for at, block in order:
                times[at].append(block())
            order.reverse()
    return times


@contextmanager
def collector_off() -> Iterator[Callable[[], object]]:
    """Turn the garbage collector off; yields a call that collects what was made since."""
    was_on = gc.isenabled()
    gc.collect()
    gc.freeze()  # so that a collection in between looks at little
    gc.disable()
    try:
        yield gc.collect
    finally:
        gc.unfreeze()
        if was_on:
            gc.enable()


def calls_for(nanoseconds: float, fewest: int) -> int:
    """
    Return how many calls make a block, by what one took at a first look: a power of ten.

    It is chosen once and kept for good (a saved file names it): a number that is found anew in
    each run makes most of the noise of short benchmarks.
    """
    calls = 1
    while calls < _MOST and calls * nanoseconds < _SHORTEST:
        calls *= 10
    return max(calls, fewest)


def rounds_for(nanoseconds: float, wanted: int) -> int:
    """Return how many rounds to take of blocks that take so long: fewer where they are slow."""
    return min(wanted, max(_FEWEST_ROUNDS, int(_LONGEST / nanoseconds)))


def first_look(function: Callable[[Any], object], inputs: Sequence[Any]) -> float:
    """Return the nanoseconds of one call, meaned over the inputs, the fastest of some tries."""
    block = feeding(function, inputs, len(inputs))
    return min(block() for _ in range(_LOOKS)) / len(inputs)

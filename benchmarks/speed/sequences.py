"""
How many sequences of twenty ops a second does a campaign try on one core?

The whole loop is timed: drawing, decoding, running on the engine, judging, comparing, logging. A
campaign draws sequences of one to so many ops; here the byte that picks the number is set, so that
all have twenty, but for the few whose ops are tried by threads. Exit status: 0 the goal is met, 1 not.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from unittest.mock import patch

from capfuzz.attacks.case import Case
from capfuzz.gate.explore import explore
from capfuzz.gate.log import Log
from capfuzz.strategies import decode
from capfuzz.targets.session import SessionTarget, engine_factory

GOAL = 1_500  # a second
_OPS = 20
_MODE, _NUMBER = 7, 8  # of the head's bytes: the clock and threads, the number of ops
_THREADS = 255


def main() -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=3_000, help="sequences a round (3000)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each with its seed (5)")
    asked = parser.parse_args()
    with of_twenty():
        rate(500, 0)  # what is remembered in a campaign is remembered then
        rates = [rate(asked.cases, seed) for seed in range(1, asked.rounds + 1)]
    found = median(rates)
    print(f"{found:,.0f} sequences of {_OPS} ops a second of processor time, goal {GOAL:,}")
    print(f"rounds: {', '.join(f'{one:,.0f}' for one in rates)}")
    return 0 if found >= GOAL else 1


def rate(cases: int, seed: int) -> float:
    """Return how many sequences are tried in a second of processor time."""
    log, target = Log(), SessionTarget("engine", engine_factory)
    began = time.process_time()
    for _ in explore(target, cases, _OPS, seed, log):
        pass
    return log.cases / (time.process_time() - began)


@contextmanager
def of_twenty() -> Iterator[None]:
    """Have every case that is decoded, those of threads left aside, be of twenty ops."""
    drawn = decode.case

    def case(data: bytes) -> Case:
        if data[_MODE] == _THREADS:
            return drawn(data)
        return drawn(data[:_NUMBER] + bytes([_OPS - 1]) + data[_NUMBER + 1 :])

    with patch.object(decode, "case", case):
        yield


if __name__ == "__main__":
    sys.exit(main())

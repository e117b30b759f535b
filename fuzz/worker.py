"""
The entry of one fuzzing process: ``python -m capfuzz.fuzz.worker HARNESS SPEC ORDER``.

What is to be instrumented must not have been imported before, so nothing else of ours is imported
until that is done.
"""

import sys

from capfuzz.fuzz.instrument import own_code


def main(harness: str, spec: str, order: str) -> None:
    """Instrument our own code where it is what is fuzzed, then work as ordered; never returns."""
    own_code(harness, spec)
    from capfuzz.fuzz.working import work  # noqa: PLC0415 - see the module

    work(order)


if __name__ == "__main__":
    main(*sys.argv[1:])

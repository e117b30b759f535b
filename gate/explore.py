"""Generated cases: Hypothesis draws and shrinks them, the same judge looks at them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from capfuzz.attacks.invariants import Severity, judge
from capfuzz.gate.comparisons import RELATIONS, Base, base_of, compare_once
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Log, hung
from capfuzz.strategies.cases import Batch, batches
from capfuzz.targets.base import Target
from hypothesis import Phase, Verbosity, given, seed, settings
from hypothesis.errors import Flaky

_BATCH = 250  # cases between two signs of life
_A_DRAW = 3  # cases: more would be faster to draw and slower to shrink
# One comparison in two draws: it costs three runs where a case costs one.
_RELATIONS = (*RELATIONS, *(None,) * len(RELATIONS))


class _Broken(Exception):  # noqa: N818 - raised for Hypothesis to shrink, never shown
    """A fault that the corpus did not show; one subclass each, so that each is shrunk alone."""


def explore(
    target: Target, examples: int, max_ops: int, first_seed: int, log: Log
) -> Iterator[int]:
    """Try ``examples`` generated cases and yield how many are done; every trace goes to ``log``."""
    done = number = 0
    with _older_objects_kept():
        while done < examples:
            size = min(_BATCH, examples - done)
            done += _batch(target, size, max_ops, first_seed * 1_000_003 + number, log)
            number += 1
            yield min(done, examples)


@contextmanager
def _older_objects_kept() -> Iterator[None]:
    """Have the collector walk new objects alone: all of them took it a tenth of a campaign."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _batch(target: Target, size: int, max_ops: int, number: int, log: Log) -> int:
    """Try up to ``size`` cases; return how many, as a new fault ends the batch to be shrunk."""
    known = log.found
    kinds: dict[Key, type[_Broken]] = {}
    tried = 0

    @seed(number)
    @settings(
        max_examples=-(-size // _A_DRAW),
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    @given(batches(target.surface, max_size=max_ops, count=_A_DRAW))
    def attempt(batch: Batch) -> None:
        nonlocal tried
        tried += 0 if kinds else _A_DRAW
        for key in _faults(target, batch, log):
            if key not in known:
                raise kinds.setdefault(key, type("Broken", (_Broken,), {}))

    try:
        attempt()
    except* (_Broken, Flaky):
        # Noted by the log already, and in the end as small as Hypothesis could make it; a target
        # that answers differently each time cannot be shrunk.
        pass
    return tried


def _faults(target: Target, batch: Batch, log: Log) -> Iterator[Key]:
    """Try the cases of a batch, and one comparison of the first; yield what can be shrunk."""
    first: Base | None = None
    for index, case in enumerate(filter(None, map(target.adapt, batch.cases))):
        trace = target.run(case)
        judgement = judge(trace)
        if index == 0:
            first = base_of(target, trace, judgement)
        for key in log.add(trace, judgement):
            if key.severity is Severity.ERROR and not hung(trace):
                yield key
    relation = _RELATIONS[batch.pick % len(_RELATIONS)]
    if first is not None and relation is not None:
        compared = compare_once(first, relation, batch.pick, log)
        if compared is not None:
            yield compared

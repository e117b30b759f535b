"""Generated cases: Hypothesis draws and shrinks them, the same judge looks at them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from capfuzz.attacks.invariants import Severity, judge
from capfuzz.gate.comparisons import RELATIONS, Base, base_of, compare_once
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Log, hung
from capfuzz.strategies.cases import Batch, batches
from capfuzz.targets.base import Target
from hypothesis import Phase, Verbosity, given, seed, settings
from hypothesis.errors import Flaky

_A_DRAW = 3  # cases: more would be faster to draw and slower to shrink
_SHARE = 84 * _A_DRAW  # cases between two signs of life
_FIRST_ROUND = 2  # shares, and twice as many in each round that follows
_APART = 500_009  # between seeds of draws, so that none is that of another share
# One comparison in two draws: it costs three runs where a case costs one.
_RELATIONS = (*RELATIONS, *(None,) * len(RELATIONS))


class _Broken(Exception):  # noqa: N818 - raised for Hypothesis to shrink, never shown
    """A fault that the corpus did not show; one subclass each, so that each is shrunk alone."""


class Share(NamedTuple):
    """A part of the generated cases: the numbers of the first and of the one after the last."""

    start: int
    stop: int


def rounds(examples: int) -> Iterator[list[Share]]:
    """
    Yield the shares of so many cases, in rounds that grow.

    What one round finds the next ones know and do not shrink again, so what is likely is shrunk in
    the small first round.
    """
    starts = range(0, examples, _SHARE)
    begin, size = 0, _FIRST_ROUND
    while begin < len(starts):
        part = starts[begin : begin + size]
        yield [Share(start, min(start + _SHARE, examples)) for start in part]
        begin, size = begin + size, size * 2


def explore(
    target: Target, examples: int, max_ops: int, first_seed: int, log: Log
) -> Iterator[int]:
    """Try ``examples`` generated cases and yield how many are done; every trace goes to ``log``."""
    for shares in rounds(examples):
        known = log.found
        for share in shares:
            for done in search(target, share, max_ops, first_seed, known, log):
                yield share.start + done


@contextmanager
def _older_objects_kept() -> Iterator[None]:
    """Have the collector walk new objects alone: all of them took it a tenth of a campaign."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def search(
    target: Target, share: Share, max_ops: int, first_seed: int, known: frozenset[Key], log: Log
) -> Iterator[int]:
    """
    Try one share and yield how many of its cases are done.

    What is drawn depends on the share, the seed and the faults ``known`` alone, whatever else the
    log holds. A fault that is new ends a draw to be shrunk; what is left is then drawn anew.
    """
    number = first_seed * 1_000_003 + share.start // _SHARE
    size = share.stop - share.start
    seen = set(known)
    done = again = 0
    with _older_objects_kept():
        while done < size:
            done += _batch(target, size - done, max_ops, number + again * _APART, seen, log)
            again += 1
            yield min(done, size)


def _batch(target: Target, size: int, max_ops: int, number: int, seen: set[Key], log: Log) -> int:
    """Try up to ``size`` cases and add the faults to ``seen``; return how many until a new one."""
    known = frozenset(seen)
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
        for key in _faults(target, batch, log, seen):
            if key not in known:
                raise kinds.setdefault(key, type("Broken", (_Broken,), {}))

    try:
        attempt()
    except* (_Broken, Flaky):
        # Noted by the log already, and in the end as small as Hypothesis could make it; a target
        # that answers differently each time cannot be shrunk.
        pass
    return tried


def _faults(target: Target, batch: Batch, log: Log, seen: set[Key]) -> Iterator[Key]:
    """
    Try the cases of a batch, and one comparison of the first; yield what can be shrunk.

    All that is seen is added to ``seen``.
    """
    first: Base | None = None
    for index, case in enumerate(filter(None, map(target.adapt, batch.cases))):
        trace = target.run(case)
        judgement = judge(trace)
        if index == 0:
            first = base_of(target, trace, judgement)
        keys = log.add(trace, judgement)
        seen.update(keys)
        for key in keys:
            if key.severity is Severity.ERROR and not hung(trace):
                yield key
    relation = _RELATIONS[batch.pick % len(_RELATIONS)]
    if first is not None and relation is not None:
        compared = compare_once(first, relation, batch.pick, log)
        if compared is not None:
            seen.add(compared)
            yield compared

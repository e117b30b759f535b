"""Generated cases: Hypothesis draws and shrinks them, the same judge looks at them."""

from collections.abc import Callable, Iterator

from capfuzz.attacks.case import Case
from capfuzz.attacks.invariants import Judgement, Severity, judge
from capfuzz.attacks.trace import Trace
from capfuzz.gate.grouping import Key
from capfuzz.strategies.cases import cases_for
from capfuzz.targets.base import Target
from hypothesis import Phase, Verbosity, given, seed, settings

Add = Callable[[Trace, Judgement], list[Key]]
_BATCH = 100  # cases between two signs of life


class _Broken(Exception):  # noqa: N818 - raised for Hypothesis to shrink, never shown
    """A fault that the corpus did not show; one subclass each, so that each is shrunk alone."""


def explore(
    target: Target, examples: int, max_ops: int, first_seed: int, add: Add
) -> Iterator[int]:
    """Try ``examples`` generated cases and yield how many are done; every trace goes to ``add``."""
    kinds: dict[Key, type[_Broken]] = {}
    done = 0
    for batch in range(-(-examples // _BATCH)):
        size = min(_BATCH, examples - done)
        _batch(target, size, max_ops, first_seed * 1_000_003 + batch, add, kinds)
        done += size
        yield done


def _batch(
    target: Target,
    size: int,
    max_ops: int,
    number: int,
    add: Add,
    kinds: dict[Key, type[_Broken]],
) -> None:
    known = set(kinds)

    @seed(number)
    @settings(
        max_examples=size,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    @given(cases_for(target.surface, max_size=max_ops))
    def attempt(case: Case) -> None:
        adapted = target.adapt(case)
        if adapted is None:
            return
        trace = target.run(adapted)
        for key in add(trace, judge(trace)):
            if key.severity is Severity.ERROR and key not in known:
                raise kinds.setdefault(key, type("Broken", (_Broken,), {}))

    try:
        attempt()
    except* _Broken:
        pass  # noted by `add` already, and in the end as small as Hypothesis could make it

"""Generated cases: Hypothesis draws and shrinks them, the same judge looks at them."""

from collections.abc import Iterator
from typing import Protocol

from capfuzz.attacks.case import Case
from capfuzz.attacks.invariants import Judgement, Severity, judge
from capfuzz.attacks.trace import Trace
from capfuzz.gate.grouping import Key
from capfuzz.strategies.cases import cases_for
from capfuzz.targets.base import Target
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import Flaky

_BATCH = 100  # cases between two signs of life


class Log(Protocol):
    """Where what was seen is kept."""

    @property
    def found(self) -> frozenset[Key]:
        """The faults that are known by now, and need not be shrunk again."""

    def add(self, trace: Trace, judgement: Judgement) -> list[Key]:
        """Keep a judged trace; return the faults that it shows."""


class _Broken(Exception):  # noqa: N818 - raised for Hypothesis to shrink, never shown
    """A fault that the corpus did not show; one subclass each, so that each is shrunk alone."""


def explore(
    target: Target, examples: int, max_ops: int, first_seed: int, log: Log
) -> Iterator[int]:
    """Try ``examples`` generated cases and yield how many are done; every trace goes to ``log``."""
    done = 0
    for batch in range(-(-examples // _BATCH)):
        size = min(_BATCH, examples - done)
        _batch(target, size, max_ops, first_seed * 1_000_003 + batch, log)
        done += size
        yield done


def _batch(target: Target, size: int, max_ops: int, number: int, log: Log) -> None:
    known = log.found
    kinds: dict[Key, type[_Broken]] = {}

    @seed(number)
    @settings(
        max_examples=size,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=[HealthCheck.too_slow],  # a busy machine is not a fault
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    @given(cases_for(target.surface, max_size=max_ops))
    def attempt(case: Case) -> None:
        adapted = target.adapt(case)
        if adapted is None:
            return
        trace = target.run(adapted)
        for key in log.add(trace, judge(trace)):
            if key.severity is Severity.ERROR and key not in known and not hung(trace):
                raise kinds.setdefault(key, type("Broken", (_Broken,), {}))

    try:
        attempt()
    except* (_Broken, Flaky):
        # Noted by the log already, and in the end as small as Hypothesis could make it; a target
        # that answers differently each time cannot be shrunk.
        pass


def hung(trace: Trace) -> bool:
    """Tell whether an op ran into the time limit, which asking again would cost every time."""
    return any(step.answer.hung for step in trace.steps)

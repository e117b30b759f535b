"""
The hunt in a process of its own.

What the target does there cannot end the command, and an op that hangs where it cannot be
interrupted is a fault like any other that hangs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from typing import Any, cast

from capfuzz.attacks.case import Case
from capfuzz.attacks.trace import Trace
from capfuzz.attacks.vectors import Vector, load
from capfuzz.gate.bench.alone import Asking, Say, StuckError, alone
from capfuzz.gate.bench.hunt import Fault, Hunt, hang
from capfuzz.gate.bench.stopwatch import Clocked, clocked
from capfuzz.gate.bench.subject import Subject, subject
from capfuzz.gate.events import Progress
from capfuzz.targets.base import Target, TargetError
from capfuzz.targets.options import Options

_GRACE = 30.0  # seconds beyond the time limits, planting included, until the process is ended


@dataclass(frozen=True, slots=True)
class Errand:
    """
    What to hunt through, and for which techniques; none for all.

    ``begun`` is shared with the process: how many ops of the case under way were asked.
    """

    spec: str
    options: Options
    quick: bool
    only: frozenset[str]
    begun: Any = field(default_factory=lambda: get_context("spawn").RawValue("l", 0))


@dataclass(frozen=True, slots=True)
class Catch:
    """What a hunt has come to so far."""

    counts: dict[str, int]
    faults: tuple[Fault, ...]
    progress: Progress


def searched(errand: Errand, tell: Callable[[Progress], None]) -> Catch:
    """Return what a hunt came to; raises `TargetError` where nothing could be measured."""
    catch: Catch | None = None
    try:
        for catch in alone(search, errand, errand.spec):
            tell(catch.progress)
    except StuckError as stuck:
        if catch is None:
            raise TargetError(
                f"{errand.spec}: hung on an honest op where it could not be interrupted, "
                "and was ended"
            ) from stuck
        return replace(catch, faults=(*catch.faults, _stuck(stuck.what, errand)))
    assert catch is not None  # a hunt that ends has told at least that it began
    return catch


def _stuck(case: Case, errand: Errand) -> Fault:
    limit = errand.options.op_limit
    index = min(max(errand.begun.value - 1, 0), len(case.ops) - 1)
    waited = f"within the limit of {limit:g} s, nor could it be interrupted"
    return hang(case, index, 1e9 * limit, waited)


def search(errand: Errand, say: Say) -> None:
    """Hunt in this process, and say after each step what came of it."""
    loaded = subject(errand.spec, errand.options)
    made = clocked(loaded, errand.begun)
    asked = cast("Target", _Announced(made.target, say, errand.options.op_limit))
    hunt = Hunt(Clocked(asked, made.watch), _chosen(errand, loaded), errand.only, errand.options)
    try:
        for progress in hunt.run():
            say(Catch(dict(hunt.counts), tuple(hunt.faults), progress))
    finally:
        made.target.close()
        loaded.target.close()


def _chosen(errand: Errand, loaded: Subject) -> Sequence[Vector]:
    """Return the vectors, in a hurry the first of each technique and kind of answer."""
    vectors = load()
    if not errand.quick:
        return vectors
    mine = [one for one in vectors if loaded.target.surface in one.surfaces]
    return list({(one.technique, one.is_control): one for one in reversed(mine)}.values())


class _Announced:
    """A target whose every run is announced to the process that waits for it."""

    def __init__(self, target: Target, say: Say, limit: float) -> None:
        self._target = target
        self._say = say
        self._limit = limit
        self.spec = target.spec
        self.surface = target.surface
        self.unobservable = target.unobservable
        self.adapt = target.adapt
        self.close = target.close

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Run the case; the promise covers the making of the target and every op's limit."""
        self._say(Asking(case, self._limit * patience * (len(case.ops) + 1) + _GRACE))
        trace = self._target.run(case, patience)
        self._say(None)
        return trace

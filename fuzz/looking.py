"""One input, one look: ask the target, judge as every campaign does, tell what is new."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol
from zlib import crc32

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.trace import Step, Trace
from capfuzz.fuzz import named
from capfuzz.fuzz.text import UNNAMED
from capfuzz.gate.comparisons import RELATIONS, base_of, compare_once
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Log
from capfuzz.targets.base import Target

# A refusal without an effect breaks nothing but over-blocking and the reason: one in so many is
# judged in full, as judging takes as long as asking.
_CALM = 8
_COMPARED = 16  # one comparison in so many inputs: it costs three runs
_MOST_SAID = 4096
_RELATIONS = tuple(RELATIONS)


class Fault(NamedTuple):
    """
    A fault that an input shows.

    ``case`` is None where no target was asked; then ``observed`` and ``expected`` say it.
    """

    key: Key
    technique: str
    case: Case | None
    observed: str = ""
    expected: str = ""


class Look(Protocol):
    """What a harness does with one input; ``log`` counts what was checked."""

    log: Log

    def __call__(self, data: bytes) -> list[Fault]:
        """Try one input and return the faults that it shows."""


@dataclass(slots=True)
class CaseLook:
    """Inputs that are cases for a target."""

    target: Target
    decode: Callable[[bytes, Surface], Case | None]
    log: Log = field(default_factory=Log)
    _said: set[str | None] = field(default_factory=lambda: {None})

    def __call__(self, data: bytes) -> list[Fault]:
        """Decode, ask and judge; raises `TargetError` where nothing can be measured."""
        case = self.decode(data, self.target.surface)
        adapted = None if case is None else self.target.adapt(case)
        return [] if adapted is None else self.ask(adapted, crc32(data))

    def ask(self, case: Case, chance: int) -> list[Fault]:
        """Ask an adapted case; ``chance``, the same for the same input, picks what is compared."""
        trace = self.target.run(case)
        if chance % _CALM and self._is_calm(trace):
            self.log.cases += 1
            self.log.ops += len(trace.steps)
            return []
        judgement = judge(trace)
        if judgement.breaches:
            trace = replace(trace, case=renamed(case))
        keys = self.log.add(trace, judgement)
        faults = [Fault(key, self.log.hits[key].technique, trace.case) for key in keys]
        return faults or self._compared(trace, chance)

    def _compared(self, trace: Trace, chance: int) -> list[Fault]:
        base = None if chance % _COMPARED else base_of(self.target, trace, judge(trace))
        if base is None:
            return []
        pick = chance // _COMPARED
        key = compare_once(base, _RELATIONS[pick % len(_RELATIONS)], pick, self.log)
        return [] if key is None else [Fault(key, trace.case.techniques[0], renamed(trace.case))]

    def _is_calm(self, trace: Trace) -> bool:
        return trace.grant_kept and all(map(self._refused, trace.steps))

    def _refused(self, step: Step) -> bool:
        """Tell whether a step is a refusal with no effect and no words that were not judged yet."""
        answer = step.answer
        if answer.ok or answer.raised or answer.hung or answer.output is not None or step.effects:
            return False
        if answer.detail in self._said:
            return True
        if len(self._said) < _MOST_SAID:
            self._said.add(answer.detail)
        return False


def renamed(case: Case) -> Case:
    """Return the case with a technique for every op that came as text."""
    names = tuple(
        named.op(op) if name == UNNAMED else name
        for op, name in zip(case.ops, case.techniques, strict=True)
    )
    return replace(case, techniques=names)

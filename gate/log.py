"""What a campaign has seen so far, by fault."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from capfuzz.attacks.case import Case
from capfuzz.attacks.invariants import INVARIANTS, Breach, Judgement
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.rulings import Ruling
from capfuzz.attacks.trace import Trace
from capfuzz.gate import effects, grouping
from capfuzz.gate.grouping import Key

Matrix = Counter[tuple[str, str, bool]]
"""How often a family put an invariant to the test (False) and broke it (True)."""


class Example(NamedTuple):
    """A case, and how plain it is, the plainest first."""

    rank: tuple[int, int]
    case: Case


@dataclass(slots=True)
class Hit:
    """The plainest case seen for a fault, and how many cases showed it."""

    case: Case
    technique: str
    rank: tuple[int, int]
    cases_until: int  # cases tried before it was first seen, this one included
    techniques: Counter[str] = field(default_factory=Counter)
    seen: set[tuple[str, str]] = field(default_factory=set)  # families, and what broke there
    effects: set[str] = field(default_factory=set)  # kinds, see `capfuzz.gate.effects`
    examples: dict[str, Example] = field(default_factory=dict)  # the plainest by kind of effect
    kind: str | None = None  # of effect that is to be shown, whichever if None
    count: int = 0

    @property
    def shown(self) -> Case:
        """The case to tell the fault by."""
        return self.case if self.kind is None else self.examples[self.kind].case

    def add_examples(self, examples: Mapping[str, Example]) -> None:
        """Keep the plainest case of each kind of effect, the earlier among equals."""
        for kind, one in examples.items():
            if kind not in self.examples or one.rank < self.examples[kind].rank:
                self.examples[kind] = one
        self.effects.update(examples)


@dataclass(slots=True)
class Log:
    """What has been seen so far."""

    checked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(INVARIANTS, 0))
    broken: dict[str, int] = field(default_factory=lambda: dict.fromkeys(INVARIANTS, 0))
    matrix: Matrix = field(default_factory=Counter)
    hits: dict[Key, Hit] = field(default_factory=dict)
    tried: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("attacks", "controls", "generated"), 0)
    )
    remarks: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    cases: int = 0
    ops: int = 0
    hangs: int = 0

    @property
    def found(self) -> frozenset[Key]:
        """The faults seen so far."""
        return frozenset(self.hits)

    def add(self, trace: Trace, judgement: Judgement) -> list[Key]:
        """Count a judged trace; return the faults that it shows."""
        self.cases += 1
        self.ops += len(trace.steps)
        self.hangs += hung(trace)
        for name, count in judgement.checked.items():
            self.checked[name] += count
            self.matrix[trace.case.family, name, False] += count
        ruled = rulings(trace) if judgement.breaches else ()
        return [self._note(trace, _ruling(ruled, breach), breach) for breach in judgement.breaches]

    def compared(self, invariant: str, key: Key | None, case: Case) -> None:
        """Count a comparison of two runs, and the fault that it shows, if any."""
        self.checked[invariant] += 1
        self.matrix[case.family, invariant, False] += 1
        if key is not None:
            self.broken[invariant] += 1
            self.matrix[case.family, invariant, True] += 1
            self.note(key, invariant, case, case.techniques[0])

    def remark(self, *remarks: str) -> None:
        """Keep what could not be measured, each reason once."""
        self.remarks += [one for one in dict.fromkeys(remarks) if one not in self.remarks]

    def merge(self, later: "Log") -> None:
        """Add what was seen after this, so that one log could have seen both."""
        for mine, theirs in (
            (self.checked, later.checked),
            (self.broken, later.broken),
            (self.tried, later.tried),
        ):
            for name, count in theirs.items():
                mine[name] += count
        self.matrix.update(later.matrix)
        for key, hit in later.hits.items():
            self._take(key, hit)
        self.remark(*later.remarks)
        self.notices += later.notices
        self.cases += later.cases
        self.ops += later.ops
        self.hangs += later.hangs

    def _take(self, key: Key, later: Hit) -> None:
        hit = self.hits.get(key)
        if hit is None:
            self.hits[key] = replace(later, cases_until=self.cases + later.cases_until)
            return
        hit.count += later.count
        hit.seen |= later.seen
        hit.add_examples(later.examples)
        hit.techniques.update(later.techniques)
        if later.rank < hit.rank:
            hit.case, hit.technique, hit.rank = later.case, later.technique, later.rank

    def _note(self, trace: Trace, ruling: Ruling, breach: Breach) -> Key:
        self.broken[breach.invariant] += 1
        self.matrix[trace.case.family, breach.invariant, True] += 1
        key, name = grouping.key(trace, ruling, breach), grouping.technique(trace, breach)
        kinds = effects.shown_by(key, trace, breach)
        self.note(key, breach.invariant, trace.case, name, kinds)
        return key

    def note(
        self, key: Key, invariant: str, case: Case, technique: str, kinds: Iterable[str] = ()
    ) -> None:
        """Keep the plainest case of a fault, the shortest first among equals."""
        plainness = 0 if key.door == grouping.BUDGETS else grouping.rank(technique)
        rank = (plainness, len(case.ops))
        hit = self.hits.setdefault(key, Hit(case, technique, rank, self.cases))
        hit.count += 1
        hit.seen.add((case.family, invariant))
        hit.add_examples(dict.fromkeys(kinds, Example(rank, case)))
        hit.techniques[technique] += bool(case.source)  # a generated op only happens to be there
        if rank < hit.rank:
            hit.case, hit.technique, hit.rank = case, technique, rank


def _ruling(ruled: Sequence[Ruling | None], breach: Breach) -> Ruling:
    ruling = ruled[breach.step]
    assert ruling is not None, "a step without a ruling is never judged"
    return ruling


def hung(trace: Trace) -> bool:
    """Tell whether an op ran into the time limit, which asking again would cost every time."""
    return any(step.answer.hung for step in trace.steps)

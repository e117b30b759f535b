"""
A campaign as tasks: what each finds depends on the target, the plan and itself alone.

So they can be done one after the other or anywhere at once, and what they found merged in their
order is the same. Nothing in here asks how many processes there are.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.trace import Trace
from capfuzz.attacks.vectors import Vector
from capfuzz.gate.comparisons import compare, worth_comparing
from capfuzz.gate.explore import Share, rounds, search
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Log, hung
from capfuzz.gate.plan import GENERATED, PROFILES, Plan, Profile
from capfuzz.strategies.cases import is_asked, is_generated
from capfuzz.targets.base import Target

CORPUS = "corpus"
COMPARISONS = "comparisons"
# Cases in a task: enough that handing it over costs nothing beside it.
_SLICES = {CORPUS: 100, COMPARISONS: 40}
# A sandbox of the system is started for each grant, where others are called: one in so many.
_EVERY_COMMAND = 5
# A target that hangs this often is not asked again: every further hang costs the time limit.
MOST_HANGS = 2
PATIENCE = 3.0  # times the time limit, for a second try: a busy machine is not a hang


class Ground:
    """A target and all that a plan tries against it, in one fixed order."""

    def __init__(self, target: Target, plan: Plan) -> None:
        chosen = _chosen(target, plan)
        self.target = target
        self.plan = plan
        self.controls = [pair for pair in chosen if pair[0].is_control]
        attacks = [case for vector, case in chosen if not vector.is_control]
        self.attacks = attacks if target.surface is Surface.COMMAND else _in_breadth(attacks)
        self.compared = worth_comparing(self.attacks)

    @property
    def profile(self) -> Profile:
        """How much is tried."""
        return PROFILES[self.plan.profile]

    @cached_property
    def totals(self) -> dict[str, int]:
        """How many cases each stage has."""
        every = _EVERY_COMMAND if self.target.surface is Surface.COMMAND else 1
        drawn = self.plan.wants(GENERATED) and is_generated(self.target.surface)
        return {
            CORPUS: len(self.attacks),
            COMPARISONS: len(self.compared),
            GENERATED: self.profile.examples // every if drawn else 0,
        }


@dataclass(frozen=True, slots=True)
class Task:
    """
    A part of a stage: the numbers of its first case and of the one after its last.

    ``honest``: numbers of controls that passed at first. ``known``: faults that need no shrinking,
    since an earlier stage or round has found them.
    """

    stage: str
    start: int
    stop: int
    honest: tuple[int, ...] = ()
    known: frozenset[Key] = frozenset()

    def __str__(self) -> str:
        """Name the cases as a person counts."""
        return f"{self.stage} {self.start + 1}-{self.stop}"

    def perform(self, ground: Ground, log: Log) -> Iterator[int]:
        """
        Do it, note what is seen in ``log`` and yield how many of its cases are done.

        It ends early where the target hangs too often. Raises `TargetError` where nothing can be
        measured.
        """
        before = log.hangs
        for done in _STAGES[self.stage](ground, self, log):
            yield done
            if log.hangs - before >= MOST_HANGS:
                return
        log.remark(*_given_up(ground, self.honest))

    def done(self, ground: Ground) -> Log:
        """Do it, and return what was seen."""
        log = Log()
        for _ in self.perform(ground, log):
            pass
        return log

    def lost(self, how: str, *, hung: bool) -> Log:
        """Return what is known of it where the process ended that did it, and how it ended."""
        log = Log(hangs=int(hung))
        log.remark(f"{self}: left out, since the process {how}")
        return log


def waves(ground: Ground, honest: tuple[int, ...], log: Log) -> Iterator[list[Task]]:
    """Yield tasks that need nothing of each other; ``log`` must have the earlier ones by then."""
    yield [
        Task(stage, start, min(start + size, ground.totals[stage]), honest)
        for stage, size in _SLICES.items()
        for start in range(0, ground.totals[stage], size)
    ]
    for shares in rounds(ground.totals[GENERATED]):
        yield [Task(GENERATED, *share, honest, log.found) for share in shares]


def _attack(ground: Ground, task: Task, log: Log) -> Iterator[int]:
    for done, case in enumerate(ground.attacks[task.start : task.stop], 1):
        trace = run(ground.target, case)
        log.add(trace, judge(trace))
        log.tried["attacks"] += 1
        yield done


def _compare(ground: Ground, task: Task, log: Log) -> Iterator[int]:
    for done, case in enumerate(ground.compared[task.start : task.stop], 1):
        compare(ground.target, case, task.start + done - 1, log)
        yield done


def _generate(ground: Ground, task: Task, log: Log) -> Iterator[int]:
    share, before = Share(task.start, task.stop), log.tried[GENERATED]
    drawn = (ground.profile.max_ops, ground.plan.seed, task.known)
    for done in search(ground.target, share, *drawn, log):
        log.tried[GENERATED] = before + done
        yield done


_STAGES = {CORPUS: _attack, COMPARISONS: _compare, GENERATED: _generate}


def _given_up(ground: Ground, honest: tuple[int, ...]) -> Iterator[str]:
    """Yield a remark for each kind of honest work that passed at first and does no more."""
    for number in honest:
        _, case = ground.controls[number]
        if judge(run(ground.target, case)).breaches:
            yield (
                f"{kind(case)}: honest work that was allowed at first is refused by now, so "
                "nothing that was refused meanwhile proves anything"
            )


def kind(case: Case) -> str:
    """Return the kind of the first op; a control's is always plain."""
    op = case.ops[0]
    assert isinstance(op, tuple)
    return str(op[0])


def run(target: Target, case: Case) -> Trace:
    """Try a case, and once more with patience where it hangs."""
    trace = target.run(case)
    return target.run(case, PATIENCE) if hung(trace) else trace


def _chosen(target: Target, plan: Plan) -> list[tuple[Vector, Case]]:
    """Return the vectors that were asked for and that the target can express."""
    chosen = []
    for vector in plan.vectors:
        if is_asked(target.surface, vector.surfaces) and plan.tries(vector):
            case = target.adapt(vector.case)
            if case is not None and (vector.is_control or _can_prove(case, plan)):
                chosen.append((vector, case))
    if target.surface is Surface.COMMAND:  # a sandbox is started anew for another grant
        chosen.sort(key=lambda pair: (repr(pair[1].grant), repr(pair[1].world)))
    return chosen


def _can_prove(case: Case, plan: Plan) -> bool:
    """Tell whether every kind of op in it lands where nothing is confined."""
    ops: tuple[Any, ...] = case.ops
    return not plan.unproven or plan.unproven.isdisjoint(op[0] for op in ops)


def _in_breadth(cases: list[Case]) -> list[Case]:
    """Put the first case of every technique first, then every second: faults show early."""
    seen: Counter[str] = Counter()
    turns = []
    for case in cases:
        turns.append(seen[case.techniques[0]])
        seen[case.techniques[0]] += 1
    order = sorted(range(len(cases)), key=lambda index: turns[index])
    return [cases[index] for index in order]

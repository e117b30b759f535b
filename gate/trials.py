"""What is tried against a target: controls, corpus, comparisons, generated sequences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.trace import Trace
from capfuzz.attacks.vectors import Vector
from capfuzz.gate.comparisons import compare_corpus
from capfuzz.gate.events import Progress
from capfuzz.gate.explore import explore
from capfuzz.gate.log import Log, hung
from capfuzz.strategies.cases import is_asked, is_generated
from capfuzz.targets.base import Target, TargetError


@dataclass(frozen=True, slots=True)
class Profile:
    """How much is tried: generated sequences, and ops in one of them."""

    examples: int
    max_ops: int


PROFILES = {
    "quick": Profile(examples=300, max_ops=8),
    "standard": Profile(examples=1_500, max_ops=16),
    "deep": Profile(examples=50_000, max_ops=30),
}
GENERATED = "generated"
# A sandbox of the system is started for each grant, where others are called: one in so many.
_EVERY_COMMAND = 5
# A target that hangs this often is not asked again: every further hang costs the time limit.
_MOST_HANGS = 2
PATIENCE = 3.0  # times the time limit, for a second try: a busy machine is not a hang


@dataclass(frozen=True, slots=True)
class Plan:
    """What to attack with."""

    vectors: Sequence[Vector]
    profile: str = "standard"
    seed: int = 0
    families: tuple[str, ...] = ()

    def wants(self, family: str) -> bool:
        """Tell whether a family was asked for; all are where none was named."""
        return not self.families or family in self.families


def trials(target: Target, plan: Plan, log: Log) -> Iterator[Progress]:
    """
    Try everything that was asked for and note what is seen in ``log``.

    It yields after every case or batch of cases, so that whoever has seen enough can stop. Raises
    `TargetError` where nothing can be measured.
    """
    chosen = _chosen(target, plan)
    attacks = [case for vector, case in chosen if not vector.is_control]
    if target.surface is not Surface.COMMAND:
        attacks = _in_breadth(attacks)
    honest: dict[str, Case | None] = {}  # by kind of op, the first control that passed
    yield from _controls(target, [pair for pair in chosen if pair[0].is_control], log, honest)
    yield from _corpus(target, attacks, log)
    yield from compare_corpus(target, attacks, log)
    if plan.wants(GENERATED) and log.hangs < _MOST_HANGS and is_generated(target.surface):
        yield from _generated(target, PROFILES[plan.profile], plan.seed, log)
    if log.checked["control-allowed"] == log.broken["control-allowed"]:
        log.remarks.append("no honest op was allowed, so nothing that is refused proves anything")
    if log.hangs < _MOST_HANGS:
        log.remarks += _given_up(target, honest)


def _given_up(target: Target, honest: dict[str, Case | None]) -> Iterator[str]:
    """Yield a remark for each kind of honest work that passed at first and does no more."""
    for kind, case in sorted(honest.items()):
        if case is not None and judge(_run(target, case)).breaches:
            yield (
                f"{kind}: honest work that was allowed at first is refused by now, so nothing that "
                "was refused meanwhile proves anything"
            )


def _chosen(target: Target, plan: Plan) -> list[tuple[Vector, Case]]:
    """Return the vectors that were asked for and that the target can express."""
    chosen = []
    for vector in plan.vectors:
        if is_asked(target.surface, vector.surfaces) and plan.wants(vector.case.family):
            case = target.adapt(vector.case)
            if case is not None:
                chosen.append((vector, case))
    if target.surface is Surface.COMMAND:  # a sandbox is started anew for another grant
        chosen.sort(key=lambda pair: (repr(pair[1].grant), repr(pair[1].world)))
    return chosen


def _in_breadth(cases: list[Case]) -> list[Case]:
    """Put the first case of every technique first, then every second: faults show early."""
    seen: Counter[str] = Counter()
    turns = []
    for case in cases:
        turns.append(seen[case.techniques[0]])
        seen[case.techniques[0]] += 1
    order = sorted(range(len(cases)), key=lambda index: turns[index])
    return [cases[index] for index in order]


def _controls(
    target: Target, controls: list[tuple[Vector, Case]], log: Log, honest: dict[str, Case | None]
) -> Iterator[Progress]:
    """Try honest work first; remark for which kinds of op nothing can be measured."""
    for done, (vector, case) in enumerate(controls, 1):
        trace = _run(target, case)
        if hung(trace):
            raise TargetError(
                f"{target.spec}: hung on {case.ops[0]!r}, an honest op ({vector.id}); "
                "raise --op-timeout if it is only slow"
            )
        judgement = judge(trace)
        log.add(trace, judgement)
        kind = _kind(case.ops[0])
        honest[kind] = honest.get(kind) or (None if judgement.breaches else case)
        log.tried["controls"] = done
        yield Progress("controls", done, len(controls))
    if target.surface is not Surface.SESSION and not any(honest.values()):
        raise TargetError(
            f"{target.spec}: no honest {target.surface} was answered rightly, so nothing can be "
            "measured; does the function take these arguments, and serve this root or host?"
        )
    log.remarks += [
        f"{kind}: every control was refused, so nothing that is refused proves anything"
        for kind, passed in sorted(honest.items())
        if passed is None
    ]


def _kind(op: object) -> str:
    """Return the kind of an op; a control's is always plain."""
    assert isinstance(op, tuple)
    return str(op[0])


def _corpus(target: Target, attacks: list[Case], log: Log) -> Iterator[Progress]:
    for done, case in enumerate(attacks, 1):
        trace = _run(target, case)
        log.add(trace, judge(trace))
        log.tried["attacks"] = done
        yield Progress("corpus", done, len(attacks))
        if log.hangs >= _MOST_HANGS:
            log.remarks.append(
                f"{len(attacks) - done} of {len(attacks)} attacks and all that is generated: left out, "
                f"since {log.hangs} ops ran into the time limit"
            )
            break


def _generated(target: Target, profile: Profile, seed: int, log: Log) -> Iterator[Progress]:
    every = _EVERY_COMMAND if target.surface is Surface.COMMAND else 1
    examples = profile.examples // every
    for done in explore(target, examples, profile.max_ops, seed, log):
        log.tried["generated"] = done
        yield Progress(GENERATED, done, examples)


def _run(target: Target, case: Case) -> Trace:
    trace = target.run(case)
    return target.run(case, PATIENCE) if hung(trace) else trace

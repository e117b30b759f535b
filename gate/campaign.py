"""
The campaign: controls, corpus, comparisons, generated sequences, then one finding a fault.

It yields events and prints nothing. The same seed on the same tree gives the same report.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.invariants import INVARIANTS, Breach, Judgement, Severity, judge
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.rulings import Ruling
from capfuzz.attacks.trace import Trace
from capfuzz.attacks.vectors import Vector
from capfuzz.gate import comparisons, grouping
from capfuzz.gate.events import Event, Finding, Progress, Report, Tally
from capfuzz.gate.explore import explore, hung
from capfuzz.gate.grouping import Key
from capfuzz.gate.write_up import write_up
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
# A target that hangs this often is not asked again: every further hang costs the time limit.
_MOST_HANGS = 2
_PATIENCE = 3.0


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


@dataclass(slots=True)
class _Hit:
    """The plainest case seen for a fault, and how many cases showed it."""

    case: Case
    technique: str
    rank: tuple[int, int]
    techniques: Counter[str] = field(default_factory=Counter)
    count: int = 0


@dataclass(slots=True)
class _Log:
    """What has been seen so far."""

    checked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(INVARIANTS, 0))
    broken: dict[str, int] = field(default_factory=lambda: dict.fromkeys(INVARIANTS, 0))
    hits: dict[Key, _Hit] = field(default_factory=dict)
    ops: int = 0
    hangs: int = 0

    @property
    def found(self) -> frozenset[Key]:
        """The faults seen so far."""
        return frozenset(self.hits)

    def add(self, trace: Trace, judgement: Judgement) -> list[Key]:
        """Count a judged trace; return the faults that it shows."""
        self.ops += len(trace.steps)
        self.hangs += hung(trace)
        for name, count in judgement.checked.items():
            self.checked[name] += count
        ruled = rulings(trace) if judgement.breaches else ()
        return [self._note(trace, _ruling(ruled, breach), breach) for breach in judgement.breaches]

    def _note(self, trace: Trace, ruling: Ruling, breach: Breach) -> Key:
        self.broken[breach.invariant] += 1
        key, name = grouping.key(trace, ruling, breach), grouping.technique(trace, breach)
        self.note(key, trace.case, name)
        return key

    def note(self, key: Key, case: Case, technique: str) -> None:
        """Keep the plainest case of a fault, the shortest first among equals."""
        plainness = 0 if key.door == grouping.BUDGETS else grouping.rank(technique)
        rank = (plainness, len(case.ops))
        hit = self.hits.setdefault(key, _Hit(case, technique, rank))
        hit.count += 1
        hit.techniques[technique] += bool(case.source)  # a generated op only happens to be there
        if rank < hit.rank:
            hit.case, hit.technique, hit.rank = case, technique, rank


def _ruling(ruled: Sequence[Ruling | None], breach: Breach) -> Ruling:
    ruling = ruled[breach.step]
    assert ruling is not None, "a step without a ruling is never judged"
    return ruling


def attack(target: Target, plan: Plan) -> Iterator[Event]:
    """Attack ``target`` and yield progress, at last the report; raises `TargetError`."""
    started = time.perf_counter()
    log = _Log()
    chosen = _chosen(target, plan)
    controls = [(vector, case) for vector, case in chosen if vector.is_control]
    attacks = [(vector, case) for vector, case in chosen if not vector.is_control]
    remarks = _preflight(target, controls, log)
    yield Progress("controls", len(controls), len(controls))
    for done, (_, case) in enumerate(attacks):
        if log.hangs >= _MOST_HANGS:
            break
        _try(target, case, log)
        if done % 50 == 0:
            yield Progress("corpus", done, len(attacks))
    yield Progress("corpus", len(attacks), len(attacks))
    for name, key, case in comparisons.compare(target, [case for _, case in attacks]):
        log.checked[name] += 1
        if key is not None:
            log.broken[name] += 1
            log.note(key, case, case.techniques[0])
    generated = 0
    if plan.wants(GENERATED) and log.hangs < _MOST_HANGS:
        profile = PROFILES[plan.profile]
        for generated in explore(target, profile.examples, profile.max_ops, plan.seed, log):
            yield Progress(GENERATED, generated, profile.examples)
    if log.checked["control-allowed"] == log.broken["control-allowed"]:
        remarks = (*remarks, "no honest op was allowed, so nothing that is refused proves anything")
    findings = _findings(target, log)
    yield Report(
        spec=target.spec,
        surface=target.surface,
        seed=plan.seed,
        profile=plan.profile,
        verdict=_verdict(findings, remarks),
        counts={
            "attacks": len(attacks),
            "controls": len(controls),
            "generated": generated,
            "ops": log.ops,
        },
        invariants={name: _tally(name, target, log) for name in INVARIANTS},
        findings=findings,
        duration_s=time.perf_counter() - started,
        remarks=remarks,
    )


def _chosen(target: Target, plan: Plan) -> list[tuple[Vector, Case]]:
    """Return the vectors that were asked for and that the target can express."""
    chosen = []
    for vector in plan.vectors:
        if target.surface in vector.surfaces and plan.wants(vector.case.family):
            case = target.adapt(vector.case)
            if case is not None:
                chosen.append((vector, case))
    return chosen


def _preflight(target: Target, controls: list[tuple[Vector, Case]], log: _Log) -> tuple[str, ...]:
    """Try the controls; say for which kinds of op nothing can be measured, as none passed."""
    passed: dict[str, bool] = {}
    for vector, case in controls:
        trace = target.run(case)
        if hung(trace):
            trace = target.run(case, _PATIENCE)
        if hung(trace):
            raise TargetError(
                f"{target.spec}: hung on {case.ops[0]!r}, an honest op ({vector.id}); "
                "raise --op-timeout if it is only slow"
            )
        judgement = judge(trace)
        log.add(trace, judgement)
        kind = _kind(case.ops[0])
        passed[kind] = passed.get(kind, False) or not judgement.breaches
    if target.surface is not Surface.SESSION and not any(passed.values()):
        raise TargetError(
            f"{target.spec}: no honest {target.surface} was answered rightly, so nothing can be "
            "measured; does the function take these arguments, and serve this root or host?"
        )
    return tuple(
        f"{kind}: every control was refused, so nothing that is refused proves anything"
        for kind, any_passed in sorted(passed.items())
        if not any_passed
    )


def _kind(op: object) -> str:
    """Return the kind of an op; a control's is always plain."""
    assert isinstance(op, tuple)
    return str(op[0])


def _try(target: Target, case: Case, log: _Log) -> None:
    trace = target.run(case)
    if hung(trace):  # a busy machine is not a hang
        trace = target.run(case, _PATIENCE)
    log.add(trace, judge(trace))


def _findings(target: Target, log: _Log) -> tuple[Finding, ...]:
    _merge(log.hits)
    written = {key: _write_up(target, key, hit) for key, hit in log.hits.items()}
    for key, finding in list(written.items()):
        plainer = _single_op(key, finding, written)
        if plainer is not None:
            more = written.pop(key).hits
            written[plainer] = replace(written[plainer], hits=written[plainer].hits + more)
    order = list(Severity)
    return tuple(
        sorted(written.values(), key=lambda one: (order.index(one.severity), one.family, one.id))
    )


def _write_up(target: Target, key: Key, hit: _Hit) -> Finding:
    return write_up(target, key, hit.case, grouping.naming(key, hit.techniques), hit.count)


def _merge(hits: dict[Key, _Hit]) -> None:
    """Leave one key a fault: what a plainer fault explains adds to its count."""
    keys = set(hits)
    for key in sorted(keys):
        plainer = grouping.implied(key, keys)
        while plainer is not None and plainer not in hits:
            plainer = grouping.implied(plainer, keys)
        if plainer is not None:
            hits[plainer].count += hits.pop(key).count


def _single_op(key: Key, finding: Finding, written: dict[Key, Finding]) -> Key | None:
    """Return the plain fault behind a scenario of which a single op was left by shrinking."""
    if len(finding.ops) > 1 or not grouping.is_scenario(key.group):
        return None
    plain = [
        other
        for other in written
        if (other.invariant, other.door, other.severity) == (key.invariant, key.door, key.severity)
        and not grouping.is_scenario(other.group)
    ]
    return max(plain, key=lambda other: written[other].hits, default=None)


def _verdict(findings: tuple[Finding, ...], remarks: tuple[str, ...]) -> str:
    if any(finding.severity is Severity.ERROR for finding in findings):
        return "broken"
    return "inconclusive" if remarks else "held"


def _tally(name: str, target: Target, log: _Log) -> Tally:
    if name in target.unobservable or not log.checked[name]:
        return Tally(observable=False)
    return Tally(log.checked[name], log.broken[name])

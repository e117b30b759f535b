"""
The campaign: what is tried, then one finding a fault and the report.

It yields events and prints nothing. The same seed on the same tree gives the same report.
"""

import time
from collections.abc import Iterator
from typing import Protocol

from capfuzz.attacks.invariants import INVARIANTS, Severity
from capfuzz.gate.crew import Crew
from capfuzz.gate.events import Event, Finding, Report, Tally
from capfuzz.gate.findings import findings
from capfuzz.gate.log import Log
from capfuzz.gate.plan import Plan
from capfuzz.gate.trials import trials
from capfuzz.targets.base import Target, limits_of


def attack(target: Target, plan: Plan, crew: Crew | None = None) -> Iterator[Event]:
    """
    Attack ``target`` and yield progress, at last the report; raises `TargetError`.

    With a crew, of which every member must be able to load the same target, all but the controls is
    done by it.
    """
    started = time.perf_counter()
    log = Log()
    yield from trials(target, plan, log, crew)
    yield report(target, log, findings(target, log, crew, plan.accepted), plan, started)


class Attacked(Protocol):
    """What a report says of whatever was attacked."""

    @property
    def spec(self) -> str:
        """How it was named."""

    @property
    def surface(self) -> str:
        """The shape of question that it answers."""

    @property
    def unobservable(self) -> frozenset[str]:
        """The invariants that it cannot show."""


def report(
    target: Attacked, log: Log, found: tuple[Finding, ...], plan: Plan, started: float
) -> Report:
    """Return the outcome of what is in ``log``; ``started`` as `time.perf_counter` read it."""
    return Report(
        spec=target.spec,
        surface=target.surface,
        seed=plan.seed,
        profile=plan.profile,
        verdict=_verdict(found, log.remarks),
        counts={**log.tried, "ops": log.ops},
        invariants={name: _tally(name, target, log) for name in INVARIANTS},
        findings=found,
        duration_s=time.perf_counter() - started,
        remarks=tuple(log.remarks),
        notices=tuple(log.notices),
        matrix=_matrix(target, log),
        families=plan.families,
        limits=limits_of(target),
    )


def _verdict(found: tuple[Finding, ...], remarks: list[str]) -> str:
    if any(finding.severity is Severity.ERROR for finding in found):
        return "broken"
    return "inconclusive" if remarks else "held"


def _tally(name: str, target: Attacked, log: Log) -> Tally:
    if name in target.unobservable or not log.checked[name]:
        return Tally(observable=False)
    return Tally(log.checked[name], log.broken[name])


def _matrix(target: Attacked, log: Log) -> dict[str, dict[str, Tally]]:
    families = sorted({family for family, _, _ in log.matrix})
    return {family: dict(_row(family, target, log)) for family in families}


def _row(family: str, target: Attacked, log: Log) -> Iterator[tuple[str, Tally]]:
    for name in INVARIANTS:
        checked, broken = log.matrix[family, name, False], log.matrix[family, name, True]
        if checked and name not in target.unobservable:
            yield name, Tally(checked, broken)

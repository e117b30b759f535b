"""From what was seen to what is told: one finding a fault."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from capfuzz.attacks.case import Surface
from capfuzz.attacks.invariants import Severity
from capfuzz.gate import grouping
from capfuzz.gate.crew import Crew
from capfuzz.gate.effects import in_order
from capfuzz.gate.events import Finding
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Hit, Log
from capfuzz.gate.tasks import Ground
from capfuzz.gate.write_up import finding_id, tell, write_up
from capfuzz.targets.base import Target


def findings(
    target: Target,
    log: Log,
    crew: Crew | None = None,
    accepted: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> tuple[Finding, ...]:
    """
    Return one finding a fault, shrunk, by the crew if there is one; the heaviest first.

    ``accepted``: by id of a finding, the kinds of effect by which it is known to show; another kind
    is what is shown of it.
    """
    _merge(log.hits)
    _prefer_new(target, log.hits, accepted)
    if crew is None:
        written = {key: written_up(target, key, hit) for key, hit in log.hits.items()}
    else:
        written = _written_by(crew, target, log)
    for key, finding in list(written.items()):
        plainer = _single_op(key, finding, written)
        if plainer is not None:
            written[plainer] = _joined(written[plainer], written.pop(key))
    order = list(Severity)
    return tuple(
        sorted(written.values(), key=lambda one: (order.index(one.severity), one.family, one.id))
    )


def _prefer_new(
    target: Target, hits: Mapping[Key, Hit], accepted: Mapping[str, Collection[str]]
) -> None:
    for key, hit in hits.items():
        known = accepted.get(finding_id(target.surface, key))
        if known is not None:
            hit.kind = next(iter(in_order(hit.examples.keys() - known)), None)


def written_up(target: Target, key: Key, hit: Hit) -> Finding:
    """Return the finding for a fault that was seen."""
    technique = grouping.naming(key, hit.techniques)
    return _counted(write_up(target, key, hit.shown, technique, hit.kind), hit)


def _counted(finding: Finding, hit: Hit) -> Finding:
    return replace(
        finding, hits=hit.count, seen=tuple(sorted(hit.seen)), effects=in_order(hit.effects)
    )


def _joined(one: Finding, other: Finding) -> Finding:
    """Return a finding that counts what another turned out to be as well."""
    seen = tuple(sorted({*one.seen, *other.seen}))
    effects = in_order((*(one.effects or ()), *(other.effects or ())))
    return replace(one, hits=one.hits + other.hits, seen=seen, effects=effects)


@dataclass(frozen=True, slots=True)
class WriteUp:
    """The task of shrinking what shows a fault of a target, and telling it."""

    spec: str
    surface: Surface
    key: Key
    hit: Hit

    def __str__(self) -> str:
        """Name the fault."""
        return f"shrinking {self.key.invariant} by {self._technique}"

    def done(self, ground: Ground) -> Finding:
        """Shrink and tell it."""
        return written_up(ground.target, self.key, self.hit)

    def lost(self, how: str, *, hung: bool) -> Finding:  # noqa: ARG002 - as of every job
        """Tell it as it was seen, where shrinking it ended the process."""
        told = (f"seen; when it was tried again, the process {how}", "the same every time", ())
        finding = tell(self.spec, self.surface, self.key, self.hit.shown, self._technique, told)
        return _counted(finding, self.hit)

    @property
    def _technique(self) -> str:
        return grouping.naming(self.key, self.hit.techniques)


def _written_by(crew: Crew, target: Target, log: Log) -> dict[Key, Finding]:
    jobs = [WriteUp(target.spec, target.surface, key, hit) for key, hit in log.hits.items()]
    answers = [*crew.each(jobs)]
    log.notices += [notice for answer in answers for notice in answer.notices]
    return {job.key: answer.result for job, answer in zip(jobs, answers, strict=True)}


def _merge(hits: dict[Key, Hit]) -> None:
    """Leave one key a fault: what a plainer fault explains adds to its count."""
    keys = set(hits)
    for key in sorted(keys):
        plainer = grouping.implied(key, keys)
        while plainer is not None and plainer not in hits:
            plainer = grouping.implied(plainer, keys)
        if plainer is not None:
            hits[plainer].count += hits[key].count
            hits[plainer].effects |= hits[key].effects
            hits[plainer].seen |= hits.pop(key).seen


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

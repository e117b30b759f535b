"""From what was seen to what is told: one finding a fault."""

from dataclasses import replace

from capfuzz.attacks.invariants import Severity
from capfuzz.gate import grouping
from capfuzz.gate.events import Finding
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Hit, Log
from capfuzz.gate.write_up import write_up
from capfuzz.targets.base import Target


def findings(target: Target, log: Log) -> tuple[Finding, ...]:
    """Return one finding a fault, shrunk, the heaviest first."""
    _merge(log.hits)
    written = {key: written_up(target, key, hit) for key, hit in log.hits.items()}
    for key, finding in list(written.items()):
        plainer = _single_op(key, finding, written)
        if plainer is not None:
            written[plainer] = _joined(written[plainer], written.pop(key))
    order = list(Severity)
    return tuple(
        sorted(written.values(), key=lambda one: (order.index(one.severity), one.family, one.id))
    )


def written_up(target: Target, key: Key, hit: Hit) -> Finding:
    """Return the finding for a fault that was seen."""
    finding = write_up(target, key, hit.case, grouping.naming(key, hit.techniques), hit.count)
    return replace(finding, seen=tuple(sorted(hit.seen)))


def _joined(one: Finding, other: Finding) -> Finding:
    """Return a finding that counts what another turned out to be as well."""
    seen = tuple(sorted({*one.seen, *other.seen}))
    return replace(one, hits=one.hits + other.hits, seen=seen)


def _merge(hits: dict[Key, Hit]) -> None:
    """Leave one key a fault: what a plainer fault explains adds to its count."""
    keys = set(hits)
    for key in sorted(keys):
        plainer = grouping.implied(key, keys)
        while plainer is not None and plainer not in hits:
            plainer = grouping.implied(plainer, keys)
        if plainer is not None:
            hits[plainer].count += hits[key].count
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

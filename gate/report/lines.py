"""What is said of a finding in plain text, line by line; the same wherever a person reads it."""

import json
from collections.abc import Iterator

from capfuzz.gate import effects
from capfuzz.gate.events import Acceptance, Finding, Report
from capfuzz.gate.report.text import granted, printable, short

_SHOWN_OPS = 8


def title(finding: Finding, report: Report) -> str:
    """Return one line that tells a finding from others, and whether it was accepted once."""
    known = report.accepted.get(finding.id)
    over = "" if known is None or known.holds else f" ({state(known)})"
    return printable(
        f"{finding.severity} {finding.id}: {finding.invariant} by {finding.technique}{over}"
    )


def labelled(finding: Finding, report: Report) -> Iterator[tuple[str, str]]:
    """Yield what there is to know of a finding, each with its label, but for the replay line."""
    yield "grant", printable(json.dumps(granted(finding.grant)))
    ops = _ops(finding)
    for number, op in enumerate(ops[:_SHOWN_OPS], 1):
        yield f"op {number}", printable(op)
    if len(ops) > _SHOWN_OPS:
        yield "...", f"{len(ops) - _SHOWN_OPS} more ops"
    yield "observed", printable(finding.observed)
    yield "expected", printable(finding.expected)
    if finding.bug:
        yield "why", printable(f"{finding.bug} {finding.effect}")
    yield "see", printable(" ".join((finding.cwe, *finding.refs)))
    yield "hits", printable(f"{finding.hits} (family {finding.family})")
    if finding.id in report.accepted:
        yield "baseline", standing(finding, report)


def _ops(finding: Finding) -> list[str]:
    """Return the ops, each with what became of it where that is known."""
    told = [f"{short(step.op)} -> {step.outcome}" for step in finding.steps]
    return told or [short(op) for op in finding.ops]


def plain(finding: Finding, report: Report) -> str:
    """Return all there is to know of a finding, as text without colour."""
    told = (f"{label:>8}  {value}" for label, value in labelled(finding, report))
    return "\n".join((title(finding, report), *told, printable(finding.replay)))


def acceptance(name: str, known: Acceptance) -> str:
    """Return one line about a finding that is accepted."""
    return printable(f"accepted {name}{_terms(known)}")


def _terms(known: Acceptance) -> str:
    until = f" until {known.expires}" if known.expires else ""
    return f"{until} by {known.owner}: {known.reason}"


def state(known: Acceptance) -> str:
    """Return what has become of an acceptance, in few words."""
    if known.expired:
        return "expired"
    return f"now also {effects.told(known.also)}" if known.also else "accepted"


def beyond(name: str, known: Acceptance) -> str:
    """Return one line about a finding that shows by other effects than it was accepted for."""
    return f"{name} accepted for {effects.told(known.effects or ())}; now also {effects.told(known.also)}"


def standing(finding: Finding, report: Report) -> str:
    """Return who accepted a finding and until when, and whether that holds; empty if nobody did."""
    known = report.accepted.get(finding.id)
    if known is None:
        return ""
    told = acceptance(finding.id, known)
    if known.also:
        told = printable(f"{beyond(finding.id, known)} (accepted{_terms(known)})")
    return f"expired: {told}" if known.expired else told


def limits(report: Report) -> list[str]:
    """Return a line for each reason why something was not tried."""
    return [printable(f"not expressible: {limit}") for limit in report.limits]


def fixed(name: str) -> str:
    """Return one line about an entry of a baseline that is not needed any more."""
    return f"fixed {name}: not found any more; its entry can go from the baseline"

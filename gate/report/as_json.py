"""The JSON report; its names hold exactly, since scripts outside the project read them."""

import json
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from capfuzz.gate.events import Acceptance, Finding, Report, Tally


def to_dict(report: Report) -> dict[str, Any]:
    """Return the report as JSON values."""
    return {
        "tool": {"name": "capfuzz", "version": version("capfuzz")},
        "target": {"spec": report.spec, "surface": report.surface},
        "seed": report.seed,
        "profile": report.profile,
        "families": list(report.families),
        "fail_on": str(report.fail_on),
        "verdict": report.verdict,
        "counts": report.counts,
        "invariants": {name: _tally(tally) for name, tally in report.invariants.items()},
        "matrix": {
            family: {name: _tally(tally) for name, tally in row.items()}
            for family, row in report.matrix.items()
        },
        "findings": [_finding(finding) for finding in report.findings],
        "accepted": {name: _acceptance(one) for name, one in report.accepted.items()},
        "fixed": list(report.fixed),
        "remarks": list(report.remarks),
        "notices": list(report.notices),
        "limits": list(report.limits),
        "source": None if report.source is None else asdict(report.source),
        "duration_s": round(report.duration_s, 3),
    }


def to_text(report: Report) -> str:
    """Return the report as the text of a file."""
    return json.dumps(to_dict(report), indent=2) + "\n"


def _tally(tally: Tally) -> dict[str, Any]:
    if not tally.observable:
        return {"observable": False}
    return {"checked": tally.checked, "broken": tally.broken}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "invariant": finding.invariant,
        "family": finding.family,
        "technique": finding.technique,
        "severity": str(finding.severity),
        "grant": finding.grant,
        "ops": finding.ops,
        "observed": finding.observed,
        "expected": finding.expected,
        "cwe": finding.cwe,
        "refs": list(finding.refs),
        "replay": finding.replay,
        "hits": finding.hits,
        "vector": finding.vector,
        "seen": [list(cell) for cell in finding.seen],
        "group": finding.group,
        "bug": finding.bug,
        "effect": finding.effect,
        "steps": [asdict(step) for step in finding.steps],
        "effects": _list(finding.effects),
    }


def _acceptance(one: Acceptance) -> dict[str, Any]:
    return {
        "reason": one.reason,
        "owner": one.owner,
        "expires": None if one.expires is None else one.expires.isoformat(),
        "expired": one.expired,
        "effects": _list(one.effects),
        "also": list(one.also),
    }


def _list(kinds: tuple[str, ...] | None) -> list[str] | None:
    return None if kinds is None else list(kinds)

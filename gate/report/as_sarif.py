"""The report as SARIF 2.1.0 (OASIS standard), as code scanning services read it."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from capfuzz.gate.events import Finding, Report
from capfuzz.gate.report import lines
from capfuzz.gate.report.markdown import code, literal
from capfuzz.gate.report.text import granted, printable

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_CWE = "https://cwe.mitre.org/data/definitions/{}.html"
# Code scanning services sort by this figure; these are the middles of their bands.
_SECURITY_SEVERITY = {"error": "8.0", "warning": "5.5", "note": "2.0"}
_ROOT = "SRCROOT"
_SETTINGS = "pyproject.toml"


def to_text(report: Report) -> str:
    """Return the log as the text of a file."""
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report)]}
    return json.dumps(log, indent=2) + "\n"


def _run(report: Report) -> dict[str, Any]:
    rules = _rules(report)
    indices = {rule["id"]: index for index, rule in enumerate(rules)}
    return {
        "tool": {
            "driver": {
                "name": "capfuzz",
                "semanticVersion": version("capfuzz"),
                "rules": rules,
            }
        },
        "automationDetails": {"id": printable(f"capfuzz/{report.spec}/")},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The folder in which capfuzz was started."}}
        },
        "invocations": [_invocation(report)],
        "results": [_result(report, finding, indices) for finding in report.findings],
        "properties": {
            "verdict": report.verdict,
            "seed": report.seed,
            "profile": report.profile,
            "fixed": list(report.fixed),
        },
    }


def _invocation(report: Report) -> dict[str, Any]:
    silent = [name for name, tally in report.invariants.items() if not tally.observable]
    told = [(f"not measured: {remark}", "warning") for remark in report.remarks]
    told += [(limit, "note") for limit in lines.limits(report)]
    told += [(f"not observable on this surface: {', '.join(silent)}", "note")] if silent else []
    return {
        "executionSuccessful": not report.remarks,
        "exitCode": report.exit_status,
        "toolExecutionNotifications": [
            {"level": level, "message": {"text": printable(text)}} for text, level in told
        ],
    }


def _rule_id(finding: Finding) -> str:
    return printable(f"{finding.invariant}/{finding.group or finding.technique}")


def _rules(report: Report) -> list[dict[str, Any]]:
    found: dict[str, list[Finding]] = {}
    for finding in report.findings:
        found.setdefault(_rule_id(finding), []).append(finding)
    return [_rule(rule_id, ours) for rule_id, ours in found.items()]


def _rule(rule_id: str, findings: list[Finding]) -> dict[str, Any]:
    heaviest = findings[0]
    weaknesses = dict.fromkeys(finding.cwe for finding in findings)
    note = printable(f"{heaviest.bug} {heaviest.effect}".strip() or heaviest.expected)
    return {
        "id": rule_id,
        "name": "".join(part.capitalize() for part in rule_id.replace("/", "-").split("-")),
        "shortDescription": {"text": f"{rule_id}: {printable(heaviest.bug or heaviest.expected)}"},
        "fullDescription": {"text": note},
        "help": {"text": _help(findings, plain=True), "markdown": _help(findings, plain=False)},
        "helpUri": _CWE.format(heaviest.cwe.removeprefix("CWE-")),
        "defaultConfiguration": {"level": str(heaviest.severity)},
        "properties": {
            "tags": ["security", *(f"external/cwe/{cwe.lower()}" for cwe in weaknesses)],
            "security-severity": _SECURITY_SEVERITY[heaviest.severity],
        },
    }


def _help(findings: list[Finding], *, plain: bool) -> str:
    heaviest = findings[0]
    see = dict.fromkeys(ref for finding in findings for ref in (finding.cwe, *finding.refs))
    told = {
        "What is wrong": heaviest.bug,
        "What it lets through": heaviest.effect,
        "Weaknesses and references": " ".join(see),
    }
    strong, block = ("{}", str) if plain else ("**{}**", code)
    escaped = printable if plain else literal
    parts = [f"{strong.format(label)}: {escaped(text)}" for label, text in told.items() if text]
    again = f"{strong.format('To see it again')}:\n\n{block(printable(heaviest.replay))}"
    return "\n\n".join((*parts, again))


def _result(report: Report, finding: Finding, indices: dict[str, int]) -> dict[str, Any]:
    known = lines.standing(finding, report)
    made = {
        "ruleId": _rule_id(finding),
        "ruleIndex": indices[_rule_id(finding)],
        "level": str(finding.severity),
        "message": {"text": lines.plain(finding, report)},
        "locations": [_location(report)],
        # What a service would work out itself goes by the text of one line, which several share.
        "partialFingerprints": {
            "capfuzzFinding/v1": finding.id,
            "primaryLocationLineHash": finding.id,
        },
        "occurrenceCount": finding.hits,
        "properties": {
            "id": finding.id,
            "family": printable(finding.family),
            "technique": printable(finding.technique),
            "grant": granted(finding.grant),
            "ops": finding.ops,
        },
    }
    if known:
        status = "underReview" if report.fails(finding) else "accepted"
        suppression = {"kind": "external", "status": status, "justification": known}
        made["suppressions"] = [suppression]
    return made


def _location(report: Report) -> dict[str, Any]:
    """Return the target's own lines; where it has none in the project, what names the target."""
    logical = {"fullyQualifiedName": printable(report.spec), "kind": "module"}
    made: dict[str, Any] = {"logicalLocations": [logical]}
    if report.source is not None:
        region = {"startLine": report.source.first, "endLine": report.source.last}
        made["physicalLocation"] = _file(report.source.path) | {"region": region}
    elif Path(_SETTINGS).is_file():  # code scanning services take no result without a file
        made["physicalLocation"] = _file(_SETTINGS)
    return made


def _file(path: str) -> dict[str, Any]:
    return {"artifactLocation": {"uri": quote(path), "uriBaseId": _ROOT}}

"""What an attack's report says, and whether that is what was expected of the version."""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from entries import Role, Side


class Status(StrEnum):
    """How a side came out."""

    AS_EXPECTED = "as expected"
    MISSED = "missed"  # a known fault was not found, or not by the right technique
    FALSE_ALARM = "false alarm"  # a version that must hold has a finding of severity error
    UNMEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of severity error: the names of its fault and the ops that reproduce it."""

    technique: str
    names: frozenset[str]
    ops: tuple[Any, ...]
    observed: str = ""

    def __str__(self) -> str:
        """Return the technique and the ops, cut to a line."""
        return f"{self.technique} ({json.dumps(list(self.ops))[:160]})"


@dataclass(frozen=True, slots=True)
class Report:
    """What is read from one JSON report; ``warnings`` counts the findings below error."""

    verdict: str
    errors: tuple[Finding, ...]
    warnings: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one side came out; ``found`` is the finding that shows the known fault."""

    side: Side
    status: Status
    verdict: str = "inconclusive"
    found: Finding | None = None
    remark: str = ""
    seconds: float = 0.0


class ReportError(ValueError):
    """A report cannot be read; the text says what is wrong with it."""


def report_from(text: str, groups: dict[str, str]) -> Report:
    """Return what a JSON report says; ``groups`` maps a technique to the group of its fault."""
    try:
        whole = json.loads(text)
        findings = whole["findings"]
        errors = tuple(_finding(one, groups) for one in findings if one["severity"] == "error")
        return Report(whole["verdict"], errors, len(findings) - len(errors))
    except (ValueError, KeyError, TypeError) as fault:
        raise ReportError(f"the report cannot be read: {type(fault).__name__}: {fault}") from fault


def _finding(one: dict[str, Any], groups: dict[str, str]) -> Finding:
    technique = one["technique"]
    names = frozenset({technique, one["family"], groups.get(technique, technique)})
    return Finding(technique, names, tuple(one["ops"]), str(one.get("observed", "")))


def judge(side: Side, report: Report, seconds: float = 0.0) -> Outcome:
    """Compare what was found in so many seconds with what is expected of the side."""
    return replace(_judged(side, report), seconds=seconds)


def _judged(side: Side, report: Report) -> Outcome:
    if report.verdict not in {"held", "broken"}:
        return Outcome(
            side, Status.UNMEASURED, report.verdict, remark="the verdict settles nothing"
        )
    if (report.verdict == "broken") != bool(report.errors):
        remark = f"the verdict is {report.verdict} with {len(report.errors)} findings of error"
        return Outcome(side, Status.UNMEASURED, report.verdict, remark=remark)
    return _must_break(side, report) if side.role is Role.VULNERABLE else _must_hold(side, report)


def _must_break(side: Side, report: Report) -> Outcome:
    if not report.errors:
        return Outcome(side, Status.MISSED, report.verdict, remark="held")
    wanted = set(side.entry.techniques)
    named = [one for one in report.errors if wanted & one.names]
    if not named:
        remark = f"found by {_listed(report.errors)}, not by {' or '.join(sorted(wanted))}"
        return Outcome(side, Status.MISSED, report.verdict, report.errors[0], remark)
    best = min(named, key=lambda one: len(one.ops))
    if len(best.ops) != 1:
        remark = f"the reproducer has {len(best.ops)} ops, one is enough"
        return Outcome(side, Status.MISSED, report.verdict, best, remark)
    return Outcome(side, Status.AS_EXPECTED, report.verdict, best)


def _must_hold(side: Side, report: Report) -> Outcome:
    known = set(side.entry.remaining)
    surprising = [one for one in report.errors if not known & one.names]
    if surprising:
        remark = f"has an error: {_listed(surprising)}"
        return Outcome(side, Status.FALSE_ALARM, report.verdict, surprising[0], remark)
    seen = frozenset[str]().union(*(one.names for one in report.errors))
    if known - seen:
        remark = f"the known {' and '.join(sorted(known - seen))} was not found"
        return Outcome(side, Status.MISSED, report.verdict, remark=remark)
    remark = f"but for the known {' and '.join(sorted(known))}" if known else ""
    return Outcome(side, Status.AS_EXPECTED, report.verdict, remark=remark)


def _listed(findings: list[Finding] | tuple[Finding, ...]) -> str:
    return "; ".join(str(one) for one in findings)


def exit_status(outcomes: list[Outcome]) -> int:
    """Return 1 after a miss or a false alarm, 2 where something could not be measured, else 0."""
    statuses = {outcome.status for outcome in outcomes}
    if statuses & {Status.MISSED, Status.FALSE_ALARM}:
        return 1
    return 2 if Status.UNMEASURED in statuses or not outcomes else 0

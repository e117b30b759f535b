"""``capfuzz baseline update``: a baseline brought up to date with a report."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from capfuzz.attacks.invariants import Severity
from capfuzz.gate.baseline import Entry, applied, read
from capfuzz.gate.baseline_text import edited
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Finding, Report
from capfuzz.gate.report import files
from capfuzz.targets.suggest import nearest

_HEAD = """\
# Findings that are accepted for now; `capfuzz attack --baseline` fails for all others.
# An entry fails again on the day after `expires`, if it has one, and where its finding shows by other
# kinds of effect than `effects`.
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms new findings are accepted, and which: those in ``only``, all if empty."""

    reason: str | None
    owner: str | None
    expires: date | None
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """The ids that an update has accepted, accepted again after they expired, and taken out."""

    added: tuple[str, ...]
    renewed: tuple[str, ...]
    removed: tuple[str, ...]


def update(path: str, report: Report, terms: Terms, day: date) -> Changes:
    """
    Bring a file up to date: accept what fails, take out what is fixed, leave the rest as it is.

    It is written whole or not at all. Raises `UsageError`.
    """
    exists = Path(path).exists()
    old = read(path) if exists else ()
    judged = applied(report, old, day)
    made = {one.id: _entry(one, report, terms) for one in _chosen(judged, terms.only)}
    changes = Changes(
        added=tuple(name for name in made if name not in judged.accepted),
        renewed=tuple(name for name in made if name in judged.accepted),
        removed=judged.fixed,
    )
    settled = {*changes.renewed, *changes.removed}
    fates = [
        made.pop(one.id, None) if one.id in settled and one.concerns(report.spec) else one
        for one in old
    ]
    text = Path(path).read_text(encoding="utf-8") if exists else _HEAD
    files.write(path, edited(path, text, old, fates, tuple(made.values())), what="the baseline")
    return changes


def _chosen(report: Report, only: Collection[str]) -> list[Finding]:
    """Return the findings that fail and are to be accepted."""
    order = list(Severity)
    weighty = order[: order.index(report.fail_on) + 1]
    known = {one.id for one in report.findings}
    for name in only:
        if name not in known:
            raise UsageError(f"--only {name}: not in the report{nearest(name, known)}")
    return [
        one
        for one in report.findings
        if report.fails(one) and (one.id in only if only else one.severity in weighty)
    ]


def _entry(finding: Finding, report: Report, terms: Terms) -> Entry:
    if not (terms.reason and terms.reason.strip() and terms.owner and terms.owner.strip()):
        raise UsageError(
            f"{finding.id} ({finding.invariant} by {finding.technique}) is not accepted yet: say why "
            "with --reason, and who answers for it with --owner"
        )
    return Entry(
        id=finding.id,
        reason=terms.reason,
        owner=terms.owner,
        expires=terms.expires,
        # A server's port may be another next time.
        target=None if report.spec.startswith(("http:", "https:")) else report.spec,
        family=finding.family,
        profile=report.profile,
        effects=finding.effects,
    )

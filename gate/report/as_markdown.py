"""The report as Markdown for a job summary: tables, and each finding folded away."""

from collections import Counter
from collections.abc import Iterator

from capfuzz.gate.events import Finding, Report
from capfuzz.gate.report import lines
from capfuzz.gate.report.markdown import code, literal
from capfuzz.gate.report.text import printable, tried

_MOST_TOLD = 50  # findings told in full; services take a summary of one megabyte
_LONG_REPLAY = 4_000  # characters


def to_text(report: Report) -> str:
    """Return the Markdown as the text of a file."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"## capfuzz: {report.verdict}"
    yield ""
    yield f"{_text(report.spec)} ({report.surface}): {_said(report)}."
    yield ""
    yield from _findings(report)
    yield from _invariants(report)
    yield f"{tried(report.counts)} (profile {report.profile}, seed {report.seed})."


def _said(report: Report) -> str:
    """Return what came out, in one line."""
    counts = Counter(str(finding.severity) for finding in report.findings)
    told = ", ".join(f"{count} {name}{'s' * (count > 1)}" for name, count in counts.items())
    accepted = sum(not report.fails(finding) for finding in report.findings)
    parts = [told or "no findings", *([f"{accepted} accepted"] if accepted else [])]
    return f"{', '.join(parts)}; exit status {report.exit_status}"


def _findings(report: Report) -> Iterator[str]:
    if report.findings:
        yield "| finding | severity | invariant | technique | family | hits | baseline |"
        yield "|---|---|---|---|---|---:|---|"
        for finding in report.findings:
            yield _row(report, finding)
        yield ""
    for finding in report.findings[:_MOST_TOLD]:
        yield from _details(report, finding)
    rest = len(report.findings) - _MOST_TOLD
    if rest > 0:
        yield f"{rest} more are told in full by the other formats."
        yield ""
    for told in (
        *map(lines.fixed, report.fixed),
        *lines.limits(report),
        *(f"not measured: {remark}" for remark in report.remarks),
    ):
        yield f"- {_text(told)}"
    yield ""


def _row(report: Report, finding: Finding) -> str:
    cells = (
        *(finding.id, finding.severity, finding.invariant, finding.technique, finding.family),
        *(str(finding.hits), lines.standing(finding, report)),
    )
    return f"| {' | '.join(map(_text, cells))} |"


def _details(report: Report, finding: Finding) -> Iterator[str]:
    named = f"{finding.id}: {finding.invariant} by {finding.technique}"
    yield f"<details><summary>{_text(named)}</summary>"
    yield ""
    yield code("\n".join(f"{label:>8}  {text}" for label, text in lines.labelled(finding, report)))
    yield ""
    yield code(_replay(finding))
    yield ""
    yield "</details>"
    yield ""


def _replay(finding: Finding) -> str:
    line = printable(finding.replay)
    if len(line) <= _LONG_REPLAY:
        return line
    return f"the replay line has {len(line)} characters; the JSON report holds it"


def _invariants(report: Report) -> Iterator[str]:
    yield "| invariant | checked | broken | outcome |"
    yield "|---|---:|---:|---|"
    for name, tally in report.invariants.items():
        if tally.observable:
            outcome = "**broken**" if tally.broken else "held"
            yield f"| {name} | {tally.checked} | {tally.broken} | {outcome} |"
        else:
            yield f"| {name} | | | not observable |"
    yield ""


def _text(text: str) -> str:
    return literal(printable(text))

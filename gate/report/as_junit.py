"""
The report as JUnit XML: a test case for every family and invariant of the matrix.

A case fails for a finding that makes the exit status 1; one that does not is told as skipped.
"""

from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from capfuzz.gate.events import Finding, Report
from capfuzz.gate.report import lines
from capfuzz.gate.report.text import printable

Cell = tuple[str, str]  # a family and an invariant

_KINDS = ("failure", "error", "skipped")


def to_text(report: Report) -> str:
    """Return the XML as the text of a file."""
    suite = ET.Element("testsuite", name=printable(f"capfuzz {report.spec}"))
    suite.append(_properties(report))
    suite.extend(_cases(report))
    _count(suite)
    suite.set("time", f"{report.duration_s:.3f}")
    whole = ET.Element("testsuites", {"name": "capfuzz", **_sums(suite)})
    whole.append(suite)
    ET.indent(whole)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(whole, encoding="unicode")}\n'


def _properties(report: Report) -> ET.Element:
    told = {
        "target": report.spec,
        "surface": report.surface,
        "profile": report.profile,
        "seed": report.seed,
        "verdict": report.verdict,
        "exit_status": report.exit_status,
        "fixed": " ".join(report.fixed),
    }
    made = ET.Element("properties")
    for name, value in told.items():
        ET.SubElement(made, "property", name=name, value=printable(str(value)))
    return made


def _cases(report: Report) -> Iterator[ET.Element]:
    cells = {(family, name) for family, row in report.matrix.items() for name in row}
    for cell in sorted(cells | set(map(_home, report.findings))):
        ours = [one for one in report.findings if cell in {*one.seen, _home(one)}]
        yield _case(report, cell, ours)
    for name, tally in report.invariants.items():
        if not tally.observable:
            yield _marked((report.surface, name), "skipped", "not observable")
    for limit in lines.limits(report):
        yield _marked((report.surface, "expressible"), "skipped", limit)
    for remark in report.remarks:
        yield _marked((report.surface, "measured"), "error", remark)


def _home(finding: Finding) -> Cell:
    """Return where a finding is told in full."""
    return finding.family, finding.invariant


def _case(report: Report, cell: Cell, findings: list[Finding]) -> ET.Element:
    if not findings:
        return _passed(cell)
    kind = "failure" if any(map(report.weighs, findings)) else "skipped"
    made = _marked(cell, kind, "; ".join(lines.title(one, report) for one in findings))
    made[0].text = "\n\n".join(_told(report, one, cell) for one in findings)
    return made


def _passed(cell: Cell) -> ET.Element:
    family, name = map(printable, cell)
    return ET.Element("testcase", classname=family, name=name)


def _marked(cell: Cell, kind: str, message: str) -> ET.Element:
    made = _passed(cell)
    ET.SubElement(made, kind, message=printable(message))
    return made


def _told(report: Report, finding: Finding, cell: Cell) -> str:
    if cell != _home(finding):
        title = lines.title(finding, report)
        return printable(f"{title}: told under {finding.family}, {finding.invariant}")
    return lines.plain(finding, report)


def _count(suite: ET.Element) -> None:
    counts = Counter(mark.tag for case in suite.iter("testcase") for mark in case)
    suite.set("tests", str(len(suite.findall("testcase"))))
    for kind, name in zip(_KINDS, ("failures", "errors", "skipped"), strict=True):
        suite.set(name, str(counts[kind]))


def _sums(suite: ET.Element) -> dict[str, str]:
    return {name: suite.attrib[name] for name in ("tests", "failures", "errors", "time")}

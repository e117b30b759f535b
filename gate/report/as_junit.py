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
    homes = {finding.id: _home(finding) for finding in report.findings}
    cells = {(family, name) for family, row in report.matrix.items() for name in row}
    for family, name in sorted(cells | set(homes.values())):
        shown = [
            finding
            for finding in report.findings
            if (family, name) in {*finding.seen, homes[finding.id]}
        ]
        yield _case(report, family, name, [(one, homes[one.id] == (family, name)) for one in shown])
    for name, tally in report.invariants.items():
        if not tally.observable:
            yield _marked(report.surface, name, "skipped", "not observable")
    for remark in report.remarks:
        yield _marked(report.surface, "measured", "error", remark)


def _home(finding: Finding) -> tuple[str, str]:
    """Return the family and invariant under which a finding is told in full."""
    return finding.family, finding.invariant


def _case(report: Report, family: str, name: str, shown: list[tuple[Finding, bool]]) -> ET.Element:
    if not shown:
        return ET.Element("testcase", classname=printable(family), name=name)
    weighs = any(report.weighs(finding) for finding, _ in shown)
    message = "; ".join(lines.title(finding, report) for finding, _ in shown)
    made = _marked(family, name, "failure" if weighs else "skipped", message)
    made[0].text = "\n\n".join(_told(report, finding, at_home) for finding, at_home in shown)
    return made


def _marked(classname: str, name: str, kind: str, message: str) -> ET.Element:
    made = ET.Element("testcase", classname=printable(classname), name=name)
    ET.SubElement(made, kind, message=printable(message))
    return made


def _told(report: Report, finding: Finding, at_home: bool) -> str:  # noqa: FBT001 - read beside its pair
    if not at_home:
        title = lines.title(finding, report)
        return printable(f"{title}: told under {finding.family}, {finding.invariant}")
    return "\n".join(filter(None, (lines.plain(finding, report), lines.standing(finding, report))))


def _count(suite: ET.Element) -> None:
    counts = Counter(mark.tag for case in suite.iter("testcase") for mark in case)
    suite.set("tests", str(len(suite.findall("testcase"))))
    for kind, name in zip(_KINDS, ("failures", "errors", "skipped"), strict=True):
        suite.set(name, str(counts[kind]))


def _sums(suite: ET.Element) -> dict[str, str]:
    return {name: suite.attrib[name] for name in ("tests", "failures", "errors", "time")}

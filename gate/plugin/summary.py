"""The end of a run of pytest: what came out of each attack, and what no test fails for."""

from typing import Any

from capfuzz.gate.plugin.shared import reports
from capfuzz.gate.report import lines
from capfuzz.gate.report.text import printable, tried


def show(folder: str, terminal: Any) -> None:
    """Write a line for each attack, each finding that is too light to fail, each that is fixed."""
    for report in reports(folder):
        terminal.section(f"capfuzz: {printable(report.spec)}", sep="-")
        terminal.line(f"{report.verdict}: {tried(report.counts)} (seed {report.seed})")
        for finding in report.findings:
            if not report.severe(finding):
                terminal.line(lines.title(finding, report))
        for name in report.fixed:
            terminal.line(lines.fixed(name))

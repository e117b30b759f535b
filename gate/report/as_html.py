"""The report as one page that needs nothing else: no network, no server, no other file."""

from importlib.metadata import version

from capfuzz.gate.events import Report
from capfuzz.gate.report import page
from capfuzz.gate.report.html_parts import environment, part, policy
from capfuzz.gate.report.text import tried
from markupsafe import Markup


def to_text(report: Report) -> str:
    """Return the page as the text of a file."""
    style, script = part("page.css"), part("page.js")
    families = sorted({family for one in report.findings for family in page.families(one)})
    places = {family: place for place, family in enumerate(families)}
    return (
        environment()
        .get_template("page.html")
        .render(
            report=report,
            version=version("capfuzz"),
            tried=tried(report.counts),
            said=page.said(report),
            silent=[name for name, tally in report.invariants.items() if not tally.observable],
            columns=page.columns(report),
            heat=page.heat(report),
            findings=[page.shown(finding, report) for finding in report.findings],
            places=places,
            severities=page.severities(report),
            policy=policy(style, script),
            style=Markup(style),  # noqa: S704 - our own files
            script=Markup(script),  # noqa: S704
        )
    )

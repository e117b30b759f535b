"""The report as one page that needs nothing else: no network, no server, no other file."""

import base64
import hashlib
from importlib.metadata import version
from importlib.resources import files

from capfuzz.gate.events import Report
from capfuzz.gate.report import lines, page
from capfuzz.gate.report.text import cut, granted, printable, short, tried
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

_PARTS = files("capfuzz.gate.report") / "html"


def to_text(report: Report) -> str:
    """Return the page as the text of a file."""
    style, script = _part("page.css"), _part("page.js")
    families = sorted({family for one in report.findings for family in page.families(one)})
    places = {family: place for place, family in enumerate(families)}
    return (
        _environment()
        .from_string(_part("page.html"))
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
            policy=_policy(style, script),
            style=Markup(style),  # noqa: S704 - our own files
            script=Markup(script),  # noqa: S704
        )
    )


def _environment() -> Environment:
    """Return an environment that escapes whatever it puts out, for HTML and for eyes."""
    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else printable(str(value)),
    )
    made.filters.update(short=short, cut=cut, granted=granted, fixed=lines.fixed, inside=_inside)
    return made


def _inside(value: object) -> Markup:
    """Return text to stand between tags, where quotes mean nothing; escaped, they would double it."""
    text = str(escape(printable(str(value))))
    return Markup(text.replace("&#34;", '"').replace("&#39;", "'"))  # noqa: S704 - escaped above


def _part(name: str) -> str:
    return (_PARTS / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return the content security policy: our own style and script, by their digests, and no more."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(script)}'",
            "img-src data:",  # the empty icon, without which a browser asks a server for one
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

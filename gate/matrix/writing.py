"""The matrix as a file: JSON for programs, Markdown for a repository, a page for a browser."""

import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from capfuzz.gate.matrix.results import Cell, Matrix, System
from capfuzz.gate.matrix.shown import LEGEND, costs, summary, told
from capfuzz.gate.report import as_json, lines
from capfuzz.gate.report.html_parts import environment, part, policy
from capfuzz.gate.report.markdown import code, literal
from markupsafe import Markup


def to_json(matrix: Matrix) -> str:
    """Return the matrix as JSON; times are in seconds, and each report is as ``attack`` writes it."""
    whole = {
        "tool": {"name": "capfuzz", "version": version("capfuzz")},
        "machine": matrix.machine,
        "date": matrix.date,
        "profile": matrix.profile,
        "seed": matrix.seed,
        "systems": [_system(one) for one in matrix.systems],
    }
    return json.dumps(whole, indent=2) + "\n"


def _system(one: System) -> dict[str, Any]:
    return {
        "name": one.name,
        "meaning": one.meaning,
        "version": one.version,
        "verdict": one.verdict,
        "why_not": one.why_not,
        "cold_start_s": one.cold_start,
        "op_s": one.answer,
        "families": {family: _cell(cell) for family, cell in one.cells.items()},
        "report": None if one.report is None else as_json.to_dict(one.report),
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "outcome": str(cell.outcome),
        "asked": cell.asked,
        "whole": cell.whole,
        "broken": cell.broken,
    }


def to_markdown(matrix: Matrix) -> str:
    """Return the table, and below it for each system its version, limits and findings."""
    tried = [one for one in matrix.systems if one.cells]
    rows = [
        ["family", *(literal(one.name) for one in tried)],
        ["---"] * (len(tried) + 1),
        *(
            [family, *(_short(one.cells.get(family)) for one in tried)]
            for family in matrix.families
        ),
        *costs(tried),
    ]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    head = (
        f"{literal(matrix.machine)}; {matrix.date}; profile {matrix.profile}, seed {matrix.seed}."
    )
    parts = [
        "# Sandboxes of the system under attack",
        head,
        table,
        LEGEND,
        *(_section(one) for one in matrix.systems),
    ]
    return "\n\n".join(parts) + "\n"


def _short(cell: Cell | None) -> str:
    return "" if cell is None else told(cell)


def _section(one: System) -> str:
    told_of = (
        f"## {literal(one.name)}: {one.verdict}",
        literal(one.meaning),
        literal(summary(one)),
    )
    lead = "\n\n".join(told_of)
    if one.report is None:
        return lead
    limits = "\n".join(f"- {literal(limit)}" for limit in lines.limits(one.report))
    found = [code(lines.plain(finding, one.report)) for finding in one.report.findings]
    return "\n\n".join(filter(None, (lead, limits, *found)))


def to_html(matrix: Matrix) -> str:
    """Return the matrix as one page that needs nothing else."""
    style = part("page.css") + part("matrix.css")
    tried = [one for one in matrix.systems if one.cells]
    return (
        environment()
        .get_template("matrix.html")
        .render(
            matrix=matrix,
            tried=tried,
            costs=costs(tried),
            version=version("capfuzz"),
            policy=policy(style, ""),
            style=Markup(style),  # noqa: S704 - our own files
            told=told,
            summary=summary,
            limits=lines.limits,
            title=lines.title,
            labelled=lines.labelled,
        )
    )


FORMATS: dict[str, Callable[[Matrix], str]] = {
    "json": to_json,
    "html": to_html,
    "markdown": to_markdown,
}
"""By the name of an option: what makes the text of the file."""

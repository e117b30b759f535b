"""What was measured, as tables for a person and as JSON for programs."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from capfuzz.gate.bench.interpreter import Build
from capfuzz.gate.bench.results import Change, Outcome, Row
from capfuzz.gate.events import Report
from capfuzz.gate.report import as_json, terminal
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

_COLOURS = {Outcome.HELD: "green", Outcome.SLOWER: "red", Outcome.UNDECIDED: "yellow"}
_GROUPS = {"roots": "granted roots", "hosts": "granted hosts", "depth": "segments in the path"}


@dataclass(frozen=True, slots=True)
class Outcomes:
    """
    Everything that a run of ``capfuzz bench`` showed.

    ``hunt`` is the search for complexity faults as a report; ``against`` names what the changes are
    to, None where nothing was compared, and ``limit`` is how much slower is too slow, a fraction.
    """

    hunt: Report
    build: Build
    processes: int
    rows: tuple[Row, ...]
    against: str | None
    limit: float
    changes: tuple[Change, ...]

    @property
    def verdict(self) -> str:
        """``broken`` for a fault or a slowdown, ``inconclusive`` where noise hides whether."""
        outcomes = {change.outcome for change in self.changes}
        if self.hunt.findings or Outcome.SLOWER in outcomes:
            return "broken"
        return "inconclusive" if Outcome.UNDECIDED in outcomes else "held"


def show(outcomes: Outcomes, console: Console) -> None:
    """Print the tables, the findings and the verdict."""
    if outcomes.rows:
        console.print(_kinds(outcomes))
        for group, meaning in _GROUPS.items():
            rows = [row for row in outcomes.rows if row.group == group]
            if len({row.size for row in rows}) > 1:
                console.print(_growth(rows, meaning))
    if outcomes.changes:
        console.print(_changes(outcomes))
    if outcomes.hunt.counts["ops"] or outcomes.hunt.findings:
        terminal.show(outcomes.hunt, console)
    else:
        for remark in outcomes.hunt.remarks:
            console.print(Text(f"not measured: {remark}", style="yellow"))
    if outcomes.rows:
        console.print(_summary(outcomes), soft_wrap=True)


def to_text(outcomes: Outcomes) -> str:
    """Return the JSON report as the text of a file."""
    return json.dumps(to_dict(outcomes), indent=2) + "\n"


def to_dict(outcomes: Outcomes) -> dict[str, Any]:
    """Return the report as JSON values: an attack's, with what was timed beside it."""
    return {
        **as_json.to_dict(outcomes.hunt),
        "verdict": outcomes.verdict,
        "build": asdict(outcomes.build),
        "processes": outcomes.processes,
        "benchmarks": [_benchmark(row) for row in outcomes.rows],
        "growth": [_factors(group, outcomes.rows) for group in _GROUPS],
        "comparison": _comparison(outcomes),
    }


def _benchmark(row: Row) -> dict[str, Any]:
    ratio = row.ratio
    return {
        "name": row.name,
        "kind": row.kind,
        "group": row.group,
        "size": row.size,
        "allowed": row.allowed,
        "us_per_op": round(row.time / 1000, 4),
        "ratio": round(ratio.ratio, 4),
        "ratio_interval": [round(ratio.low, 4), round(ratio.high, 4)],
        "calls": row.calls,
        "rounds": len(row.nanoseconds),
    }


def _factors(group: str, rows: Iterable[Row]) -> dict[str, Any]:
    mine = [row for row in rows if row.group == group]
    return {
        "over": group,
        "allowed": _by_size([row for row in mine if row.allowed]),
        "denied": _by_size([row for row in mine if not row.allowed]),
    }


def _by_size(rows: Sequence[Row]) -> dict[str, float]:
    """Return for each size how much more an op costs than at the smallest."""
    return {str(row.size): round(row.ratio.ratio / rows[0].ratio.ratio, 3) for row in rows}


def _comparison(outcomes: Outcomes) -> dict[str, Any] | None:
    if outcomes.against is None:
        return None
    return {
        "against": outcomes.against,
        "fail_above": outcomes.limit,
        "changes": [
            {
                "name": change.name,
                "ratio": round(change.paired.ratio, 4),
                "interval": [round(change.paired.low, 4), round(change.paired.high, 4)],
                "outcome": str(change.outcome),
            }
            for change in outcomes.changes
        ],
    }


def _kinds(outcomes: Outcomes) -> Table:
    title = f"{escape(outcomes.hunt.spec)} ({outcomes.hunt.surface})"
    table = _table(title, "op", "us", "x unit", "us denied", "x unit", "denied/allowed")
    rows = [row for row in outcomes.rows if row.group == "kind"]
    for kind in dict.fromkeys(row.kind for row in rows):
        allowed = next((row for row in rows if row.kind == kind and row.allowed), None)
        denied = next((row for row in rows if row.kind == kind and not row.allowed), None)
        both = _by(denied, allowed) if denied and allowed else "-"
        table.add_row(kind, *_cells(allowed), *_cells(denied), both)
    return table


def _growth(rows: Sequence[Row], meaning: str) -> Table:
    table = _table("", meaning, "us", "growth", "us denied", "growth")
    allowed = {row.size: row for row in rows if row.allowed}
    denied = {row.size: row for row in rows if not row.allowed}
    for size in sorted({*allowed, *denied}):
        cells = [cell for side in (allowed, denied) for cell in _grown(side, size)]
        table.add_row(f"{size:,}", *cells)
    return table


def _changes(outcomes: Outcomes) -> Table:
    against = escape(str(outcomes.against))
    title = f"against {against}, fail above {100 * outcomes.limit:g} %"
    table = _table(title, "benchmark", "change", "from", "to", "outcome")
    for change in outcomes.changes:
        paired = change.paired
        cells = (_per_cent(one) for one in (paired.ratio, paired.low, paired.high))
        outcome = Text(str(change.outcome), style=_COLOURS[change.outcome])
        table.add_row(change.name, *cells, outcome)
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title or None, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right")
    return table


def _cells(row: Row | None) -> tuple[str, str]:
    return ("-", "-") if row is None else (_micro(row), f"{row.ratio.ratio:.1f}")


def _grown(side: dict[int, Row], size: int) -> tuple[str, str]:
    if size not in side:
        return "-", "-"
    return _micro(side[size]), _by(side[size], side[min(side)])


def _micro(row: Row) -> str:
    return f"{row.time / 1000:.3g}" if row.time < 1e6 else f"{row.time / 1000:,.0f}"  # noqa: PLR2004 - a millisecond


def _by(row: Row, base: Row) -> str:
    return f"{row.ratio.ratio / base.ratio.ratio:.2f}x"


def _per_cent(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.1f} %"


def _summary(outcomes: Outcomes) -> Text:
    build = outcomes.build
    optimised = "with PGO" if build.optimised else "without PGO"
    said = (
        f": {_benchmarks(len(outcomes.rows))}, {_processes(outcomes.processes)}, "
        f"in {outcomes.hunt.duration_s:.1f} s on {build.implementation} {build.version} "
        f"({build.compiler}, {optimised}, {build.machine}); "
        f"a unit is a fixed piece of plain Python, timed in turn with each{_left_out(outcomes)}"
    )
    colour = terminal.COLOURS[outcomes.verdict]
    return Text.assemble((outcomes.verdict, f"bold {colour}"), said)


def _benchmarks(number: int) -> str:
    return "1 benchmark" if number == 1 else f"{number} benchmarks"


def _processes(number: int) -> str:
    return "from one process" if number == 1 else f"the median of {number} processes"


def _left_out(outcomes: Outcomes) -> str:
    """Return why the verdict may be better than the list of what was not measured."""
    said = "; what was not measured does not change the exit status"
    return said if outcomes.hunt.remarks else ""

"""The matrix on a terminal: families down, systems across."""

from typing import IO

from capfuzz.gate.events import Report
from capfuzz.gate.matrix.results import Cell, Matrix, Outcome, System
from capfuzz.gate.report import lines, terminal
from capfuzz.gate.report.text import printable
from rich.console import Console
from rich.table import Table
from rich.text import Text

_COLOURS = {
    Outcome.HELD: "green",
    Outcome.BROKEN: "red",
    Outcome.NOT_EXPRESSIBLE: "dim",
    Outcome.INCONCLUSIVE: "yellow",
}
_SIGNS = {
    Outcome.HELD: "held",
    Outcome.BROKEN: "BROKEN",
    Outcome.NOT_EXPRESSIBLE: "-",
    Outcome.INCONCLUSIVE: "?",
}
LEGEND = (
    "held n/m: n of m vectors could be asked and held.  -: not expressible, not tried.  "
    "?: inconclusive."
)
_WIDE = 1_000  # columns where there is no terminal to be as wide as: every system needs one


def show(matrix: Matrix, out: IO[str] | None) -> None:
    """
    Print the table, then a line for each system, and each of its findings with its replay line.

    ``out`` is None for standard error.
    """
    console = Console(file=out, stderr=out is None)
    if not console.is_terminal:
        console = Console(file=out, stderr=out is None, width=_WIDE)
    tried = [one for one in matrix.systems if one.cells]
    if tried:
        console.print(_table(matrix.families, tried))
        console.print(LEGEND, style="dim", highlight=False)
    for one in matrix.systems:
        console.print(_line(one), soft_wrap=True)
        if one.report:
            _show_findings(one.report, console)


def _show_findings(report: Report, console: Console) -> None:
    for one in report.findings:
        told = f"  {lines.title(one, report)}: {printable(one.observed)}"
        console.print(Text(told), soft_wrap=True)
        console.print(Text("  " + printable(one.replay), style="dim"), soft_wrap=True)


def _table(families: list[str], systems: list[System]) -> Table:
    table = Table()
    table.add_column("family")
    for one in systems:
        table.add_column(printable(one.name), no_wrap=True)
    for family in families:
        table.add_row(family, *(_cell(one.cells.get(family)) for one in systems))
    table.add_section()
    for row in costs(systems):
        table.add_row(*row)
    return table


def _cell(cell: Cell | None) -> Text:
    if cell is None:
        return Text("")
    return Text(told(cell), style=_COLOURS[cell.outcome])


def told(cell: Cell) -> str:
    """Return a cell in a few characters, with how much was asked where that was not all."""
    part = f" {cell.asked}/{cell.whole}" if 0 < cell.asked < cell.whole else ""
    return f"{_SIGNS[cell.outcome]}{part}"


def costs(systems: list[System]) -> list[list[str]]:
    """Return the rows of what the systems cost, each with its heading."""
    return [
        ["cold start, ms", *(_milliseconds(one.cold_start) for one in systems)],
        ["an op, ms", *(_milliseconds(one.answer, digits=2) for one in systems)],
    ]


def _milliseconds(seconds: float | None, digits: int = 0) -> str:
    """Return a time in milliseconds, nothing where none was measured."""
    return "" if seconds is None else f"{seconds * 1000:.{digits}f}"


def _line(one: System) -> Text:
    colour = terminal.COLOURS.get(one.verdict, "dim")
    said = printable(summary(one))
    return Text.assemble(f"{printable(one.name)}: ", (one.verdict, colour), f": {said}")


def summary(one: System) -> str:
    """Return how much was tried and found, how long that took, and the version; else why not."""
    if one.report is None:
        return one.why_not or ""
    found = f"findings: {len(one.report.findings)}, " if one.report.findings else ""
    return f"{found}{one.report.counts['ops']} ops in {one.report.duration_s:.0f} s ({one.version})"

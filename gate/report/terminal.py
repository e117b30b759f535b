"""The terminal: a progress bar for a person, plain lines in CI, the table at the end."""

from types import TracebackType
from typing import Self

from capfuzz.gate.events import Finding, Progress, Report
from capfuzz.gate.report import lines
from capfuzz.gate.report.text import printable, tried
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

COLOURS = {"held": "green", "broken": "red", "inconclusive": "yellow"}
_SEVERITY_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


class Ticker:
    """Shows how far a campaign has come: a bar on a terminal, one line a stage elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Bar(
            TextColumn("{task.description:>10}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._tasks: dict[str, object] = {}

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal clean."""
        self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Show one event."""
        if not self._console.is_terminal:
            if progress.done == progress.total:
                self._console.print(f"{progress.stage}: {progress.done} done", highlight=False)
            return
        if progress.stage not in self._tasks:
            self._tasks[progress.stage] = self._bar.add_task(progress.stage, total=progress.total)
        task = self._tasks[progress.stage]
        self._bar.update(task, completed=progress.done, total=progress.total)  # type: ignore[arg-type]  # rich keeps its ids opaque


def show(report: Report, console: Console) -> None:
    """Print the table of invariants, each finding, what was not observable, and the verdict."""
    console.print(_invariants(report))
    for finding in filter(report.fails, report.findings):
        console.print(_panel(finding, report))
        # Outside the frame and unbroken, so that it can be copied.
        console.print(Text(printable(finding.replay)), soft_wrap=True)
    for name, known in report.accepted.items():
        if known.also:
            console.print(Text(lines.beyond(name, known), style="red"), soft_wrap=True)
        elif known.holds:
            console.print(Text(lines.acceptance(name, known), style="dim"), soft_wrap=True)
    for name in report.fixed:
        console.print(Text(lines.fixed(name), style="green"), soft_wrap=True)
    for limit in lines.limits(report):
        console.print(Text(limit, style="dim"), soft_wrap=True)
    for remark in report.remarks:
        console.print(Text(f"not measured: {remark}", style="yellow"))
    for notice in report.notices:
        console.print(Text(f"note: {notice}"))
    console.print(_verdict(report), soft_wrap=True)


def _invariants(report: Report) -> Table:
    table = Table(title=f"{escape(report.spec)} ({report.surface})", title_justify="left")
    table.add_column("invariant")
    table.add_column("checked", justify="right")
    table.add_column("broken", justify="right")
    table.add_column("outcome")
    for name, tally in report.invariants.items():
        if not tally.observable:
            table.add_row(name, "-", "-", Text("not observable", style="dim"))
            continue
        outcome = Text("broken", style="red") if tally.broken else Text("held", style="green")
        table.add_row(name, str(tally.checked), str(tally.broken), outcome)
    return table


def _panel(finding: Finding, report: Report) -> Panel:
    body = Text("\n").join(
        Text.assemble((f"{label:>8}  ", "bold"), value)
        for label, value in lines.labelled(finding, report)
    )
    colour = _SEVERITY_COLOURS[finding.severity]
    title = escape(lines.title(finding, report))
    return Panel(body, title=title, title_align="left", border_style=colour)


def _verdict(report: Report) -> Text:
    colour = COLOURS[report.verdict]
    known = " (accepted)" if report.verdict == "broken" and report.exit_status == 0 else ""
    told = f"{tried(report.counts)} in {report.duration_s:.1f} s (seed {report.seed})"
    return Text.assemble((f"{report.verdict}{known}", f"bold {colour}"), f": {told}")

"""``capfuzz selftest``: the command that shows whether the suite bites, and whom."""

import signal
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from capfuzz.gate.selftest import Plan

_EPILOG = """\b
Examples:
  capfuzz selftest                                  # sessions, paths and hosts, ten seeds
  capfuzz selftest --seeds 1 --profile quick        # a first look
  capfuzz selftest --only links_followed --seeds 3  # one fault
  capfuzz selftest --json selftest.json"""


@click.command(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.option(
    "--profile",
    type=click.Choice(["quick", "standard", "deep"]),
    default="standard",
    show_default=True,
    help="How much is tried.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1, max=10_000),
    default=10,
    show_default=True,
    help="Try with the seeds 0 to N-1.",
    metavar="N",
)
@click.option(
    "--surface",
    multiple=True,
    type=click.Choice(["session", "path", "host", "ssrf", "archive", "eval", "http", "mcp"]),
    default=("session", "path", "host"),
    show_default=True,
    help="The targets of this surface; may be repeated.",
)
@click.option("--only", multiple=True, metavar="NAME", help="Only this target; may be repeated.")
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1, max=256),
    metavar="N",
    help="Worker processes (default: the cores that this process may use).",
)
@click.option("--json", "json_path", help="Write the JSON report to this file, - for stdout.")
@click.option("--debug", is_flag=True, help="Show the traceback of what could not be measured.")
def selftest(**options: Any) -> int:
    """
    Attack the faulty and the right targets that come with the suite.

    Each fault must be killed with every seed and no right target accused. Exit status: 0 it is so,
    1 a fault survived or a right target was accused, 2 something could not be measured.
    """
    from capfuzz.gate.report.files import check_writable  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.selftest import Plan, chosen  # noqa: PLC0415
    from capfuzz.gate.workers import cores  # noqa: PLC0415

    if options["json_path"] is not None:
        check_writable(options["json_path"])
    faults, rights = chosen(options["only"], options["surface"])
    plan = Plan(
        faults=faults,
        rights=rights,
        seeds=range(options["seeds"]),
        profile=options["profile"],
        jobs=options["jobs"] or cores(),
    )
    signal.signal(signal.SIGTERM, _leave)
    return run(plan, options["json_path"], debug=options["debug"])


def run(plan: "Plan", json_path: str | None, *, debug: bool = False) -> int:
    """Run a self-test, show and write what came out, and return the exit status."""
    from capfuzz.gate.events import Progress  # noqa: PLC0415
    from capfuzz.gate.report import files  # noqa: PLC0415
    from capfuzz.gate.report import selftest as report  # noqa: PLC0415
    from capfuzz.gate.report.terminal import Ticker  # noqa: PLC0415
    from capfuzz.gate.selftest import selftest as events  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415

    with Ticker(Console(stderr=True)) as ticker:
        for event in events(plan):
            if isinstance(event, Progress):
                ticker.show(event)
            else:
                result = event
    report.show(result, Console(stderr=json_path == files.STDOUT))
    if debug:
        for problem in result.problems:
            click.echo(problem, err=True)
    if json_path is not None:
        files.write(json_path, report.to_text(result))
    return result.exit_status


def _leave(_signal: int, _frame: object) -> None:
    """Turn a polite request to end into an exit that ends the workers first."""
    raise SystemExit(128 + signal.SIGTERM)

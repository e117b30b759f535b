"""``capfuzz baseline``: the commands about the findings that a team lives with."""

import os
import tempfile
from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import click
from capfuzz.gate import offers
from capfuzz.gate.cli_options import campaign_options, request_of, spec_argument, target_options
from capfuzz.gate.cli_shared import CONTEXT, examples, told
from capfuzz.gate.settings import Command

if TYPE_CHECKING:
    from capfuzz.gate.events import Report


@click.group(
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz baseline update baseline.toml --reason 'see #12' --owner ana",
        "capfuzz baseline show baseline.toml",
        "capfuzz attack --baseline baseline.toml",
    ),
)
def baseline() -> None:
    """
    Keep the findings that a team lives with in a file.

    An entry has the id of a finding, a reason, an owner, and the last day (UTC) on which it is
    accepted, if there is one. What is accepted does not fail `capfuzz attack --baseline FILE`; new
    findings, expired ones, and those that show by another kind of effect do.
    """


@baseline.command(
    cls=Command,
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz baseline update baseline.toml py:my.sandbox:make --reason 'see #12' --owner ana",
        "capfuzz baseline update baseline.toml --from report.json --reason '...' --owner ana \\",
        "    --only CF-0123456789 --expires 2026-12-31",
        "capfuzz baseline update baseline.toml --from report.json   # takes out what is fixed",
    ),
)
@click.argument("file", type=click.Path())
@spec_argument
@click.option(
    "--from",
    "source",
    type=click.Path(),
    metavar="REPORT",
    help="Read this JSON report, attack nothing.",
)
@click.option(
    "--only",
    multiple=True,
    shell_complete=offers.findings,
    metavar="ID",
    help="Accept this finding; may be repeated.",
)
@click.option("--reason", help="Why what is new is accepted.")
@click.option("--owner", help="Who answers for it.")
@click.option(
    "--expires",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DAY",
    help="The last day on which it is accepted, such as 2026-12-31.",
)
@target_options
@campaign_options
def update(file: str, spec: str, **options: Any) -> int:
    """
    Accept in FILE what fails, and take out of it what is fixed.

    SPEC is attacked (default: the reference engine), or the report of an attack is read. Entries that
    still hold, and comments, stay as they are. With --only nothing else is accepted.
    """
    from capfuzz.gate import baseline_update as run  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.baseline import read, today  # noqa: PLC0415
    from capfuzz.gate.report import files, from_json  # noqa: PLC0415

    files.check_writable(file, what="the baseline")
    if os.path.exists(file):
        read(file)
    source = options["source"]
    report = _attacked(spec, options) if source is None else from_json.read(source)
    if report is None:
        return 2
    terms = run.Terms(
        options["reason"], options["owner"], _day(options["expires"]), options["only"]
    )
    changes = run.update(file, report, terms, today())
    _tell(file, changes.added, "accepted")
    _tell(file, changes.renewed, "accepted again")
    _tell(file, changes.removed, "taken out, not found any more")
    if not any((changes.added, changes.renewed, changes.removed)):
        click.echo(f"{file}: nothing to change")
    return 0


@baseline.command(context_settings=CONTEXT, epilog=examples("capfuzz baseline show baseline.toml"))
@click.argument("file", type=click.Path())
def show(file: str) -> int:
    """List the entries of FILE, and which have expired."""
    from capfuzz.gate import effects  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.baseline import read, today  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table("id", "target", "effects", "owner", "until", "reason")
    for one in read(file):
        expired = Text(" expired", style="red") if one.expired(today()) else ""
        until = Text.assemble(str(one.expires or "-"), expired)
        target = Text(one.target or "any")
        kinds = "any" if one.effects is None else effects.told(one.effects)
        table.add_row(one.id, target, kinds, Text(one.owner), until, Text(one.reason))
    Console().print(table)
    return 0


def _attacked(spec: str, options: Mapping[str, Any]) -> "Report | None":
    """Return the report of an attack, None where nothing could be measured."""
    from capfuzz.gate.attack import work  # noqa: PLC0415
    from capfuzz.gate.report import from_json  # noqa: PLC0415
    from capfuzz.gate.supervise import supervised  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="capfuzz-baseline-") as folder:
        path = os.path.join(folder, "report.json")
        request = request_of(spec, options, [("json", path)])
        status = supervised(
            lambda heart: told(lambda: work(request, heart), options["debug"]), spec
        )
        return from_json.read(path) if status != 2 else None  # noqa: PLR2004 - as the contract has it


def _day(given: datetime | None) -> date | None:
    return None if given is None else given.date()


def _tell(file: str, ids: tuple[str, ...], what: str) -> None:
    for one in ids:
        click.echo(f"{file}: {one} {what}")

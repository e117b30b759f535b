"""``capfuzz lint``: what is to be said of a grant before it is in force."""

from typing import Any

import click
from capfuzz.gate.cli_options import DIALECTS
from capfuzz.gate.cli_shared import CONTEXT, examples, told


@click.command(
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz lint GRANT.toml",
        "capfuzz lint GRANT.toml --dialect windows --dialect case-insensitive",
        "capfuzz lint GRANT.toml --fail-on warning --json remarks.json",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="GRANT.toml...")
@click.option(
    "--dialect",
    multiple=True,
    type=click.Choice(DIALECTS),
    help="How the target reads a spelling; may be repeated.",
)
@click.option(
    "--json", "json_path", metavar="FILE", help="Write the remarks as JSON, - for stdout."
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note"]),
    default="error",
    show_default=True,
    help="The least severity that makes the exit status 1.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def lint(files: tuple[str, ...], **options: Any) -> int:
    """
    Look for what is wrong with a grant: dead entries, roots that reach too far, no budgets.

    Each remark has a rule (CL101, ...), a place, why it matters and what to do. The corpus has a
    linter of its own: capfuzz corpus lint.
    """
    return told(lambda: _lint(files, options), options["debug"])


def _lint(files: tuple[str, ...], options: dict[str, Any]) -> int:
    from capfuzz.attacks.invariants import Severity  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.grants import linter  # noqa: PLC0415
    from capfuzz.gate.report.files import STDOUT, check_writable, write  # noqa: PLC0415
    from capfuzz.targets.grant_file import read  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415

    json_path, dialect = options["json_path"], frozenset(options["dialect"])
    if json_path is not None:
        check_writable(json_path)
    found = [(file, linter.lint(file, dialect)) for file in map(read, files)]
    if json_path != STDOUT:
        console = Console()
        for file, remarks in found:
            linter.show(file, remarks, console)
    if json_path is not None:
        write(
            json_path,
            linter.dumped([one for file, all_ in found for one in linter.as_json(file, all_)]),
        )
    return int(any(linter.fails(remarks, Severity(options["fail_on"])) for _, remarks in found))

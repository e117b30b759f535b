"""``capfuzz matrix``: many systems, one table."""

from typing import Any

import click
from capfuzz.gate.cli_options import campaign_options, request_of
from capfuzz.gate.cli_shared import CONTEXT, examples, op_timeout, told
from capfuzz.gate.settings import Command

_NAMES = "one or more of capfuzz targets, with commas between"


@click.command(
    cls=Command,
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz matrix                                  # every sandbox that runs here",
        "capfuzz matrix --targets bwrap,gvisor,landlock",
        "capfuzz matrix --family kernel-files --html matrix.html --json matrix.json",
    ),
)
@click.option(
    "--targets", "names", multiple=True, metavar="NAME,...", help=f"Only these: {_NAMES}."
)
@campaign_options
@op_timeout(help="Seconds that one op may take.")
@click.option("--json", "json", metavar="FILE", help="Write the matrix as JSON, - for stdout.")
@click.option("--html", "html", metavar="FILE", help="One page for a browser.")
@click.option("--markdown", "markdown", metavar="FILE", help="Markdown for a repository.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def matrix(names: tuple[str, ...], **options: Any) -> int:
    """
    Attack every sandbox that can run here and print systems against families.

    Beside the verdicts stand the cold start and the cost of an op. The exit status is 1 where a system
    is broken, else 2 where one that was named is not installed, or one could not be measured, or none
    is here; of those that are not named, one that is not installed changes nothing.
    """
    from capfuzz.gate.matrix import run  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.matrix.writing import FORMATS  # noqa: PLC0415
    from capfuzz.gate.supervise import supervised  # noqa: PLC0415

    specs = run.specs_of(names)
    outputs = [(name, options[name]) for name in FORMATS if options[name] is not None]
    request = run.Request(specs, request_of("", {**options, "surface": None}, ()), outputs)
    run.check(request)
    return supervised(
        lambda heart: told(lambda: run.work(request, heart), options["debug"]), "matrix"
    )

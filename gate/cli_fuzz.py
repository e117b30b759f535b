"""``capfuzz fuzz``: coverage-guided fuzzing of a target."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from capfuzz.gate.cli_options import report_options, spec_argument, target_options
from capfuzz.gate.cli_shared import CONTEXT, options_of, told
from capfuzz.gate.errors import UsageError
from capfuzz.gate.report.formats import FORMATS
from capfuzz.gate.settings import Command

_HARNESSES = ("path", "host", "sequence", "grant", "corpus-file")
_EPILOG = """\b
Examples:
  capfuzz fuzz path --time 60                          # the reference engine
  capfuzz fuzz sequence py:my.sandbox:make --time 600 --workers 4
  capfuzz fuzz path py:my.paths:safe_join --as path --all
  capfuzz fuzz host py:my.egress:allowed --as host --findings tests/findings
  capfuzz replay tests/findings/CF-0123456789.json py:my.egress:allowed"""


@click.command(cls=Command, context_settings=CONTEXT, epilog=_EPILOG)
@click.argument("harness", type=click.Choice(_HARNESSES))
@spec_argument
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0.1, max=30 * 86_400),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Seconds that each worker fuzzes.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes, which share what they learn.",
)
@click.option(
    "--seed", type=click.IntRange(0, 1_000_000), default=0, show_default=True, help="Of chance."
)
@click.option("--all", "collect_all", is_flag=True, help="Go on after the first finding.")
@click.option(
    "--findings",
    type=click.Path(path_type=Path),
    default="capfuzz-findings",
    show_default=True,
    metavar="DIR",
    help="Save each finding of severity error there, for replay.",
)
@click.option(
    "--corpus",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep inputs that reach new code there, and start from them.",
)
@click.option("--no-seeds", is_flag=True, help="Start from nothing, not from the attack corpus.")
@report_options
@target_options
def fuzz(harness: str, spec: str, **options: Any) -> int:
    """
    Fuzz SPEC (default: the reference engine) with inputs that coverage guides.

    Bytes pick from the techniques' tables, or are spellings as they stand; what comes of them is
    judged as in an attack, and so is the exit status. Stops at the first finding of severity error.
    """
    from capfuzz.gate.supervise import supervised  # noqa: PLC0415 - keeps --help fast
    from capfuzz.targets.planted import sweep_stale  # noqa: PLC0415

    source = click.get_current_context().get_parameter_source("spec")
    if harness == "corpus-file" and source is click.core.ParameterSource.COMMANDLINE:
        raise UsageError(f"{spec}: corpus-file fuzzes how files are read, and asks no target")
    if find_spec("atheris") is None:
        raise UsageError("atheris is not installed: pip install 'capfuzz[fuzz]'")
    # By name: the room above this one must not be imported from here.
    run = import_module("capfuzz.fuzz.run")
    request = run.Request(
        harness=harness,
        spec=spec,
        options=options_of(options),
        seconds=options["seconds"],
        workers=options["workers"],
        seed=options["seed"],
        collect_all=options["collect_all"],
        seeded=not options["no_seeds"],
        corpus=options["corpus"],
        findings=options["findings"],
        outputs=tuple((name, options[name]) for name in FORMATS if options[name] is not None),
    )
    run.check(request)
    try:
        return supervised(
            lambda heart: told(lambda: int(run.work(request, heart)), options["debug"]), spec
        )
    finally:
        sweep_stale()  # what workers have planted that were ended with their parent

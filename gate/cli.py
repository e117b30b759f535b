"""The command line. Exit status: 0 all held, 1 a finding, 2 could not measure."""

import errno
import sys
import traceback
from importlib import import_module
from typing import Any

import click
from capfuzz.gate import offers, streams
from capfuzz.gate.cli_baseline import baseline
from capfuzz.gate.cli_bench import bench
from capfuzz.gate.cli_completion import completion
from capfuzz.gate.cli_corpus import corpus
from capfuzz.gate.cli_fuzz import fuzz
from capfuzz.gate.cli_init import init
from capfuzz.gate.cli_lint import lint
from capfuzz.gate.cli_matrix import matrix
from capfuzz.gate.cli_options import (
    SURFACES,
    campaign_options,
    report_options,
    request_of,
    setting,
    spec_argument,
    target_options,
)
from capfuzz.gate.cli_posture import posture
from capfuzz.gate.cli_render import render
from capfuzz.gate.cli_run import is_run, replay_run, run_options
from capfuzz.gate.cli_selftest import selftest
from capfuzz.gate.cli_shared import CONTEXT, examples, options_of, tell, told
from capfuzz.gate.errors import UsageError
from capfuzz.gate.report.formats import FORMATS
from capfuzz.gate.settings import UNNAMED, Command


@click.group(
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz demo                        # what this is about, in eight ops",
        "capfuzz attack py:my.sandbox:make   # your own sandbox",
        "capfuzz init                        # settings and a test for your project",
    ),
)
@click.version_option(package_name="capfuzz")
def cli() -> None:
    """Attack agent sandboxes: one corpus, one set of invariants, any sandbox."""


@cli.command(
    cls=Command,
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz attack                                   # the reference engine",
        "capfuzz attack py:my.sandbox:make                # your session factory",
        "capfuzz attack py:my.sandbox:make --profile deep -j 4   # on four processors",
        "capfuzz attack py:my.paths:safe_join --as path   # your join function",
        "capfuzz attack py:my.egress:allowed --as host --json report.json",
        "capfuzz attack --html report.html --sarif report.sarif   # as many reports as you like",
        "capfuzz attack http://127.0.0.1:8000/static/ --root ./static   # a running server",
        "capfuzz attack 'mcp:npx my-file-server {root}'   # an MCP server over stdio",
        "capfuzz attack bwrap                             # a sandbox of the system",
        "capfuzz attack 'cmd:my-launcher {root} {out} {probe}'   # any other one",
    ),
)
@spec_argument
@target_options
@campaign_options
@report_options
@setting(
    "--baseline",
    type=click.Path(),
    metavar="FILE",
    help="The findings that are accepted; see capfuzz baseline.",
)
def attack(spec: str, **options: Any) -> int:
    """
    Attack SPEC (default: the reference engine) and report what did not hold.

    Whatever is said here may be said in CAPFUZZ_NAME or in [tool.capfuzz] of pyproject.toml, too, but
    for where reports go; SPEC is "target" there.
    """
    from capfuzz.gate.attack import check, work  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.supervise import supervised  # noqa: PLC0415

    outputs = [(name, options[name]) for name in FORMATS if options[name] is not None]
    request = request_of(spec, options, outputs)
    check(request)
    status = supervised(lambda heart: told(lambda: work(request, heart), options["debug"]), spec)
    if status in {0, 1} and click.get_current_context().meta[UNNAMED]:
        click.echo(_NOBODY_NAMED, err=True)
    return status


_NOBODY_NAMED = (
    "No target is named here, in CAPFUZZ_TARGET or in [tool.capfuzz] of ./pyproject.toml: "
    "this was about the reference engine."
)


@cli.command(
    cls=Command,
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz replay report.json#CF-0123456789 py:my.sandbox:make",
        "capfuzz replay run.jsonl --grant GRANT.toml                # would it have held?",
        "capfuzz replay run.jsonl --suggest --except 7 > GRANT.toml  # the tightest that allows it",
    ),
)
@click.argument("source", shell_complete=offers.sources, metavar="FINDING|FILE|TRANSCRIPT")
@spec_argument
@target_options
@run_options
def replay(source: str, spec: str, **options: Any) -> int:
    """
    Show one finding again: a JSON object, FILE, FILE#ID or the id of a vector.

    A finding of a report is replayed with the options with which SPEC was attacked.

    With --grant or --suggest, TRANSCRIPT is a recorded run (JSON lines: ops, MCP messages, or
    messages with tool calls). The exit status is 0 where every call lies inside the grant, and each
    one that should be refused outside; else 1.
    """
    if is_run(options):
        return replay_run(source, options)
    from capfuzz.gate.replay import find  # noqa: PLC0415
    from capfuzz.gate.replay import replay as run  # noqa: PLC0415
    from capfuzz.gate.supervise import supervised  # noqa: PLC0415
    from capfuzz.targets.spec import load  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415

    found = find(source)
    options = _with_recorded(options, spec, found.recorded(spec))
    if options["surface"] is None and found.case.get("surface") in SURFACES:
        options["surface"] = found.case["surface"]

    def work(_heart: Any) -> int:
        target = load(spec, options_of(options))
        try:
            if found.case.keys() & {"harness", "ends_process"}:  # the room above shows these
                again = import_module("capfuzz.fuzz.again")
                return int(again.replay(found.case, target, options["op_timeout"], Console()))
            return run(target, found.case, Console())
        finally:
            target.close()

    return supervised(lambda heart: told(lambda: work(heart), options["debug"]), spec)


@cli.command(context_settings=CONTEXT, epilog=examples("capfuzz targets"))
def targets() -> int:
    """List what can be attacked here."""
    from capfuzz.targets.spec import KINDS  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table("spec", "surface", "can run here", "meaning")
    for kind in KINDS:
        table.add_row(kind.spec, kind.surface, kind.here, kind.meaning)
    Console().print(table)
    return 0


@cli.command(context_settings=CONTEXT, epilog=examples("capfuzz demo"))
def demo() -> int:
    """Run eight ops that a model proposes through the reference engine."""
    from capfuzz.gate.demo import demo as run  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415

    return run(Console())


cli.add_command(baseline)
cli.add_command(bench)
cli.add_command(completion)
cli.add_command(corpus)
cli.add_command(init)
cli.add_command(fuzz)
cli.add_command(lint)
cli.add_command(matrix)
cli.add_command(posture)
cli.add_command(render)
cli.add_command(selftest)


def _with_recorded(options: dict[str, Any], spec: str, words: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of a replay, with those of the report where none was given."""
    context = click.get_current_context()
    recorded = context.command.make_context(
        context.info_name, ["-", spec, *words], parent=context.parent
    ).params
    left = (click.core.ParameterSource.DEFAULT, click.core.ParameterSource.DEFAULT_MAP)
    return {
        name: recorded[name] if context.get_parameter_source(name) in left else value
        for name, value in options.items()
    }


def _drop_output(error: OSError) -> None:
    """Say that there is no room for standard output, and have Python not try again at the end."""
    tell(UsageError(f"standard output: cannot be written: {error.strerror}"))
    streams.silence(1)


def main() -> None:
    """Run the command line and exit with its status."""
    streams.complete()
    try:
        status = _status()
    except OSError:  # standard error cannot be written either, so nothing more can be told
        streams.silence(1)
        streams.silence(2)
        status = 2
    sys.exit(status)


def _status() -> Any:
    """Return the exit status of the command line, when what went wrong has been told."""
    try:
        status = cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted", err=True)
        status = 130
    except UsageError as error:
        tell(error)
        status = 2
    except Exception as error:  # noqa: BLE001 - a fault of our own must not look like a finding
        _tell_fault(error)
        status = 2
    return status


def _tell_fault(error: Exception) -> None:
    """Tell in one line what is nobody's fault here, and any other fault with where it happened."""
    from capfuzz.targets.base import TargetError  # noqa: PLC0415 - keeps --help fast

    if isinstance(error, TargetError):
        tell(error)
    elif isinstance(error, OSError) and error.errno == errno.ENOSPC:
        _drop_output(error)
    else:
        traceback.print_exc()

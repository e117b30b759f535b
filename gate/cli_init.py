"""``capfuzz init``: the command that sets a project up."""

import sys
from typing import TYPE_CHECKING, Any

import click
from capfuzz.gate.cli_options import SURFACES, target_options
from capfuzz.gate.cli_shared import CONTEXT, examples, options_of, told
from capfuzz.gate.errors import UsageError
from capfuzz.gate.settings import OfTarget, Target, settings_of

if TYPE_CHECKING:
    from capfuzz.gate.supervise import Heart

_DEFAULTS = (click.core.ParameterSource.DEFAULT, click.core.ParameterSource.DEFAULT_MAP)


@click.command(
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz init                                             # asks",
        "capfuzz init --target py:my.sandbox:make --yes           # a session factory",
        "capfuzz init --target py:my.paths:safe_join --as path    # a function of paths",
    ),
)
@click.option("--target", metavar="SPEC", help="What is attacked; capfuzz targets lists the forms.")
@click.option("--test-file", metavar="FILE", help="The test to write [default: test_capfuzz.py].")
@click.option("--yes", is_flag=True, help="Ask nothing.")
@target_options
def init(target: str | None, test_file: str | None, **options: Any) -> int:
    """
    Write the settings of this project into pyproject.toml, and a test of five lines.

    The target is loaded once, to see that it can be; nothing is written if it cannot, and nothing
    that exists is overwritten.
    """
    from capfuzz.gate import init as run  # noqa: PLC0415 - keeps --help fast

    context = click.get_current_context()
    ask = sys.stdin.isatty() and not options["yes"]
    files = run.prepared(test_file)
    if target is None:
        target = _asked_target(ask)
    if options["surface"] is None and target.startswith("py:") and ask:
        options["surface"] = click.prompt(
            "What does it answer?", type=click.Choice(SURFACES), default="session"
        )
    status = _tried(target, options)
    if status != 0:
        click.echo("nothing was written", err=True)
        return status
    if ask:
        click.confirm(f"Write [tool.capfuzz] to pyproject.toml, and {files.test}?", abort=True)
    files.write({Target.key: target, **_settings(context, options)})
    click.echo(files.next_steps(), nl=False)
    return 0


def _asked_target(ask: bool) -> str:  # noqa: FBT001 - whether there is somebody to ask
    if not ask:
        raise UsageError("--target: name what is to be attacked, such as py:my.sandbox:make")
    click.echo("What is to be attacked? Such as py:my.sandbox:make; `capfuzz targets` lists all.")
    target: str = click.prompt("Target")
    return target


def _settings(context: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """Return by key what was said of the target."""
    said = {}
    for key, one in settings_of(context.command).items():
        assert isinstance(one, OfTarget)
        value = options[one.name]
        if key == "as":
            given = value is not None
        else:
            given = context.get_parameter_source(one.name) not in _DEFAULTS
        if given:
            said[key] = list(value) if isinstance(value, tuple) else value
    return said


def _tried(target: str, options: dict[str, Any]) -> int:
    """Load the target in a process of its own; return 0 if that works."""
    from capfuzz.gate.supervise import LOADING, supervised  # noqa: PLC0415
    from capfuzz.targets.spec import load  # noqa: PLC0415

    def work(heart: "Heart") -> int:
        heart.beat(LOADING)
        load(target, options_of(options)).close()
        return 0

    return supervised(lambda heart: told(lambda: work(heart), options["debug"]), target)

"""``capfuzz bench``: the command that times a target and tells when it has become slower."""

import math
from typing import Any

import click
from capfuzz.gate.cli_options import of_target, spec_argument
from capfuzz.gate.cli_shared import CONTEXT, op_timeout, options_of, told
from capfuzz.gate.settings import Command, OfTarget

_EPILOG = """\b
Examples:
  capfuzz bench                                        # the reference engine
  capfuzz bench py:my.sandbox:make                     # your session factory
  capfuzz bench py:my.paths:safe_join --as path --quick
  capfuzz bench py:my.sandbox:make --save before.json  # pytest-benchmark compare reads it too
  capfuzz bench py:my.sandbox:make --against before.json --fail-above 5%
  capfuzz bench py:my.sandbox:make --against py:frozen.sandbox:make --fail-above 3%
  capfuzz bench --grants-up-to 1000000 --no-hunt       # growth alone, to a million roots and hosts
  capfuzz bench py:my.paths:safe_join --as path --only longer-path-slashes"""


def _fraction(_context: click.Context, _option: click.Parameter, value: str) -> float:
    """Return a limit such as ``5%`` or ``0.05`` as a fraction."""
    text = value.strip()
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = math.nan
    if not 0 < number < 1:  # not a number compares with nothing
        raise click.BadParameter(f"{value!r} is no limit; write 5% or 0.05")
    return number


@click.command(cls=Command, context_settings=CONTEXT, epilog=_EPILOG)
@spec_argument
@of_target(
    "--as",
    "surface",
    type=click.Choice(["session", "path", "host"]),
    help="What a py: target answers.",
)
@of_target("--root", help="Path surface: the folder that NAME(path) serves.")
@of_target("--allow-host", help="Host surface: the one host that NAME(url) allows.")
@of_target(
    "--follows-links",
    is_flag=True,
    help="The target is documented to follow links out of its root.",
)
@op_timeout(cls=OfTarget, help="Seconds that one op may take; beyond it hangs, which is a finding.")
@click.option(
    "--quick",
    is_flag=True,
    help="A first look: fewer rounds and vectors, and one process but with --save or --against.",
)
@click.option(
    "--only", multiple=True, metavar="NAME", help="Only this benchmark or technique; repeatable."
)
@click.option(
    "--grants-up-to",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Time grants of up to so many roots and hosts, 1,000,000 at the most "
    "(10,000; 1,000 with --quick).",
)
@click.option(
    "--no-hunt", is_flag=True, help="Time only; do not look for inputs that cost too much."
)
@click.option("--save", metavar="FILE", help="Write the times in pytest-benchmark's JSON.")
@click.option(
    "--against",
    metavar="FILE|SPEC",
    help="Compare with saved times, or with another target timed in turn with this one.",
)
@click.option(
    "--fail-above",
    callback=_fraction,
    metavar="LIMIT",
    default="5%",
    show_default=True,
    help="With --against: how much slower is too slow.",
)
@click.option(
    "--allow-other-build",
    is_flag=True,
    help="Compare with times of another interpreter build or machine.",
)
@click.option("--json", "json_path", help="Write the JSON report to this file, - for stdout.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def bench(spec: str, **options: Any) -> int:
    """
    Time SPEC (default: the reference engine), and look for inputs that cost too much.

    Allowed and denied ops by kind, under more and more grants and at growing depth; then whether
    any vector, or any spelling made longer, costs out of proportion. Exit status: 0 all held, 1 an
    input costs too much or a benchmark is slower than --fail-above, 2 nothing could be measured, or
    it is too noisy here to say. A part that the report calls "not measured" does not change the
    exit status as long as something was measured.
    """
    from capfuzz.gate.bench.run import check, work  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.supervise import supervised  # noqa: PLC0415

    request = _request(spec, options)
    before = check(request)

    return supervised(
        lambda heart: told(lambda: work(request, before, heart), options["debug"]), spec
    )


def _request(spec: str, options: dict[str, Any]) -> Any:
    from capfuzz.gate.bench.run import Request  # noqa: PLC0415

    return Request(
        spec=spec,
        options=options_of(options),
        quick=options["quick"],
        only=options["only"],
        save=options["save"],
        against=options["against"],
        fail_above=options["fail_above"],
        allow_other_build=options["allow_other_build"],
        json=options["json_path"],
        grants_up_to=options["grants_up_to"],
        hunt=not options["no_hunt"],
    )

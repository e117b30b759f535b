"""What several commands have in common: how they look, their options about a target, their errors."""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any

import click
from capfuzz.gate.errors import UsageError

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def examples(*lines: str) -> str:
    """Return the end of a command's ``--help``: lines to type."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _finite(_context: click.Context, _option: click.Parameter, value: float) -> float:
    if math.isnan(value):
        raise click.BadParameter("must be a number of seconds")
    return value


op_timeout = partial(
    click.option,
    "--op-timeout",
    type=click.FloatRange(min=0.01, max=3600),
    callback=_finite,
    default=2.0,
    show_default=True,
)


def options_of(given: Mapping[str, Any]) -> Any:
    """Return how a target is to be asked, from the options that a command has of it."""
    from capfuzz.attacks.case import Surface  # noqa: PLC0415 - keeps --help fast
    from capfuzz.targets.options import Options  # noqa: PLC0415

    found: dict[str, Any] = {
        one.name: given[one.name] for one in fields(Options) if one.name in given
    }
    for name in {"dialect", "exposes"} & found.keys():
        found[name] = frozenset(found[name])
    found["surface"] = None if given["surface"] is None else Surface(given["surface"])
    return Options(**found, op_limit=given["op_timeout"])


def told(work: Callable[[], int], debug: bool) -> int:  # noqa: FBT001 - a flag of the command line
    """Run ``work``; turn what it could not do into one line and status 2."""
    from capfuzz.targets.base import TargetError  # noqa: PLC0415

    try:
        return work()
    except (UsageError, TargetError) as error:
        if debug:
            raise
        tell(error)
        return 2


def tell(error: Exception) -> None:
    """Print an error as one line."""
    click.echo(f"Error: {' '.join(str(error).split())}", err=True)

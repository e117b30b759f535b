"""The options of every command that asks a target, whatever its surface."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from capfuzz.gate import offers
from capfuzz.gate.cli_shared import op_timeout, options_of
from capfuzz.gate.report.formats import FORMATS
from capfuzz.gate.settings import OfTarget, Setting, Target

spec_argument = click.argument("spec", cls=Target)
of_target = partial(click.option, cls=OfTarget)
setting = partial(click.option, cls=Setting)

SURFACES = ("session", "path", "host", "archive", "eval", "ssrf", "http", "mcp")
DIALECTS = (
    "posix",
    "windows",
    "decodes-once",
    "decodes-twice",
    "normalises-unicode",
    "case-insensitive",
    "subdomains",
)


def _networks(
    _context: click.Context, _option: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    import ipaddress  # noqa: PLC0415

    try:
        return tuple(str(ipaddress.ip_network(one)) for one in value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def target_options(command: Any) -> Any:
    """Add the options that say how a target is to be asked, and ``--debug``."""
    for option in reversed(
        (
            of_target(
                "--as", "surface", type=click.Choice(SURFACES), help="What a py: target answers."
            ),
            op_timeout(cls=OfTarget, help="Seconds that one op may take."),
            of_target(
                "--dialect",
                multiple=True,
                type=click.Choice(DIALECTS),
                help="How the target's consumer reads a spelling; may be repeated.",
            ),
            of_target(
                "--follows-links",
                is_flag=True,
                help="The target is documented to follow links out of its root.",
            ),
            of_target(
                "--unpack-limit",
                type=click.IntRange(min=0),
                metavar="BYTES",
                help="Archive surface: the target promises to unpack no more than this.",
            ),
            of_target(
                "--root", help="Path, http: the folder that NAME(path) or the server serves."
            ),
            of_target(
                "--private",
                metavar="NAME",
                help="Http surface: a folder below the served one that the server keeps back.",
            ),
            of_target(
                "--tool-map",
                metavar="FILE",
                help="Mcp surface, run: TOML that names the tools that read, write, list, move and edit.",
            ),
            of_target("--allow-host", help="Host surface: the one host that NAME(url) allows."),
            of_target(
                "--language",
                type=click.Choice(["python", "jinja", "javascript"]),
                help="Eval surface: what NAME evaluates; found out without it.",
            ),
            of_target(
                "--exposes",
                multiple=True,
                type=click.Choice(["files", "environment", "network"]),
                help="Eval surface: what code is documented to get at; may be repeated.",
            ),
            of_target(
                "--bounded",
                is_flag=True,
                help="Eval surface: the target promises an end to whatever code computes.",
            ),
            of_target(
                "--invert", is_flag=True, help="Ssrf surface: truth says that it leads inside."
            ),
            of_target(
                "--takes",
                type=click.Choice(["url", "host", "address"]),
                help="Ssrf surface: what NAME is asked about; found out without it.",
            ),
            of_target(
                "--public",
                multiple=True,
                callback=_networks,
                metavar="NETWORK",
                help="Ssrf surface: a network documented to be let through; may be repeated.",
            ),
            click.option("--debug", is_flag=True, help="Show the traceback of an error."),
        )
    ):
        command = option(command)
    return command


def campaign_options(command: Any) -> Any:
    """Add the options that say what is tried, and what counts."""
    for option in reversed(
        (
            setting(
                "--profile",
                type=click.Choice(["quick", "standard", "deep"]),
                default="standard",
                show_default=True,
                help="How much is tried.",
            ),
            setting(
                "--family",
                multiple=True,
                shell_complete=offers.families,
                help="Only this family of vectors; may be repeated.",
            ),
            setting(
                "--seed", type=int, default=0, show_default=True, help="Same seed, same cases."
            ),
            setting(
                "--corpus",
                multiple=True,
                type=click.Path(path_type=Path),
                help="Add the vectors of this file; may be repeated.",
            ),
            setting(
                "--fail-on",
                type=click.Choice(["error", "warning", "note"]),
                default="error",
                show_default=True,
                help="The least severity that makes the exit status 1.",
            ),
            setting(
                "-j",
                "--jobs",
                type=click.IntRange(min=1, max=256),
                metavar="N",
                help="Processes that share the work; the report is the same.  [default: 1]",
            ),
            setting(
                "--cluster",
                metavar="ADDRESS",
                help="Have the workers of Dask's scheduler at ADDRESS share it, or `local` ones.",
            ),
        )
    ):
        command = option(command)
    return command


def report_options(command: Any) -> Any:
    """Add an option for each format of report."""
    for name, described in reversed(FORMATS.items()):
        command = click.option(f"--{name}", type=click.Path(), metavar="FILE", help=described)(
            command
        )
    return command


def request_of(spec: str, options: Mapping[str, Any], outputs: Sequence[tuple[str, str]]) -> Any:
    """Return what a command asks for that has `target_options` and `campaign_options`."""
    from capfuzz.attacks.invariants import Severity  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.attack import Request  # noqa: PLC0415
    from capfuzz.gate.baseline import read  # noqa: PLC0415
    from capfuzz.gate.crew import Hands  # noqa: PLC0415

    baseline = options.get("baseline")
    return Request(
        spec=spec,
        options=options_of(options),
        profile=options["profile"],
        seed=options["seed"],
        families=options["family"],
        corpus=options["corpus"],
        outputs=outputs,
        fail_on=Severity(options["fail_on"]),
        hands=Hands(options["jobs"], options["cluster"]),
        baseline=() if baseline is None else read(baseline),
    )

"""The options of every command that asks a target, whatever its surface."""

from typing import Any

import click
from capfuzz.gate.cli_shared import op_timeout

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
            click.option(
                "--as", "surface", type=click.Choice(SURFACES), help="What a py: target answers."
            ),
            op_timeout(help="Seconds that one op may take."),
            click.option(
                "--dialect",
                multiple=True,
                type=click.Choice(DIALECTS),
                help="How the target's consumer reads a spelling; may be repeated.",
            ),
            click.option(
                "--follows-links",
                is_flag=True,
                help="The target is documented to follow links out of its root.",
            ),
            click.option(
                "--unpack-limit",
                type=click.IntRange(min=0),
                metavar="BYTES",
                help="Archive surface: the target promises to unpack no more than this.",
            ),
            click.option(
                "--root", help="Path, http: the folder that NAME(path) or the server serves."
            ),
            click.option(
                "--private",
                metavar="NAME",
                help="Http surface: a folder below the served one that the server keeps back.",
            ),
            click.option(
                "--tool-map",
                metavar="FILE",
                help="Mcp surface: TOML that names the tools that read, write, list, move and edit.",
            ),
            click.option("--allow-host", help="Host surface: the one host that NAME(url) allows."),
            click.option(
                "--language",
                type=click.Choice(["python", "jinja", "javascript"]),
                help="Eval surface: what NAME evaluates; found out without it.",
            ),
            click.option(
                "--exposes",
                multiple=True,
                type=click.Choice(["files", "environment", "network"]),
                help="Eval surface: what code is documented to get at; may be repeated.",
            ),
            click.option(
                "--bounded",
                is_flag=True,
                help="Eval surface: the target promises an end to whatever code computes.",
            ),
            click.option(
                "--invert", is_flag=True, help="Ssrf surface: truth says that it leads inside."
            ),
            click.option(
                "--takes",
                type=click.Choice(["url", "host", "address"]),
                help="Ssrf surface: what NAME is asked about; found out without it.",
            ),
            click.option(
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

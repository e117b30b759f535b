"""``capfuzz render``: a grant in the words of one system."""

from typing import Any

import click
from capfuzz.gate import offers
from capfuzz.gate.cli_shared import CONTEXT, examples, told


@click.command(
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz render GRANT.toml --to bwrap -- python3 agent.py",
        "capfuzz render GRANT.toml --to kubernetes --image agent:1 --runtime gvisor | kubectl apply -f -",
        "capfuzz render GRANT.toml --to deno --port 443 -- agent.mjs",
        "capfuzz render GRANT.toml --to runc -o bundle -- python3 agent.py",
    ),
)
@click.argument("file", metavar="GRANT.toml")
@click.argument("command", nargs=-1, metavar="[COMMAND]...")
@click.option(
    "--to",
    "name",
    required=True,
    metavar="SYSTEM",
    shell_complete=offers.systems,
    help="Such as bwrap, oci, seccomp, docker-run, kubernetes; a wrong one tells all.",
)
@click.option("-o", "--output", metavar="FOLDER", help="Write the files there.")
@click.option(
    "--image", metavar="NAME", help="docker-run, kubernetes: what the container starts from."
)
@click.option(
    "--runtime",
    metavar="NAME",
    help="docker-run, docker, podman: the runtime; kubernetes: the RuntimeClass.",
)
@click.option(
    "--port",
    "ports",
    type=click.IntRange(1, 65_535),
    multiple=True,
    metavar="N",
    help="Of granted hosts open this port alone; may be repeated.",
)
@click.option(
    "--name",
    "mark",
    default="capfuzz",
    show_default=True,
    metavar="NAME",
    help="What it is called where it has a name; two that run at once need two.",
)
@click.option(
    "--wider", is_flag=True, help="Accept what opens more than the grant names, as a warning."
)
@click.option("--json", "as_json", is_flag=True, help="Print command, files and warnings as JSON.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def render(file: str, command: tuple[str, ...], **options: Any) -> int:
    """
    Print what a grant becomes for a system: the configuration and the command that runs COMMAND.

    What the system cannot express is refused (status 2) where it would open more than the grant
    names, else warned about on standard error. A file without a command is printed as it is, for a
    pipe; otherwise files have headings, and are followed by the command.
    """
    return told(lambda: _render(file, command, options), options["debug"])


def _render(file: str, command: tuple[str, ...], options: dict[str, Any]) -> int:
    from capfuzz.gate import render as shown  # noqa: PLC0415 - keeps --help fast
    from capfuzz.targets.grant_file import read  # noqa: PLC0415

    made = shown.made(read(file).grant(), command or ("sh",), options)
    shown.show(made, options["output"], as_json=options["as_json"])
    return 0

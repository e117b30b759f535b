"""``capfuzz replay TRANSCRIPT --grant GRANT.toml``: what the replay of a recorded run takes."""

from typing import Any

import click
from capfuzz.gate.cli_shared import told
from capfuzz.gate.errors import UsageError

# Of the options about a target, those that say something of a run too.
_SHARED = frozenset({"tool_map", "debug"})
_OPTIONS = (
    click.option(
        "--grant", metavar="GRANT.toml", help="Run: SOURCE is a recorded run; judge it by this."
    ),
    click.option(
        "--suggest", is_flag=True, help="Run: print the tightest grant that allows its calls."
    ),
    click.option(
        "--legitimate",
        multiple=True,
        metavar="N-M",
        help="Run: the honest calls; the others should be refused. May be repeated.",
    ),
    click.option(
        "--except",
        "except_",
        multiple=True,
        metavar="N-M",
        help="Run: calls that should be refused. May be repeated.",
    ),
    click.option("--cwd", metavar="DIR", help="Run: the folder where its relative paths begin."),
    click.option("--json", "json_path", metavar="FILE", help="Run: write JSON, - for stdout."),
)
_NAMES = frozenset({"grant", "suggest", "legitimate", "except_", "cwd", "json_path"})


def run_options(command: Any) -> Any:
    """Add the options about a recorded run."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def is_run(options: dict[str, Any]) -> bool:
    """Tell whether a recorded run is meant; raises `UsageError` where it only seems so."""
    if options["grant"] is not None or options["suggest"]:
        return True
    given = [name for name in sorted(_NAMES) if options[name]]
    if given:
        flag = "--" + given[0].replace("_path", "").strip("_")
        raise UsageError(f"{flag}: is about a recorded run; add --grant GRANT.toml or --suggest")
    return False


def replay_run(source: str, options: dict[str, Any]) -> int:
    """Judge a recorded run; raises `UsageError` for what is about a target."""
    from capfuzz.gate.grants.replayed import Request, replay  # noqa: PLC0415 - keeps --help fast

    _check()
    request = Request(
        source=source,
        grant=options["grant"],
        suggest=options["suggest"],
        tool_map=options["tool_map"],
        cwd=options["cwd"],
        kept=options["legitimate"],
        out=options["except_"],
        json=options["json_path"],
    )
    return told(lambda: replay(request), options["debug"])


def _check() -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and name not in {"source", *_SHARED, *_NAMES}:
            said = "SPEC" if name == "spec" else parameter.opts[0]
            raise UsageError(f"{said}: is about a target, and a recorded run is judged without one")

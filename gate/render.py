"""What ``capfuzz render`` prints and writes: commands, files and warnings."""

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from capfuzz.engine import Capabilities
from capfuzz.gate.errors import UsageError
from capfuzz.gate.report.files import write
from capfuzz.targets.rendering.registry import SYSTEMS, system_of
from capfuzz.targets.rendering.render import rendered
from capfuzz.targets.sandboxes.base import Rendered, layout_for
from capfuzz.targets.suggest import nearest

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")  # RFC 1123, as Kubernetes has it


def made(grant: Capabilities, command: tuple[str, ...], options: Mapping[str, Any]) -> Rendered:
    """Return what a system makes of a grant; raises `UsageError` and `TargetError`."""
    name, output = options["name"], options["output"]
    if name not in SYSTEMS:
        raise UsageError(f"--to: {name!r} is no system{nearest(name, SYSTEMS)}")
    if not command[0]:
        raise UsageError("COMMAND: its first word is empty; name a program")
    if output == "":
        raise UsageError("--output: is empty; name a folder")
    folder = "." if output is None else os.path.abspath(output)
    if not _NAME.fullmatch(options["mark"]):
        raise UsageError(f"--name: {options['mark']!r} must be a label: a-z, 0-9 and - within")
    layout = replace(
        layout_for(command[0]),
        command=command,
        inside=(),
        folder=folder,
        mark=options["mark"],
        ports=tuple(dict.fromkeys(options["ports"])),
    )
    system = system_of(name, options["image"], options["runtime"])
    return rendered(system, grant, layout, wider=options["wider"])


def show(made: Rendered, output: str | None, *, as_json: bool) -> None:
    """Write the files, print the rest; warnings go to standard error. Raises `UsageError`."""
    if output is not None:
        _write(Path(output), made.files)
    for one in made.warnings:
        click.echo(f"warning: {one}", err=True)
    if as_json:
        click.echo(json.dumps(_told(made), indent=2))
        return
    lines = [*_commands(made, output)]
    if output is None and made.files:
        lines = [*_files(made), *(["==> run in the folder of these <==", *lines] if lines else [])]
    click.echo("\n".join(lines))


def _files(made: Rendered) -> Iterator[str]:
    """Yield what stands in the files: one that is all there is as it is, for a pipe."""
    alone = len(made.files) == 1 and not made.command
    for name, text in made.files.items():
        yield text.rstrip("\n") if alone else f"==> {name} <==\n{text}"


def _told(made: Rendered) -> dict[str, Any]:
    return {
        "command": made.command,
        "ending": made.ending,
        "files": dict(made.files),
        "warnings": made.warnings,
    }


def _commands(made: Rendered, output: str | None) -> Iterator[str]:
    """Yield lines for a shell: into the folder, the command, what removes the rest of it."""
    if made.command and made.files and output is not None:
        yield shlex.join(["cd", os.path.abspath(output)])
    yield from (shlex.join(words) for words in (made.command, made.ending) if words)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    there = [name for name, text in files.items() if _differs(folder / name, text)]
    if there:
        raise UsageError(f"{folder / there[0]}: is there already and differs; name another folder")
    try:
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    for name, text in files.items():
        write(str(folder / name), text, "the configuration")


def _differs(place: Path, text: str) -> bool:
    if not os.path.lexists(place):
        return False
    try:
        return place.read_text(encoding="utf-8") != text
    except (OSError, ValueError):
        return True

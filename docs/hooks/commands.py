"""
The page of the command line, made from the commands themselves.

A hook of MkDocs.
"""

from collections.abc import Iterator

import click
from capfuzz.gate.cli import cli
from escaped import markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_HEAD = """# Command line

What each command says of itself with `--help`. Exit status: `0` all that was asked held, `1` a
finding, `2` it could not be measured; see [Verdicts](../explanation/verdicts.md#exit-status).
"""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the page."""
    context = click.Context(cli, info_name="capfuzz", max_content_width=100)
    text = "\n".join([_HEAD, *_command(cli, context)])
    files.append(File.generated(config, "reference/commands.md", content=text))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    path = context.command_path
    usage = "".join(f" {piece}" for piece in command.collect_usage_pieces(context))
    yield f"## {path} {{ #{path.replace(' ', '-')} }}\n"
    yield f"```text\n{path}{usage}\n```\n"
    yield f"{_prose(command.help or '')}\n"
    yield from _options(command, context)
    yield from _examples(command.epilog or "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            one = command.commands[name]
            yield from _command(one, click.Context(one, parent=context, info_name=name))


def _prose(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in map(markup, text.split("\n\n")))


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    records = (one.get_help_record(context) for one in command.params)
    rows = [(name, told) for name, told in filter(None, records) if told and "--help" not in name]
    if rows:
        yield "| | |"
        yield "|---|---|"
        for name, told in rows:
            yield f"| <code>{markup(name)}</code> | {markup(told)} |"
        yield ""


def _examples(epilog: str) -> Iterator[str]:
    lines = epilog.replace("\b", "").strip().splitlines()
    if lines[:1] == ["Examples:"]:
        starts = ["$ ", *("    " if line.endswith("\\") else "$ " for line in lines[1:])]
        shown = "\n".join(
            start + line.strip() for start, line in zip(starts, lines[1:], strict=False)
        )
        yield f"```console\n{shown}\n```\n"

"""What a shell offers where a family, a finding, a file or a system is expected."""

from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem


def families(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """Return the families of the corpus, and the generated one, that begin as typed."""
    from capfuzz.attacks.vectors import CORPUS  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.plan import GENERATED  # noqa: PLC0415

    known = sorted({one.stem for one in CORPUS.glob("*.json")} - {"schema"} | {GENERATED})
    return [one for one in known if one.startswith(typed)]


def sources(_context: click.Context, _option: click.Parameter, typed: str) -> list[CompletionItem]:
    """Return the findings of a report, where ``FILE#`` was typed, and files before."""
    file, mark, begun = typed.partition("#")
    if not mark:
        return [CompletionItem(typed, type="file")]
    return [CompletionItem(f"{file}#{one}") for one in _ids(file) if one.startswith(begun)]


def findings(context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """Return the findings of the report that was named with ``--from``."""
    return [one for one in _ids(context.params.get("source")) if one.startswith(typed)]


def systems(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """Return what a grant can be rendered for that begins as typed."""
    from capfuzz.targets.rendering.registry import SYSTEMS  # noqa: PLC0415 - keeps --help fast

    return [name for name in SYSTEMS if name.startswith(typed)]


def _ids(file: str | None) -> Iterator[str]:
    from capfuzz.gate.errors import UsageError  # noqa: PLC0415 - keeps --help fast
    from capfuzz.gate.report.from_json import read  # noqa: PLC0415

    try:
        report = None if file is None else read(file)
    except UsageError:  # a shell that completes has nowhere to say so
        return
    yield from (one.id for one in report.findings) if report is not None else ()

"""``capfuzz corpus``: the commands that look into the corpus."""

import json
from pathlib import Path
from typing import Any

import click
from capfuzz.gate import offers
from capfuzz.gate.cli_shared import CONTEXT, examples
from capfuzz.gate.errors import UsageError

_FILES = click.argument("files", nargs=-1, type=click.Path(path_type=Path))
_JSON = click.option("--json", "json_path", help="Write JSON to this file, - for stdout.")


@click.group(
    context_settings=CONTEXT,
    epilog=examples("capfuzz corpus list", "capfuzz corpus export --format jsonl"),
)
def corpus() -> None:
    """Look into the corpus of attack vectors."""


@corpus.command("list", context_settings=CONTEXT, epilog=examples("capfuzz corpus list"))
def list_() -> int:
    """List the families: techniques, attacks, controls, CWE."""
    from capfuzz.gate.corpus import families  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415 - keeps --help fast

    families(_load(()), Console())
    return 0


@corpus.command(
    context_settings=CONTEXT, epilog=examples("capfuzz corpus show outside-host.1b975a9b")
)
@click.argument("vector")
def show(vector: str) -> int:
    """Explain one vector: what is sent, what it hints at, what should happen."""
    from capfuzz.gate.corpus import show as run  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415

    run(_load(()), vector, Console())
    return 0


@corpus.command(
    context_settings=CONTEXT,
    epilog=examples("capfuzz corpus stats", "capfuzz corpus stats --json -"),
)
@_JSON
def stats(json_path: str | None) -> int:
    """Count families, techniques, vectors, controls, CWEs and lint faults."""
    from capfuzz.gate.corpus import stats as count  # noqa: PLC0415
    from capfuzz.gate.lint import lint as faults  # noqa: PLC0415
    from capfuzz.gate.report.files import check_writable, write  # noqa: PLC0415

    if json_path is not None:
        check_writable(json_path)
    vectors = _load(())
    counted = count(vectors, sum(1 for _ in faults(vectors)))
    if json_path is not None:
        write(json_path, json.dumps(counted, indent=2) + "\n")
        return 0
    for name, value in counted.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        click.echo(f"{name:>12}  {shown}")
    return 0


@corpus.command(
    context_settings=CONTEXT,
    epilog=examples("capfuzz corpus lint", "capfuzz corpus lint my-vectors.json"),
)
@_FILES
def lint(files: tuple[Path, ...]) -> int:
    """Check the corpus, or FILES: schema, ids, controls, verdicts, techniques."""
    from capfuzz.gate.lint import lint as find  # noqa: PLC0415

    vectors = _load(files)
    faults = [fault for fault in find(vectors) if not (files and "in no vector" in fault)]
    for fault in faults:
        click.echo(fault)
    click.echo(f"{len(vectors)} vectors, {len(faults)} lint faults")
    return 1 if faults else 0


@corpus.command(
    context_settings=CONTEXT,
    epilog=examples(
        "capfuzz corpus export --format jsonl --output vectors.jsonl",
        "capfuzz corpus export --format txt --family path-traversal",
    ),
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "jsonl", "csv", "txt"]),
    default="json",
    show_default=True,
    help="json and jsonl are complete; txt is the bare spellings.",
)
@click.option(
    "--family",
    multiple=True,
    shell_complete=offers.families,
    help="Only this family; may be repeated.",
)
@click.option("--output", default="-", show_default=True, help="The file to write, - for stdout.")
def export(form: str, family: tuple[str, ...], output: str) -> int:
    """Write the corpus for consumers in other languages."""
    from capfuzz.gate.corpus import export as run  # noqa: PLC0415
    from capfuzz.gate.report.files import check_writable, write  # noqa: PLC0415
    from capfuzz.targets.suggest import nearest  # noqa: PLC0415

    check_writable(output)
    vectors = _load(())
    known = {vector.case.family for vector in vectors}
    for name in family:
        if name not in known:
            raise UsageError(f"--family {name}: no such family{nearest(name, known)}")
    chosen = [vector for vector in vectors if not family or vector.case.family in family]
    write(output, run(chosen, form))
    return 0


def _load(files: tuple[Path, ...]) -> Any:
    from capfuzz.attacks.vectors import CorpusError, load  # noqa: PLC0415

    try:
        return load(files or None)
    except CorpusError as error:
        raise UsageError(str(error)) from error

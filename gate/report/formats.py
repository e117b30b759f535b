"""The formats that a report can be written in: one table, from which the options are made."""

import os
from collections.abc import Sequence
from importlib import import_module
from typing import IO, TYPE_CHECKING

from capfuzz.gate.errors import UsageError
from capfuzz.gate.report import files

if TYPE_CHECKING:  # keeps --help fast
    from capfuzz.gate.events import Report

Outputs = Sequence[tuple[str, str]]
"""What to write: a format of `FORMATS`, and a path or ``-`` for standard output."""

# Format: what --help says of it. The module as_FORMAT has to_text(report).
FORMATS = {
    "json": "Write the JSON report to this file, - for stdout.",
    "jsonl": "The same as JSON lines: one line a finding.",
    "junit": "JUnit XML: one test case for every family and invariant.",
    "sarif": "SARIF 2.1.0 for code scanning.",
    "html": "One page for a browser that needs no network.",
    "markdown": "Markdown for the summary of a CI job.",
}


def to_text(name: str, report: "Report") -> str:
    """Return the report in the format called ``name`` of `FORMATS`."""
    text: str = import_module(f"capfuzz.gate.report.as_{name}").to_text(report)
    return text


def check(outputs: Outputs, what: str = "the report") -> None:
    """Raise `UsageError` for reports that could not be written later, or over each other."""
    taken: dict[str, str] = {}
    for name, path in outputs:
        place = path if path == files.STDOUT else os.path.realpath(path)
        if place in taken:
            where = "standard output" if path == files.STDOUT else path
            raise UsageError(
                f"--{taken[place]} and --{name} both write to {where}; name another file"
            )
        taken[place] = name
        files.check_writable(path, what)


def goes_out(outputs: Outputs) -> bool:
    """Tell whether one of the reports takes standard output."""
    return any(path == files.STDOUT for _, path in outputs)


def publish(report: "Report", outputs: Outputs, out: IO[str]) -> None:
    """Write the reports, each whole, once all of them are made; raises `UsageError`."""
    written([(path, to_text(name, report)) for name, path in outputs], out)


def written(texts: Sequence[tuple[str, str]], out: IO[str], what: str = "the report") -> None:
    """Write texts to their paths, each whole, ``-`` to ``out``; raises `UsageError`."""
    for path, text in texts:
        if path == files.STDOUT:
            out.write(text)
        else:
            files.write(path, text, what)

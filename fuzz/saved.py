"""Findings as files for version control: one a fault, named by its id, replayed without a fuzzer."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capfuzz.attacks.invariants import Severity
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Report
from capfuzz.gate.report import as_json, files

DEFAULT = "capfuzz-findings"


def prepare(folder: Path) -> None:
    """Raise `UsageError` where findings could not be saved later."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--findings {folder}: is not a folder")
    files.check_writable(str(next(one for one in folder.absolute().parents if one.is_dir()) / "x"))


def save(report: Report, harness: str, folder: Path, inputs: Mapping[str, bytes]) -> list[Path]:
    """Write each finding of severity error, whole or not at all; return the files."""
    whole = as_json.to_dict(report)
    chosen = [one for one in whole["findings"] if one["severity"] == Severity.ERROR]
    if chosen:
        folder.mkdir(parents=True, exist_ok=True)
    return [_write(folder, whole, one, harness, inputs) for one in chosen]


def _write(
    folder: Path,
    whole: Mapping[str, Any],
    finding: Mapping[str, Any],
    harness: str,
    inputs: Mapping[str, bytes],
) -> Path:
    """Write one; durations, counts and hits left out, so that the same fault gives the same file."""
    kept = {name: value for name, value in finding.items() if name != "hits"}
    found = {"harness": harness, "input": inputs.get(finding["id"], b"").hex()}
    file = folder / f"{finding['id']}.json"
    text = json.dumps({"target": whole["target"], **kept, "found_by": found}, indent=2) + "\n"
    files.write(str(file), text)
    return file

"""What a worker tells its parent, one JSON object a line, written at once so that a kill loses none."""

import base64
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.invariants import Severity
from capfuzz.fuzz.looking import Fault
from capfuzz.gate.grouping import Key
from capfuzz.gate.plan import GENERATED
from capfuzz.gate.replay import case_from
from capfuzz.gate.write_up import to_json


class Teller:
    """Appends to a worker's file."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(self, **record: Any) -> None:
        """Write one record."""
        os.write(self._file, json.dumps(record).encode() + b"\n")


class Reader:
    """Reads what has been appended since the last look."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._at = 0

    def news(self) -> list[dict[str, Any]]:
        """Return the records that are complete by now."""
        if not self._file.exists():
            return []
        with self._file.open("rb") as opened:
            opened.seek(self._at)
            whole, mark, _ = opened.read().rpartition(b"\n")
        self._at += len(whole) + len(mark)
        return [json.loads(line) for line in whole.splitlines()]


def of_fault(fault: Fault, surface: Surface | None, data: bytes) -> dict[str, Any]:
    """Return a fault as JSON."""
    told = None
    if fault.case is not None and surface is not None:
        told = to_json(surface, fault.key.invariant, fault.case)
    return {
        "key": list(fault.key),
        "technique": fault.technique,
        "case": told,
        "observed": fault.observed,
        "expected": fault.expected,
        "input": base64.b64encode(data).decode(),
    }


def to_fault(record: dict[str, Any]) -> tuple[Fault, bytes]:
    """Return the fault that a record tells, and the input that showed it."""
    invariant, door, group, severity = record["key"]
    case: Case | None = None
    if record["case"] is not None:
        case = replace(case_from(record["case"]), family=GENERATED)
    key = Key(invariant, door, group, Severity(severity))
    fault = Fault(key, record["technique"], case, record["observed"], record["expected"])
    return fault, base64.b64decode(record["input"])

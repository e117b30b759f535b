"""``capfuzz corpus``: what is in it, what a vector means, and the corpus for other languages."""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from capfuzz.attacks.case import Case
from capfuzz.attacks.codec import grant_to_json, op_to_json, world_to_json
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.vectors import Vector
from capfuzz.gate.errors import UsageError
from capfuzz.targets.suggest import nearest
from rich.console import Console
from rich.table import Table
from rich.text import Text


def families(vectors: Sequence[Vector], console: Console) -> None:
    """Print a line a family: its techniques, vectors, controls and CWE."""
    table = Table("family", "surfaces", "techniques", "attacks", "controls", "CWE")
    for family in sorted({vector.case.family for vector in vectors}):
        mine = [vector for vector in vectors if vector.case.family == family]
        table.add_row(
            family,
            ", ".join(sorted({surface for vector in mine for surface in vector.surfaces})),
            str(len({vector.technique for vector in mine})),
            str(sum(not vector.is_control for vector in mine)),
            str(sum(vector.is_control for vector in mine)),
            mine[0].cwe,
        )
    console.print(table)


def stats(vectors: Sequence[Vector], faults: int) -> dict[str, Any]:
    """Return the corpus in numbers."""
    controls = sum(vector.is_control for vector in vectors)
    return {
        "families": len({vector.case.family for vector in vectors}),
        "techniques": len({vector.technique for vector in vectors}),
        "vectors": len(vectors),
        "attacks": len(vectors) - controls,
        "controls": controls,
        "verdicts": dict(
            sorted(Counter(str(one) for vector in vectors for one in vector.case.verdicts).items())
        ),
        "surfaces": dict(
            sorted(Counter(str(one) for vector in vectors for one in vector.surfaces).items())
        ),
        "cwes": sorted({_cwe(vector) for vector in vectors}, key=lambda cwe: int(cwe[4:])),
        "lint_faults": faults,
    }


def show(vectors: Sequence[Vector], wanted: str, console: Console) -> None:
    """Explain one vector to someone who has never seen its technique; raises `UsageError`."""
    by_id = {vector.id: vector for vector in vectors}
    if wanted not in by_id:
        raise UsageError(f"{wanted}: no such vector{nearest(wanted, by_id)[:80]}")
    vector = by_id[wanted]
    technique = TECHNIQUES.get(vector.technique)
    rows = [
        ("technique", f"{vector.technique}: {technique.description if technique else ''}"),
        ("grant", json.dumps(_shown_grant(vector.case))),
        *_shown_ops(vector.case),
        ("reason", vector.reason or ""),
        ("hints at", vector.means),
        ("bites", technique.needs if technique else ""),
        ("control", vector.control or "is itself a control"),
        ("comment", vector.comment),
        ("CWE", _cwe(vector)),
        (
            "stands for",
            " ".join(dict.fromkeys((*vector.refs, *(technique.refs if technique else ())))),
        ),
    ]
    console.print(Text(vector.id, style="bold"))
    for label, value in rows:
        if value:
            console.print(Text.assemble((f"{label:>12}  ", "bold"), value))


def _shown_grant(case: Case) -> dict[str, Any]:
    return {
        name: value for name, value in grant_to_json(case.grant).items() if value not in ([], None)
    }


def _shown_ops(case: Case) -> list[tuple[str, str]]:
    return [
        (f"op {number}", f"{json.dumps(op_to_json(op))[:300]} -> {verdict}")
        for number, (op, verdict) in enumerate(zip(case.ops, case.verdicts, strict=True), 1)
    ]


def export(vectors: Iterable[Vector], form: str) -> str:
    """Return the vectors, each complete in itself, as ``json``, ``jsonl``, ``csv`` or ``txt``."""
    return _FORMS[form]([_flat(vector) for vector in vectors])


def _flat(vector: Vector) -> dict[str, Any]:
    case = vector.case
    return {
        "id": vector.id,
        "family": case.family,
        "technique": vector.technique,
        "surfaces": [str(surface) for surface in vector.surfaces],
        "cwe": _cwe(vector),
        "grant": grant_to_json(case.grant),
        "world": world_to_json(case.world),
        "ops": [op_to_json(op) for op in case.ops],
        "verdict": [str(verdict) for verdict in case.verdicts],
        "reason": vector.reason,
        "means": vector.means,
        "control": vector.control,
        "refs": list(vector.refs),
    }


def _cwe(vector: Vector) -> str:
    technique = TECHNIQUES.get(vector.technique)
    return technique.cwe if technique else vector.cwe


def _csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["id"])
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return text.getvalue()


def _cell(value: Any) -> Any:
    return value if isinstance(value, str | None) else json.dumps(value)


def _txt(rows: list[dict[str, Any]]) -> str:
    """Return the bare spellings, one a line, for tools that take a list of payloads."""
    spellings = (
        op[1]
        for row in rows
        for op, verdict in zip(row["ops"], row["verdict"], strict=True)
        if verdict != "allow" and isinstance(op, list) and len(op) > 1 and isinstance(op[1], str)
    )
    return "".join(f"{line}\n" for line in dict.fromkeys(spellings) if line.isprintable())


_FORMS: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "json": lambda rows: json.dumps(rows, indent=1) + "\n",
    "jsonl": lambda rows: "".join(json.dumps(row) + "\n" for row in rows),
    "csv": _csv,
    "txt": _txt,
}
FORMS = tuple(_FORMS)

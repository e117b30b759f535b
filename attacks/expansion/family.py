"""From rows written by techniques to a family of vectors as it is checked in."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.codec import grant_from_json, op_to_json, world_from_json
from capfuzz.attacks.rulings import Setting, rule

_REASON_RANK = ("path_traversal", "malformed_op")


@dataclass(frozen=True, slots=True)
class Row:
    """
    One vector to be.

    ``verdict`` may be left out for a single op: the oracle's is taken. ``control`` is the benign
    twin, itself a row; None makes this row a control. ``grant`` and ``world`` replace those parts
    of the family's that they name.
    """

    technique: str
    ops: tuple[object, ...]
    control: "Row | None" = None
    means: str = ""
    comment: str = ""
    flags: tuple[str, ...] = ()
    verdict: tuple[Verdict, ...] = ()
    reason: str | None = None
    grant: Mapping[str, Any] = field(default_factory=dict)
    world: Mapping[str, Any] = field(default_factory=dict)
    surfaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """One file of the corpus: what its vectors share, and the rows that become vectors."""

    name: str
    surfaces: tuple[str, ...]
    cwe: str
    grant: Mapping[str, Any]
    world: Mapping[str, Any]
    notes: Mapping[str, Mapping[str, Any]]
    rows: Callable[[], Iterator[Row]]


def document(family: Family) -> dict[str, Any]:
    """
    Return the family in the form of ``corpus/schema.json``, controls beside their attacks.

    A row that comes twice is one vector; raises ValueError for two vectors of one id.
    """
    vectors: dict[str, dict[str, Any]] = {}
    asked: set[str] = set()
    for row in family.rows():
        # What a plainer technique of the family asks already would find nothing more.
        if row.control is not None and _digest(row, family.name) in asked:
            continue
        for one in (row.control, row):
            if one is not None:
                vector = _vector(one, family)
                asked.add(_digest(one, family.name))
                if vectors.setdefault(vector["id"], vector) != vector:
                    raise ValueError(f"{family.name}: {vector['id']} stands for two vectors")
    return {
        "family": family.name,
        "surfaces": list(family.surfaces),
        "cwe": family.cwe,
        "grant": dict(family.grant),
        "world": dict(family.world),
        "notes": {flag: dict(note) for flag, note in family.notes.items()},
        "vectors": list(vectors.values()),
    }


def text(family: Family) -> str:
    """Return the file's exact text: one vector a line, ASCII, so that differences read well."""
    whole = document(family)
    vectors = whole.pop("vectors")
    head = json.dumps(whole, indent=1, ensure_ascii=True).removesuffix("\n}")
    lines = ",\n  ".join(json.dumps(vector, ensure_ascii=True) for vector in vectors)
    return f'{head},\n "vectors": [\n  {lines}\n ]\n}}\n'


def vector_id(row: Row, family: str) -> str:
    """Return an id that depends on the family's name, and the row's ops, grant and world alone."""
    return f"{row.technique}.{_digest(row, family)}"


def _digest(row: Row, family: str) -> str:
    content = [family, [op_to_json(op) for op in row.ops], dict(row.grant), dict(row.world)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]


def _vector(row: Row, family: Family) -> dict[str, Any]:
    verdict, reason = _verdict(row, family)
    vector: dict[str, Any] = {
        "id": vector_id(row, family.name),
        "technique": row.technique,
        "flags": list(row.flags),
    }
    if row.surfaces:
        vector["surfaces"] = list(row.surfaces)
    for name, part in (("grant", row.grant), ("world", row.world)):
        if part:
            vector[name] = dict(part)
    return vector | {
        "ops": [op_to_json(op) for op in row.ops],
        "verdict": [str(one) for one in verdict],
        "reason": reason,
        "means": row.means,
        "control": None if row.control is None else vector_id(row.control, family.name),
        "comment": row.comment,
    }


def _verdict(row: Row, family: Family) -> tuple[tuple[Verdict, ...], str | None]:
    if row.verdict:
        return row.verdict, row.reason
    (op,) = row.ops  # a sequence states its verdicts itself
    grant = grant_from_json({**family.grant, **row.grant})
    world = world_from_json({**family.world, **row.world})
    ruling = rule(op, Setting(grant, world, world.files))
    if ruling.verdict is Verdict.DENY:
        return (Verdict.DENY,), min(ruling.reasons, key=_rank)
    # A hostile-looking name that is merely a name may be refused all the same.
    return (ruling.verdict if row.control is None else Verdict.CONTAIN,), None


def _rank(reason: str) -> tuple[int, str]:
    known = reason in _REASON_RANK
    return (_REASON_RANK.index(reason) if known else len(_REASON_RANK), reason)

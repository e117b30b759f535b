"""How a run came out, as a table for people and as JSON for programs."""

import json
import os
import platform
from collections.abc import Iterable, Iterator
from typing import Any

from entries import Entry, Role
from verdicts import Outcome, Status

_HEADINGS = ("entry", "vulnerable", "found", "by", "ops", "s", "must hold", "held", "s")


def machine() -> str:
    """Return what the figures were taken on, in one line."""
    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    return f"{system}, {os.cpu_count()} cores"


def rows(outcomes: Iterable[Outcome]) -> list[tuple[str, ...]]:
    """Return one row an entry, of the columns that `text` and `markdown` print."""
    return [_row(entry, sides) for entry, sides in _by_entry(outcomes)]


def _by_entry(outcomes: Iterable[Outcome]) -> Iterator[tuple[Entry, dict[Role, Outcome]]]:
    grouped: dict[str, dict[Role, Outcome]] = {}
    for outcome in outcomes:
        grouped.setdefault(outcome.side.entry.id, {})[outcome.side.role] = outcome
    for sides in grouped.values():
        yield next(iter(sides.values())).side.entry, sides


def _row(entry: Entry, sides: dict[Role, Outcome]) -> tuple[str, ...]:
    held = sides.get(Role.FIXED) or sides.get(Role.CURRENT)
    return (entry.id, *_broken_columns(sides.get(Role.VULNERABLE)), *_held_columns(held))


def _broken_columns(outcome: Outcome | None) -> tuple[str, ...]:
    if outcome is None:
        return ("-",) * 5
    found = {Status.AS_EXPECTED: "yes", Status.MISSED: "NO"}.get(outcome.status, "not measured")
    technique = outcome.found.technique if outcome.found else "-"
    ops = str(len(outcome.found.ops)) if outcome.found else "-"
    return (outcome.side.version, found, technique, ops, f"{outcome.seconds:.1f}")


def _held_columns(outcome: Outcome | None) -> tuple[str, ...]:
    if outcome is None:
        return ("-",) * 3
    held = {
        Status.AS_EXPECTED: "yes, but" if outcome.remark else "yes",
        Status.UNMEASURED: "not measured",
    }.get(outcome.status, "NO")
    return (outcome.side.version, held, f"{outcome.seconds:.1f}")


def remarks(outcomes: Iterable[Outcome]) -> list[str]:
    """Return a sentence for each side that needs one."""
    return [
        f"{outcome.side}: {outcome.status}; {outcome.remark}"
        for outcome in outcomes
        if outcome.remark
    ]


def text(outcomes: list[Outcome]) -> str:
    """Return the table with aligned columns, and the remarks below."""
    table = [_HEADINGS, *rows(outcomes)]
    widths = [max(len(row[column]) for row in table) for column in range(len(_HEADINGS))]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
    return "\n".join([*lines, "", *remarks(outcomes)]).rstrip() + "\n"


def markdown(outcomes: list[Outcome], about: dict[str, str]) -> str:
    """Return the table for RESULTS.md, under what it was measured with."""
    head = "\n".join(f"- {name}: {value}" for name, value in about.items())
    table = [_HEADINGS, ("---",) * len(_HEADINGS), *rows(outcomes)]
    body = "\n".join("| " + " | ".join(row) + " |" for row in table)
    notes = "".join(f"\n- {remark}" for remark in remarks(outcomes))
    return f"# Real packages under attack\n\n{head}\n\n{body}\n{notes}".rstrip() + "\n"


def as_json(outcomes: list[Outcome], about: dict[str, str]) -> str:
    """Return everything as JSON."""
    return json.dumps({"about": about, "sides": [_plain(one) for one in outcomes]}, indent=2) + "\n"


def _plain(outcome: Outcome) -> dict[str, Any]:
    found = outcome.found
    return {
        "entry": outcome.side.entry.id,
        "package": outcome.side.entry.package,
        "role": outcome.side.role,
        "version": outcome.side.version,
        "status": outcome.status,
        "verdict": outcome.verdict,
        "technique": found.technique if found else None,
        "ops": list(found.ops) if found else None,
        "observed": found.observed if found else None,
        "remark": outcome.remark,
        "seconds": round(outcome.seconds, 2),
    }

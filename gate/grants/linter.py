"""``capfuzz lint``: all that is to be said of a grant, as text and as JSON."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from capfuzz.attacks.invariants import Severity
from capfuzz.gate.grants import budgets, hosts, lists, places, spellings
from capfuzz.gate.grants.rules import ERROR, Entry, Remark, Rule, Subject, subject
from capfuzz.targets.grant_file import LISTS, GrantFile
from rich.console import Console
from rich.text import Text

REFUSED = Rule(
    "CL001",
    "refused",
    ERROR,
    "A grant with it cannot be made, so nothing of the file is in force.",
    "Write what the rule asks for.",
)
UNKNOWN_KEY = Rule(
    "CL002",
    "unknown-key",
    ERROR,
    "What it was to grant, or to limit, would be left out in silence.",
    "Use the name of a field of a grant.",
)
_PARTS = (lists, places, hosts, budgets, spellings)
_RULES = (one for part in _PARTS for one in vars(part).values() if isinstance(one, Rule))
RULES = {rule.id: rule for rule in (REFUSED, UNKNOWN_KEY, *_RULES)}
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def lint(file: GrantFile, dialect: frozenset[str] = frozenset()) -> list[Remark]:
    """Return all remarks on a file, in the order of its lines, those on the whole of it first."""
    found = [*_refused(file)]
    looked_into = subject(file, dialect)
    for part in _PARTS:
        found += part.remarks(looked_into)
    return sorted(found, key=lambda one: (file.line(one.key, one.entry) or 0, one.rule.id))


def remarks_on(one: Entry) -> Iterator[Remark]:
    """Yield what is to be said of one entry by itself."""
    alone = Subject({**dict.fromkeys(LISTS, ()), one.key: (one,)}, {})
    for part in _PARTS:
        yield from (remark for remark in part.remarks(alone) if remark.entry == one.number)


def _refused(file: GrantFile) -> Iterator[Remark]:
    for fault in file.faults:
        rule = UNKNOWN_KEY if fault.unknown else REFUSED
        yield Remark(rule, rule.severity, fault.key, fault.entry, fault.said)


def show(file: GrantFile, remarks: list[Remark], console: Console) -> None:
    """Print each remark with its place, for each rule why it matters and what to do, and a count."""
    explained = set()
    for one in remarks:
        line = Text(f"{_place(file, one)}: ")
        line.append(f"{one.severity} {one.rule.id} {one.rule.name}", _COLOURS[one.severity])
        what = one.what if one.rule in (REFUSED, UNKNOWN_KEY) else f"{one.key}: {one.what}"
        console.print(line.append(f": {what}"), soft_wrap=True)
        if one.rule.id not in explained:
            explained.add(one.rule.id)
            reasons = Text(f"    why: {one.rule.why}\n    do:  {one.rule.remedy}")
            console.print(reasons, soft_wrap=True)
    counts = Counter(one.severity for one in remarks)
    told = ", ".join(f"{n} {one}{'s' * (n != 1)}" for one in Severity if (n := counts[one]))
    console.print(Text(f"{file.name}: {told or 'nothing to remark'}"), soft_wrap=True)


def as_json(file: GrantFile, remarks: list[Remark]) -> list[dict[str, Any]]:
    """Return the remarks as plain data; ``entry`` counts from 0."""
    return [
        {
            "rule": one.rule.id,
            "name": one.rule.name,
            "severity": str(one.severity),
            "file": file.name,
            "line": file.line(one.key, one.entry),
            "key": one.key,
            "entry": one.entry,
            "what": one.what,
            "why": one.rule.why,
            "do": one.rule.remedy,
        }
        for one in remarks
    ]


def dumped(found: list[dict[str, Any]]) -> str:
    """Return the report as text."""
    return json.dumps({"remarks": found}, indent=2) + "\n"


def fails(remarks: list[Remark], fail_on: Severity) -> bool:
    """Tell whether a remark weighs as much as ``fail_on``, or more."""
    order = [*Severity]
    return any(order.index(one.severity) <= order.index(fail_on) for one in remarks)


def _place(file: GrantFile, remark: Remark) -> str:
    line = file.line(remark.key, remark.entry)
    return file.name if line is None else f"{file.name}:{line}"

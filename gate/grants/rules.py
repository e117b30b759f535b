"""
The rules of ``capfuzz lint GRANT.toml``: ids, weights, why each matters and what to do.

These are faults of a grant; the faults of the corpus are `capfuzz.gate.lint`'s. Ids never change
meaning. An *error* grants what hardly anybody means to grant, or is no grant at all; a *warning* is
more, or less, than it seems to be; a *note* is right here and may be read otherwise elsewhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from capfuzz.attacks.invariants import Severity
from capfuzz.engine.hosts import normal_host
from capfuzz.engine.paths import canonical
from capfuzz.targets.given import short
from capfuzz.targets.grant_file import BUDGETS, LISTS, GrantFile

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


class Rule(NamedTuple):
    """One thing that can be wrong with a grant."""

    id: str
    name: str
    severity: Severity
    why: str
    remedy: str


class Entry(NamedTuple):
    """One entry of a list: its text as the file has it, and the form that is compared."""

    key: str
    number: int
    text: str
    plain: str


class Remark(NamedTuple):
    """A rule that an entry, or a key as a whole, falls under."""

    rule: Rule
    severity: Severity
    key: str
    entry: int | None
    what: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What of a grant the engine takes: entries by list, budgets, and the target's dialect."""

    entries: Mapping[str, tuple[Entry, ...]]
    budgets: Mapping[str, int]
    stated: frozenset[str] = frozenset()
    dialect: frozenset[str] = field(default_factory=frozenset)

    @property
    def paths(self) -> tuple[Entry, ...]:
        """All roots, those for reading first."""
        return (*self.entries["fs_read"], *self.entries["fs_write"])


def subject(file: GrantFile, dialect: frozenset[str]) -> Subject:
    """Return what can be looked into of a file: what the engine refuses is told by itself."""
    refused = {(fault.key, fault.entry) for fault in file.faults}
    found = {}
    for key in LISTS:
        values = () if (key, None) in refused else file.values.get(key, ())
        kept = [(n, text) for n, text in enumerate(values) if (key, n) not in refused]
        found[key] = tuple(entry(key, number, text) for number, text in kept)
    budgets = {
        key: value
        for key in BUDGETS
        if (key, None) not in refused and (value := file.values.get(key)) is not None
    }
    return Subject(found, budgets, frozenset(file.values), dialect)


def entry(key: str, number: int, text: str) -> Entry:
    """Return an entry that the engine takes, with its plain form."""
    if key == "net_hosts":
        return Entry(key, number, text, normal_host(text) or text)
    return Entry(key, number, text, canonical(text) if key.startswith("fs_") else text)


def said(rule: Rule, one: Entry, what: str, severity: Severity | None = None) -> Remark:
    """Return a remark about an entry."""
    return Remark(
        rule, severity or rule.severity, one.key, one.number, f"'{short(one.text)}' {short(what)}"
    )


def ancestors(path: str) -> Iterator[str]:
    """Yield the folders above a canonical path, the nearest first, ``/`` last."""
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path

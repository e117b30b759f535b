"""The table of real packages: what is attacked, at which versions, and what must come out."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PACKAGES = HERE / "packages.toml"
ADAPTERS = HERE / "adapters"
ECOSYSTEMS = ("pypi", "npm", "stdlib")
SURFACES = ("path", "host", "ssrf", "archive", "eval", "http", "mcp", "runtime")


class Role(StrEnum):
    """What is expected of a version: ``vulnerable`` must break, the other two must hold."""

    VULNERABLE = "vulnerable"
    FIXED = "fixed"
    CURRENT = "current"


class EntryError(ValueError):
    """An entry of the table breaks a rule; the text names the entry, the key and the rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One package with the versions to attack.

    ``adapter`` is ``module:function`` below ``adapters/``; ``fixed_adapter`` replaces it where
    the fault is in how the package is used. ``runtime`` is the Python to run on, by leading
    numbers. ``techniques`` are groups, any of which must find the fault; ``remaining`` are groups
    that the versions which must hold are known not to withstand. ``also`` are further pinned
    requirements; with ``no_deps`` they are the only ones. ``release`` and
    ``fixed_release`` are the Debian releases from whose packages the vulnerable and the fixed
    Python are unpacked.
    """

    id: str
    package: str
    ecosystem: str
    surface: str
    adapter: str
    why: str
    documents: str
    runtime: str = ""
    fixed_adapter: str = ""
    vulnerable: str = ""
    fixed: str = ""
    current: str = ""
    cve: str = ""
    techniques: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    no_deps: bool = False
    release: str = ""
    fixed_release: str = ""

    def sides(self) -> Iterator["Side"]:
        """Yield one side a version, the vulnerable one first."""
        for role in Role:
            if version := getattr(self, role.value):
                yield Side(self, role, version)


@dataclass(frozen=True, slots=True)
class Side:
    """One version of an entry."""

    entry: Entry
    role: Role
    version: str

    @property
    def adapter(self) -> str:
        """The ``module:function`` to attack."""
        own = self.entry.fixed_adapter if self.role is Role.FIXED else ""
        return own or self.entry.adapter

    @property
    def runtime(self) -> str:
        """The Python that runs the package; of the standard library it is the version itself."""
        return self.version if self.entry.ecosystem == "stdlib" else self.entry.runtime

    @property
    def release(self) -> str:
        """The Debian release to take the Python from, empty where it is installed here."""
        releases = {Role.VULNERABLE: self.entry.release, Role.FIXED: self.entry.fixed_release}
        return releases.get(self.role, "")

    def __str__(self) -> str:
        """Return the entry's id, the role and the version."""
        return f"{self.entry.id} {self.role} {self.version}"


_REQUIRED = ("id", "package", "ecosystem", "surface", "adapter", "why", "documents")
_KINDS = {str: str, bool: bool, tuple[str, ...]: list}
_FIELDS = {name: _KINDS[kind] for name, kind in Entry.__annotations__.items()}


def load(path: Path = PACKAGES) -> tuple[Entry, ...]:
    """Return the entries in the order of the file; raises `EntryError` at the first fault."""
    tables = tomllib.loads(path.read_text(encoding="utf-8")).get("entry", [])
    entries = tuple(entry_from(table) for table in tables)
    ids = [entry.id for entry in entries]
    for each in ids:
        _demand(ids.count(each) == 1, each, "id", "two entries carry it")
    return entries


def entry_from(table: dict[str, Any]) -> Entry:
    """Return the entry that a table of the file describes."""
    name = str(table.get("id", "(no id)"))
    for key in _REQUIRED:
        _demand(bool(table.get(key)), name, key, "must be given")
    for key, value in table.items():
        _demand(key in _FIELDS, name, key, "is not a key of an entry")
        _demand(isinstance(value, _FIELDS[key]), name, key, f"must be a {_FIELDS[key].__name__}")
    lists = {key: tuple(value) for key, value in table.items() if isinstance(value, list)}
    return _consistent(Entry(**{**table, **lists}))


def _consistent(entry: Entry) -> Entry:
    _demand(entry.ecosystem in ECOSYSTEMS, entry.id, "ecosystem", f"must be one of {ECOSYSTEMS}")
    _demand(entry.surface in SURFACES, entry.id, "surface", f"must be one of {SURFACES}")
    _demand(entry.adapter.count(":") == 1, entry.id, "adapter", "must be module:function")
    _demand(any(entry.sides()), entry.id, "vulnerable", "or fixed or current must be given")
    if entry.vulnerable:
        _demand(bool(entry.techniques), entry.id, "techniques", "must say what finds the fault")
    if entry.ecosystem == "pypi":
        _demand(bool(entry.runtime), entry.id, "runtime", "must name the Python to run on")
    return entry


def _demand(holds: bool, entry: str, key: str, rule: str) -> None:  # noqa: FBT001 - an assertion
    if not holds:
        raise EntryError(f"entry {entry}: {key} {rule}")

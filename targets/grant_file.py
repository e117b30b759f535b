"""
A grant as a person writes it, in a TOML file.

The keys are the fields of `capfuzz.engine.Capabilities`, all at the top level or all in a table
``[grant]``; a key that is left out has the engine's default: an empty list, or its usual budget.
Anything else in the file is a fault, so that a typo never grants less, or more, than was meant.
"""

import inspect
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from capfuzz.engine import Capabilities, GrantError
from capfuzz.targets.base import TargetError
from capfuzz.targets.given import GivenError, parsed, short
from capfuzz.targets.suggest import nearest
from capfuzz.targets.toml_lines import Lines, is_deep, lines

LISTS = ("fs_read", "fs_write", "net_hosts", "allowed_tools")
# What holds where a budget is left out.
BUDGETS: Mapping[str, int] = {
    name: parameter.default
    for name, parameter in inspect.signature(Capabilities).parameters.items()
    if name not in LISTS
}
KEYS = (*LISTS, *BUDGETS)
_TABLE = "grant"
_MOST = 1024 * 1024  # bytes
_KEY = 60  # characters of a key in an error


class Fault(NamedTuple):
    """What keeps a file from being a grant: the key, which entry of its list, and the rule."""

    key: str
    entry: int | None
    said: str
    unknown: bool = False  # whether the key itself is the fault


@dataclass(frozen=True, slots=True)
class GrantFile:
    """What a file says: ``values`` by key as TOML has them, ``faults``, and where things stand."""

    name: str
    values: Mapping[str, Any]
    faults: tuple[Fault, ...]
    lines: Mapping[str, Lines]

    def line(self, key: str, entry: int | None = None) -> int | None:
        """Return the line of a key, or of an entry of its list; None where it is left out."""
        found = self.lines.get(key)
        if found is None:
            return None
        return found.key if entry is None or entry >= len(found.entries) else found.entries[entry]

    def grant(self) -> Capabilities:
        """Return the grant; raises `TargetError` with the first fault."""
        if not self.faults:
            return Capabilities(**self.values)
        first, *more = self.faults
        line = self.line(first.key, first.entry)
        place = self.name if line is None else f"{self.name}:{line}"
        rest = f" (and {len(more)} more; capfuzz lint tells all)" if more else ""
        raise TargetError(f"{place}: {first.said}{rest}")


def read(path: str) -> GrantFile:
    """Return what a file says; raises `TargetError` where it is no TOML file at all."""
    try:
        values, where = parsed(path, _whole, "TOML", _MOST)
    except GivenError as error:
        raise TargetError(f"{path}: {error}") from None
    known = {key: value for key, value in values.items() if key in KEYS}
    return GrantFile(path, known, (*_strangers(values), *_faults(known)), where)


def _whole(text: str) -> tuple[Mapping[str, Any], dict[str, Lines]]:
    if is_deep(text):
        raise GivenError("has too many dotted keys to be a grant")
    whole = tomllib.loads(text)
    inner = whole.get(_TABLE)
    if isinstance(inner, dict):
        outer = {key: value for key, value in whole.items() if key != _TABLE}
        twice = [key for key in outer if key in KEYS]
        if twice:
            raise GivenError(f"{twice[0]}: stands outside [{_TABLE}]; write all keys in one place")
        whole = {**outer, **inner}
    return whole, lines(text)


def _strangers(values: Mapping[str, Any]) -> Iterator[Fault]:
    for key in values:
        if key not in KEYS:
            name = short(key, _KEY)
            said = f"'{name}' is no key of a grant{nearest(key, (*KEYS, _TABLE))}"
            yield Fault(key, None, said, unknown=True)


def _faults(values: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what the engine refuses, entry by entry and in its own words."""
    for key, value in values.items():
        if key in BUDGETS:
            yield from _refusal(key, None, value)
        elif isinstance(value, list):
            for number, entry in enumerate(value):
                yield from _refusal(key, number, [entry])
        else:
            said = f"{key}: must be a list of texts, not {_kind(value)}; write [...] around them"
            yield Fault(key, None, said)


def _refusal(key: str, entry: int | None, value: Any) -> Iterator[Fault]:
    try:
        Capabilities(**{key: value})
    except GrantError as error:
        yield Fault(key, entry, short(str(error)))


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "one text"
    return "a table" if isinstance(value, dict) else f"a {type(value).__name__}"

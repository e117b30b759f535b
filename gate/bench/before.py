"""A measurement of before, read from a file that anybody may have changed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from capfuzz.gate.bench.interpreter import Build
from capfuzz.gate.bench.paired import Paired, middle
from capfuzz.gate.bench.saved import BUILD
from capfuzz.gate.errors import UsageError
from capfuzz.targets.given import GivenError, parsed, short

_LARGEST = 64 * 1024 * 1024  # bytes
_MOST_CALLS = 10_000_000  # in a block
_MOST_RATIOS = 1_000  # one a process
# Of an op by the unit of about 0.1 us: from a millionth of it to a hundred seconds.
_LEAST, _GREATEST = 1e-6, 1e9


@dataclass(frozen=True, slots=True)
class Saved:
    """A measurement of before: its build, and for each workload its calls a block and its ratio."""

    spec: str
    build: Build
    calls: Mapping[str, int]
    ratios: Mapping[str, Paired]


def load(path: str) -> Saved:
    """Return a measurement of before; raises `UsageError` where the file holds none."""
    try:
        whole = parsed(path, json.loads, "JSON", _LARGEST)
    except GivenError as error:
        raise UsageError(f"{path}: {error}") from None
    try:
        return _saved(whole)
    except GivenError as error:
        raise UsageError(f"{path}: was not written by capfuzz bench --save: {error}") from None


def _saved(whole: Any) -> Saved:
    build = _build(_of(_of(whole, "machine_info", dict), BUILD, dict))
    entries = _entries(_of(whole, "benchmarks", list))
    return Saved(
        spec=", ".join(sorted({_of(extra, "spec", str, name) for name, extra in entries.items()})),
        build=build,
        calls={name: _calls(name, extra) for name, extra in entries.items()},
        ratios={name: _ratio(name, extra) for name, extra in entries.items()},
    )


def _build(found: Mapping[str, Any]) -> Build:
    for one in fields(Build):
        _of(found, one.name, bool if one.name == "optimised" else str)
    return Build(**{one.name: found[one.name] for one in fields(Build)})


def _entries(benchmarks: list[Any]) -> dict[str, dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = {}
    for one in benchmarks:
        name = _of(one, "name", str)
        if name in entries:
            raise GivenError(f"{_at('name', name)} stands there twice")
        entries[name] = _of(one, "extra_info", dict, name)
    return entries


def _calls(name: str, extra: Mapping[str, Any]) -> int:
    calls: int = _of(extra, "calls", int, name)
    if not 1 <= calls <= _MOST_CALLS:
        raise GivenError(f"{_at('calls', name)} must be from 1 to {_MOST_CALLS:,}")
    return calls


def _ratio(name: str, extra: Mapping[str, Any]) -> Paired:
    ratios = _of(extra, "ratios", list, name)
    if not (1 <= len(ratios) <= _MOST_RATIOS and all(map(_is_ratio, ratios))):
        raise GivenError(
            f"{_at('ratios', name)} must be 1 to {_MOST_RATIOS:,} numbers "
            f"from {_LEAST:g} to {_GREATEST:g}"
        )
    return middle([float(one) for one in ratios])


def _is_ratio(value: object) -> bool:
    """Tell whether a value can be a ratio; what is not a number compares with nothing."""
    return type(value) in {int, float} and _LEAST <= value <= _GREATEST  # type: ignore[operator]


def _of(whole: Any, key: str, kind: type, name: str | None = None) -> Any:
    """Return the value of a key, which is of just this kind: True is no number here."""
    if not isinstance(whole, dict):
        raise GivenError(f"{_at(key, name)} stands in no object")
    if key not in whole:
        raise GivenError(f"{_at(key, name)} is missing")
    if type(whole[key]) is not kind:
        raise GivenError(f"{_at(key, name)} must be {_KINDS[kind]}")
    return whole[key]


def _at(key: str, name: str | None) -> str:
    return f"{key}" if name is None else f"benchmark '{short(name, 60)}': {key}"


_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a whole number",
    bool: "true or false",
}

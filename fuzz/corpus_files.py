"""
The corpus-file harness: bytes to the text of a family of vectors, or of a finding to replay.

Reading raises its own error or gives what survives being written and read again.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from capfuzz.attacks.case import Case
from capfuzz.attacks.codec import (
    grant_from_json,
    grant_to_json,
    op_from_json,
    op_to_json,
    world_from_json,
    world_to_json,
)
from capfuzz.attacks.invariants import Severity
from capfuzz.attacks.vectors import CorpusError, load
from capfuzz.fuzz.looking import Fault
from capfuzz.gate.errors import UsageError
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Log
from capfuzz.gate.replay import case_from, find

_REPLAYED = 2  # this bit of the first byte has the text read as a finding, not as a family
EXAMPLE: dict[str, Any] = {
    "family": "example",
    "surfaces": ["session"],
    "cwe": "CWE-22",
    "grant": {"fs_read": ["/work/"], "max_ops": 5},
    "world": {"files": {"/work/data.txt": "honest data"}},
    "notes": {"flag": {"bug": "a bug", "effect": "an effect", "cves": [], "links": []}},
    "vectors": [
        {
            "id": "example-1",
            "technique": "plain-file",
            "flags": ["flag"],
            "ops": [["fs_read", "/work/data.txt"]],
            "verdict": ["allow"],
            "reason": None,
            "means": "the file itself",
            "control": None,
            "comment": "honest",
        }
    ],
}
FINDING: dict[str, Any] = {
    "surface": "session",
    "invariant": "confined",
    "techniques": ["outside"],
    "grant": {"fs_read": ["/work/"]},
    "world": {"files": {"/work/data.txt": "honest data"}},
    "ops": [["fs_read", "/etc/passwd"]],
    "verdict": ["deny"],
}
_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1e308, "", "\ud800", "/work/..", [], {}, [[]], [None], {"$bytes": "zz"}),
    *({"$bytes": "00"}, {"$float": "nan"}, {"$float": "x"}, {"$repeat": ["a", 300]}, {"$lie": "/"}),
    *({"$repeat": ["", 3]}, {"$repeat": ["ab", 99_999]}, {"$list": [1, ["x"]]}, {"$list": 3}),
    *(["fs_read", "/x"], ["tool", "t", {"$lie": "x"}], "session", "allow", ["allow", "deny"]),
    *({"$bytes": "00", "$lie": "x"}, {"$nothing": 1}, 10**40, ["fs_write", "/x", {"$bytes": ""}]),
)


@dataclass(slots=True)
class FileLook:
    """Read a file as the suite reads one."""

    log: Log = field(default_factory=Log)

    def __call__(self, data: bytes) -> list[Fault]:
        """Read the text that ``data`` says, and write what it holds."""
        self.log.cases += 1
        self.log.checked["fail-closed"] += 1
        text, read = text_of(data), _vectors
        if data[:1] and data[0] & _REPLAYED:
            read = _replayed
        try:
            cases = read(text)
            same = all(map(_survives, cases))
        except (CorpusError, UsageError):
            return []
        except Exception as error:  # noqa: BLE001 - any other is what is looked for
            return [self._fault("fail-closed", type(error).__name__, f"raised {error!r}")]
        self.log.checked["deterministic"] += bool(cases)
        if same:
            return []
        return [self._fault("deterministic", "round-trip", "read differently when written anew")]

    def _fault(self, invariant: str, how: str, observed: str) -> Fault:
        self.log.broken[invariant] += 1
        expected = "vectors that survive being written and read again, or a CorpusError"
        key = Key(invariant, "corpus-file", how, Severity.ERROR)
        return Fault(key, "hostile-file", None, observed, expected)


def _vectors(text: bytes) -> list[Case]:
    with TemporaryFile() as file:  # has no name, so that a kill leaves none
        file.write(text)
        file.flush()
        return [vector.case for vector in load([Path(f"/dev/fd/{file.fileno()}")])]


def _replayed(text: bytes) -> list[Case]:
    # The command line hands over text; what is no UTF-8 comes as lone surrogates.
    found = find("{" + text.decode("utf-8", "surrogateescape").lstrip().removeprefix("{"))
    return [case_from(found.case)]


def _survives(case: Case) -> bool:
    """Tell whether a case reads the same once it was written as JSON and read again."""
    text = json.dumps(_written(case))
    return json.dumps(_written(_read(json.loads(text)))) == text


def _written(case: Case) -> dict[str, Any]:
    return {
        "grant": grant_to_json(case.grant),
        "world": world_to_json(case.world),
        "ops": [op_to_json(op) for op in case.ops],
    }


def _read(value: dict[str, Any]) -> Case:
    ops = tuple(map(op_from_json, value["ops"]))
    names = ("plain",) * len(ops)
    return Case(
        grant_from_json(value["grant"]), world_from_json(value["world"]), ops, names, "read"
    )


def text_of(data: bytes) -> bytes:
    """Return the text of a file: literal after an odd byte, else an example with parts replaced."""
    if data[:1] and data[0] & 1:
        return data[1:]
    base = FINDING if data[:1] and data[0] & _REPLAYED else EXAMPLE
    whole = json.loads(json.dumps(base))
    for at in range(1, len(data) - 1, 2):
        places = list(_places(whole))
        places[data[at] % len(places)](_VALUES[data[at + 1] % len(_VALUES)])
    return json.dumps(whole).encode()


def _set(holder: Any, key: Any, new: Any) -> None:
    holder[key] = json.loads(json.dumps(new))  # a copy, so that no two places share one


def _places(value: Any) -> Iterator[Callable[[Any], None]]:
    """Yield a setter for every place of a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in list(items):
        yield partial(_set, value, key)
        if isinstance(part, dict | list):
            yield from _places(part)

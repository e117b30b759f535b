"""From what the workers told to findings: minimised, in the form that every report has."""

import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from capfuzz.attacks.case import Case
from capfuzz.attacks.codec import grant_to_json, op_to_json
from capfuzz.attacks.invariants import Severity
from capfuzz.fuzz import deaths, records
from capfuzz.fuzz.harness import HARNESSES
from capfuzz.fuzz.looking import Fault, Look, renamed
from capfuzz.fuzz.pool import Death, Pool
from capfuzz.gate.events import Finding
from capfuzz.gate.findings import findings
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Log
from capfuzz.gate.shrink import shrink
from capfuzz.gate.write_up import finding_id, id_of, to_json
from capfuzz.targets.base import Target

_MOST_TRIES = 600  # to make an input smaller that no case can be told of
_CHEAP_TRIES = 60  # each is a process of its own
_DEADLY = "process-died"


@dataclass(slots=True)
class Seen:
    """What has been told so far; ``log`` has the controls in it already."""

    harness: str
    target: Target | None
    # The same, not announced to whoever supervises, to whom a death would look like a hang.
    bare: Target | None
    log: Log
    inputs: dict[str, bytes] = field(default_factory=dict)  # by id of a finding
    apart: dict[Key, tuple[Fault, bytes]] = field(default_factory=dict)
    deadly: list[Death] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """How many of severity error there are so far."""
        keys = (*self.log.hits, *self.apart)
        return sum(key.severity is Severity.ERROR for key in keys) + len(self.deadly)

    @property
    def stops(self) -> bool:
        """Whether something was found that weighs as much as an escape, or nothing can be."""
        return self.faults > 0 or bool(self.problems)

    def take(self, event: dict[str, Any] | Death) -> None:
        """Note one event of a worker."""
        if isinstance(event, Death):
            self.deadly.append(event)
        elif "fault" in event:
            self._fault(*records.to_fault(event["fault"]))
        elif event.get("problem"):
            self.problems.append(event["problem"])
        elif event.get("remark"):
            self.log.remarks.append(event["remark"])

    def _fault(self, fault: Fault, data: bytes) -> None:
        if fault.case is None or self.target is None:
            self.apart.setdefault(fault.key, (fault, data))
            return
        self.log.note(fault.key, fault.key.invariant, fault.case, fault.technique)
        self.inputs.setdefault(finding_id(self.target.surface, fault.key), data)

    def findings(self, seconds: float) -> tuple[Finding, ...]:
        """
        Return what was found, minimised; ``seconds`` is how long one case may take.

        Adds a remark for a death that did not happen again.
        """
        found = findings(self.target, self.log) if self.target is not None else ()
        # A worker tells the first input of a fault alone, so its other effects are not known.
        found = tuple(replace(one, effects=None) for one in found)
        return (*found, *_apart(self), *_deadly(self, seconds))

    def add_counts(self, pool: Pool) -> None:
        """Add up what the workers have checked."""
        self.log.tried["generated"] = pool.runs
        self.log.ops += pool.ops
        for worker in pool.everyone:
            self._add_checked(worker.last)

    def _add_checked(self, last: dict[str, Any]) -> None:
        for name, count in last.get("checked", {}).items():
            self.log.checked[name] += count
            self.log.matrix["generated", name, False] += count
        for name, count in last.get("broken", {}).items():
            self.log.broken[name] += count
            self.log.matrix["generated", name, True] += count
        for (invariant, door, group, severity), count in last.get("hits", ()):
            key = Key(invariant, door, group, Severity(severity))
            if key in self.log.hits:
                self.log.hits[key].count += count - 1


def _apart(seen: Seen) -> Iterator[Finding]:
    """Yield what no target was asked about."""
    look = HARNESSES[seen.harness].look(seen.target)
    for key, (fault, data) in seen.apart.items():
        small = smaller(data, partial(_shows, look, key))
        again = _fault(look, small, key) or fault
        id_ = id_of(seen.harness, *key)
        seen.inputs[id_] = small
        yield _plain_finding(id_, again, seen.harness, small)


def _shows(look: Look, key: Key, data: bytes) -> bool:
    return _fault(look, data, key) is not None


def _fault(look: Look, data: bytes, key: Key) -> Fault | None:
    return next((fault for fault in look(data) if fault.key == key), None)


def _plain_finding(id_: str, fault: Fault, harness: str, data: bytes) -> Finding:
    said = _compact({"harness": harness, "input": data.hex()})
    return Finding(
        id=id_,
        invariant=fault.key.invariant,
        family="generated",
        technique=fault.technique,
        severity=fault.key.severity,
        grant={},
        ops=[],
        observed=fault.observed,
        expected=fault.expected,
        cwe="CWE-703",
        refs=(),
        replay=f"capfuzz replay {shlex.quote(said)}",
        hits=1,
        vector="",
    )


def smaller(data: bytes, shows: Callable[[bytes], bool]) -> bytes:
    """Return the smallest input reached by leaving out ever shorter pieces, as long as it shows."""
    size, tries = max(1, len(data) // 2), 0
    while size and tries < _MOST_TRIES:
        for start in range(0, len(data), size):
            tries += 1
            candidate = data[:start] + data[start + size :]
            if tries < _MOST_TRIES and shows(candidate):
                data = candidate
                break
        else:
            size //= 2
    return data


def _deadly(seen: Seen, seconds: float) -> Iterator[Finding]:
    """Yield the deaths that happen again in a process apart, one finding for each way to end."""
    known: set[str] = set()
    for death in seen.deadly:
        how = _again(seen, death.data, seconds)
        if how is None or death.data is None:
            where = "outside of a run" if death.data is None else f"at {death.data.hex()}"
            seen.log.remarks.append(f"a worker {death.how} {where}, which did not happen again")
        elif how not in known:
            known.add(how)
            seen.log.broken["fail-closed"] += 1
            yield _death_finding(seen, death.data, how, seconds)


def _again(seen: Seen, data: bytes | None, seconds: float) -> str | None:
    """Return how a process ends that tries an input once more, None where it survives."""
    if data is None:
        return None
    look = HARNESSES[seen.harness].look(seen.bare)
    return deaths.death(lambda: look(data), seconds)


def _case(seen: Seen, data: bytes) -> Case | None:
    target = seen.bare
    decode = None if target is None else HARNESSES[seen.harness].decoder(target)
    if target is None or decode is None:
        return None
    case = decode(data, target.surface)
    adapted = None if case is None else target.adapt(case)
    return None if adapted is None else renamed(adapted)


def _shrunk(target: Target, case: Case, how: str, seconds: float) -> Case:
    """Leave out ops as long as the process still ends; a hang is not waited for again."""
    if how == deaths.HUNG or len(case.ops) == 1:
        return case
    tries = iter(range(_CHEAP_TRIES))

    def ends(one: Case) -> bool:
        return next(tries, None) is not None and deaths.of_case(target, one, seconds) == how

    return shrink(case, ends, whole=False)


def _death_finding(seen: Seen, data: bytes, how: str, seconds: float) -> Finding:
    target, case = seen.bare, _case(seen, data)
    key = Key("fail-closed", "any", how, Severity.ERROR)
    said = f"the process {how}" if how != deaths.HUNG else "hung, and could not be interrupted"
    id_ = id_of(seen.harness, *key) if target is None else finding_id(target.surface, key)
    seen.inputs[id_] = data
    fault = Fault(key, _DEADLY, case, said, "an answer, whatever the input")
    finding = _plain_finding(id_, fault, seen.harness, data)
    if target is None or case is None:
        return finding
    small = _shrunk(target, case, how, seconds)
    whole = _compact({**to_json(target.surface, "fail-closed", small), "ends_process": True})
    return replace(
        finding,
        grant=grant_to_json(small.grant),
        ops=[op_to_json(op) for op in small.ops],
        replay=f"capfuzz replay {shlex.quote(whole)} {shlex.quote(target.spec)}",
    )


def _compact(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))

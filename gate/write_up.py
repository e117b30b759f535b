"""From a fault to a finding: shrink the case, say what was seen, give it an id and a replay line."""

import hashlib
import json
import shlex
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.codec import grant_to_json, op_to_json, world_to_json
from capfuzz.attacks.invariants import Breach, judge
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.trace import Trace
from capfuzz.gate import comparisons, describe, effects, grouping
from capfuzz.gate.events import Finding, Told
from capfuzz.gate.grouping import Key
from capfuzz.gate.notes import Note, note_of
from capfuzz.gate.shrink import shrink
from capfuzz.targets.base import Target, TargetError


def write_up(
    target: Target, key: Key, case: Case, technique: str, kind: str | None = None
) -> Finding:
    """Return the finding for a fault that ``case`` shows, by a kind of effect if given, shrunk."""
    if key.group != grouping.HANG:  # every try would cost the time limit
        # Elsewhere than in a session the grant and the world are one fixture.
        whole = target.surface is Surface.SESSION
        case = shrink(case, lambda smaller: _shows(target, key, smaller, kind), whole=whole)
    told = _told(target, key, case, kind)
    return tell(target.spec, target.surface, key, case, technique, told)


def tell(
    spec: str,
    surface: Surface,
    key: Key,
    case: Case,
    technique: str,
    told: tuple[str, str, tuple[Told, ...]],
) -> Finding:
    """Return the finding for a case as it is; see `_told` for what is ``told`` of it."""
    observed, expected, steps = told
    note = _note(key, case.family, technique)
    described = TECHNIQUES.get(technique)
    return Finding(
        id=finding_id(surface, key),
        invariant=key.invariant,
        family=case.family,
        technique=technique,
        severity=key.severity,
        grant=grant_to_json(case.grant),
        ops=[op_to_json(op) for op in case.ops],
        observed=observed,
        expected=expected,
        cwe=described.cwe if described else "CWE-284",
        refs=described.refs if described else (),
        replay=replay_line(spec, surface, key, case),
        hits=1,
        vector=case.source,
        group=key.group,
        bug=note.bug,
        effect=note.effect,
        steps=steps,
    )


def _note(key: Key, family: str, technique: str) -> Note:
    compared = key.door == comparisons.DOOR  # by relation, not by technique
    return note_of(
        key.invariant, family, () if compared else (key.group, grouping.group_of(technique))
    )


def finding_id(surface: Surface, key: Key) -> str:
    """Return an id that stays the same across runs, seeds and machines."""
    return id_of(surface, key.invariant, key.door, key.group, key.severity)


def id_of(*parts: object) -> str:
    """Return the id that stands for these parts."""
    text = "/".join(map(str, parts))
    return f"CF-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def replay_line(spec: str, surface: Surface, key: Key, case: Case) -> str:
    """Return a command that shows the finding again and needs no file."""
    case_json = json.dumps(to_json(surface, key.invariant, case), separators=(",", ":"))
    return f"capfuzz replay {shlex.quote(case_json)} {shlex.quote(spec)}"


def to_json(surface: Surface, invariant: str, case: Case) -> dict[str, Any]:
    """Return everything that a replay needs."""
    return {
        "surface": str(surface),
        "invariant": invariant,
        "techniques": list(case.techniques),
        "grant": grant_to_json(case.grant),
        "world": world_to_json(case.world),
        "ops": [op_to_json(op) for op in case.ops],
        "verdict": [str(verdict) for verdict in case.verdicts],
    }


def breaches(target: Target, case: Case) -> tuple[Trace, list[tuple[Key, Breach]]]:
    """Run a case and return its trace with every fault that it shows."""
    trace = target.run(case)
    ruled = rulings(trace)
    found = []
    for breach in judge(trace).breaches:
        ruling = ruled[breach.step]
        assert ruling is not None
        found.append((grouping.key(trace, ruling, breach), breach))
    return trace, found


def _shows(target: Target, key: Key, case: Case, kind: str | None) -> bool:
    try:
        if key.door == comparisons.DOOR:
            return comparisons.broken(target, case, key.group)
        trace, found = breaches(target, case)
        return any(_is(one, key, trace, breach, kind) for one, breach in found)
    except TargetError:
        return False


def _is(found: Key, key: Key, trace: Trace, breach: Breach, kind: str | None) -> bool:
    """Tell whether a fault is that of ``key``, and shows by a kind of effect, if given."""
    return found == key and (kind is None or kind in effects.shown_by(key, trace, breach))


def _told(
    target: Target, key: Key, case: Case, kind: str | None
) -> tuple[str, str, tuple[Told, ...]]:
    """Return what was seen, what should have been, and the same op by op."""
    trace, found = breaches(target, case)
    for one, breach in found:
        if _is(one, key, trace, breach, kind):
            steps = describe.steps(trace, breach.step)
            return steps[breach.step].observed, steps[breach.step].expected, steps
    steps = describe.steps(trace, None)
    if key.door == comparisons.DOOR:
        return *comparisons.RELATIONS[key.group].described, steps
    return "not seen again", "the same every time", steps

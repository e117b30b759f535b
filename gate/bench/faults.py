"""From costs that were seen to findings, in the shape in which an attack tells its own."""

import shlex
from collections.abc import Iterable

from capfuzz.attacks.case import Surface
from capfuzz.attacks.codec import grant_to_json, op_to_json
from capfuzz.attacks.invariants import Severity
from capfuzz.gate.bench.hunt import Fault
from capfuzz.gate.events import Finding
from capfuzz.gate.write_up import id_of
from capfuzz.targets.options import Options, as_words

INVARIANT = "bounded-cost"
_FAMILY = "complexity"
_CWE = "CWE-407"  # inefficient algorithmic complexity
_REFS = ("CWE-1333", "CWE-400")  # of a regular expression; and what comes of it
_HEAVIEST_FIRST = ("hang", "growth", "outlier")


def findings(
    faults: Iterable[Fault], spec: str, surface: Surface, options: Options
) -> tuple[Finding, ...]:
    """Return one finding for the faults of one kind behind one kind of op: the costliest."""
    groups: dict[tuple[str, object], list[Fault]] = {}
    for fault in faults:
        groups.setdefault((fault.kind, fault.door), []).append(fault)
    order = sorted(groups, key=lambda key: (_HEAVIEST_FIRST.index(key[0]), str(key[1])))
    return tuple(_finding(groups[key], spec, surface, options) for key in order)


def _finding(faults: list[Fault], spec: str, surface: Surface, options: Options) -> Finding:
    worst = max(faults, key=lambda fault: fault.cost)
    return Finding(
        id=id_of(surface, INVARIANT, worst.door, worst.kind),
        invariant=INVARIANT,
        family=_FAMILY,
        technique=worst.technique,
        severity=Severity.ERROR,
        grant=grant_to_json(worst.case.grant),
        ops=[op_to_json(op) for op in worst.case.ops],
        observed=f"{worst.kind}: {worst.observed}{_others(faults, worst)}",
        expected=worst.expected,
        cwe=_CWE,
        refs=_REFS,
        replay=replay_line(spec, surface, options, worst.technique),
        hits=len(faults),
        vector=worst.vector,
    )


def replay_line(spec: str, surface: Surface, options: Options, technique: str) -> str:
    """Return a command that looks for the fault again."""
    words = [spec, *([] if spec == "engine" else ["--as", str(surface)]), *as_words(options)]
    return shlex.join(["capfuzz", "bench", *words, "--only", technique])


def _others(faults: list[Fault], worst: Fault) -> str:
    names = sorted({fault.technique for fault in faults} - {worst.technique})
    return f"; also {', '.join(names)}" if names else ""

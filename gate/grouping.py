"""Which breaches are one fault: by invariant, by what was attacked, by the techniques' groups."""

from collections.abc import Collection
from typing import NamedTuple

from capfuzz.attacks.invariants import Breach, Severity
from capfuzz.attacks.rulings import Ruling
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.attacks.trace import Trace

# A budget's own group, whatever op ran into it.
_BUDGET_GROUPS = {
    "max_ops": "max-ops",
    "max_wall": "max-wall",
    "max_output_bytes": "max-output",
    "halted": "halt",
}
BUDGETS = "budgets"
_DOORS = {"fs_read": "files", "fs_write": "files", "net_fetch": "hosts", "url": "hosts"}
# Whoever lets the plain thing through lets its spellings through: one fault.
_PLAIN_GROUPS = {"outside", "outside-host", "outside-tool"}
_IMPLIED = {"traversal": {"traversal-late"}}
_RANK = {name: rank for rank, name in enumerate(TECHNIQUES)}


class Key(NamedTuple):
    """What makes two breaches the same fault."""

    invariant: str
    door: str
    group: str
    severity: Severity


def key(trace: Trace, ruling: Ruling, breach: Breach) -> Key:
    """Return the fault that a breach belongs to."""
    if ruling.hard:
        # A budget does not care which op ran into it, or how that was spelt.
        group = _BUDGET_GROUPS["halted" if len(ruling.reasons) > 1 else min(ruling.reasons)]
        return Key(breach.invariant, BUDGETS, group, breach.severity)
    name = technique(trace, breach)
    door = _door(trace.steps[breach.step].op)
    return Key(breach.invariant, door, group_of(name), breach.severity)


def naming(one: Key, hits: Collection[str]) -> str:
    """Return the technique that names a budget's fault: of its own group, or made for budgets."""
    own = [name for name in hits if group_of(name) == one.group]
    arranged = [
        name for name in hits if name in TECHNIQUES and TECHNIQUES[name].kind is Kind.SCENARIO
    ]
    registered = [name for name, known in TECHNIQUES.items() if known.group == one.group]
    return min(own or arranged or registered or [one.group], key=rank)


def technique(trace: Trace, breach: Breach) -> str:
    """Return the technique of the op at which the invariant broke, or of the op it ran inside."""
    step = trace.steps[breach.step]
    if step.asked is not None:
        return trace.case.techniques[step.asked]
    outer = max(
        (one for one in trace.steps if one.asked is not None and one.began < step.began),
        key=lambda one: one.began,
    )
    assert outer.asked is not None
    return trace.case.techniques[outer.asked]


def group_of(name: str) -> str:
    """Return the group of a technique; one that nobody registered is a group of its own."""
    return TECHNIQUES[name].group if name in TECHNIQUES else name


def rank(name: str) -> int:
    """Return how plain a technique is; the plainest names a finding."""
    return _RANK.get(name, len(_RANK))


def implied(one: Key, keys: set[Key]) -> Key | None:
    """Return the plainer fault that explains ``one``, if it was found too."""
    for other in sorted(keys - {one}):
        same = (other.invariant, other.door, other.severity) == (
            one.invariant,
            one.door,
            one.severity,
        )
        plainer = other.group in _PLAIN_GROUPS or one.group in _IMPLIED.get(other.group, ())
        if same and plainer and one.group not in _PLAIN_GROUPS:
            return other
    return None


def _door(op: object) -> str:
    if isinstance(op, tuple | list) and op and isinstance(op[0], str):
        return _DOORS.get(str.__str__(op[0]), "tools" if op[0] == "tool" else "shape")
    return "shape"

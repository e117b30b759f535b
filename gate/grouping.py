"""Which breaches are one fault: by invariant, by what was attacked, by the techniques' groups."""

from typing import NamedTuple

from capfuzz.attacks.invariants import Breach, Severity
from capfuzz.attacks.rulings import Ruling
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.trace import Trace

# A budget's own group, whatever op ran into it.
_BUDGET_GROUPS = {
    "max_ops": "max-ops",
    "max_wall": "max-wall",
    "max_output_bytes": "max-output",
    "halted": "halt",
}
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
    step = trace.steps[breach.step]
    if breach.invariant in {"within-budget", "halt-after-hard"}:
        reasons = ruling.reasons - {"halted"} if len(ruling.reasons) == 1 else {"halted"}
        group = _BUDGET_GROUPS[min(reasons or {"halted"})]
        return Key(breach.invariant, "budgets", group, breach.severity)
    return Key(
        breach.invariant, _door(step.op), group_of(technique(trace, breach)), breach.severity
    )


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

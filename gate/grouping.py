"""Which breaches are one fault: by invariant, by what was attacked, by the techniques' groups."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from capfuzz.attacks import naive
from capfuzz.attacks.case import Surface
from capfuzz.attacks.invariants import Breach, Severity
from capfuzz.attacks.rulings import Ruling
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.attacks.trace import Step, Trace
from capfuzz.engine import Capabilities

ANY = "any"
BUDGETS = "budgets"
HANG = "hang"
# A budget's own group, whatever op ran into it.
_BUDGET_GROUPS = {
    "max_ops": "max-ops",
    "max_wall": "max-wall",
    "max_output_bytes": "max-output",
    "malformed_op": "shape",
}
_HALT = "halt"
_BUDGET_INVARIANTS = {"within-budget", "halt-after-hard", "right-reason"}
_DOORS = {
    "fs_read": "files",
    "fs_write": "files",
    "net_fetch": "hosts",
    "url": "hosts",
    "tool": "tools",
    "ssrf": "hosts",
    "unpack": "archives",
    "eval": "evaluators",
    "request": "files",
}
# Of a sandbox of the system, by what the name of a kind begins with.
_KERNEL_DOORS = {
    "fs_": "files",
    "fd_": "files",
    "fds_": "files",
    "net_": "hosts",
    "proc_": "processes",
    "env_": "processes",
}
# Whoever lets the plain thing through lets its spellings through: one fault.
_PLAIN_GROUPS = {"outside", "outside-host", "outside-tool", "outside-eval"}
# A climb that passes explains every other spelling of a path, but none of these.
_NOT_CLIMBS = ("links", "procfs", "boundary", "outside", "absolute-join", "over-blocking")
_IMPLIED_BY = {
    "template-attr": ("template-walk",),
    "template-format": ("template-walk",),
    "template-format-got": ("template-walk", "template-format"),
    "template-format-passed": ("template-walk", "template-format"),
    "template-inside": ("template-walk",),
    "template-subscript": ("template-walk",),
    "boundary-climb": ("boundary", "traversal"),
    "boundary-link": ("boundary", "links"),
    "procfs": ("links",),
    "procfs-alias": ("links",),
    "links-inside": ("links",),
    # Request targets say over HTTP what paths say below a root.
    "request-traversal": ("traversal",),
    "request-decoding": ("decoding", "double-decoding", "traversal"),
    "request-absolute-join": ("absolute-join", "outside"),
    "request-parameters": ("parameters", "traversal"),
    "request-backslash": ("backslash", "traversal"),
    "request-absolute": ("traversal", "request-traversal", "decoding", "double-decoding"),
    "request-slashes": ("traversal", "request-traversal"),
    "request-query": ("traversal", "request-traversal"),
    "request-alias": ("boundary",),
    "request-private-spelling": ("request-private",),
    "internal-metadata": (
        *("internal-link-local", "internal-shared", "internal-assigned", "internal-unique-local"),
    ),
}
# An accepted escape shows under these too, where its output trips a budget or its grant shrinks.
_SHOWN_BY_CONFINED = {"no-effect-on-denial", "monotone-authority"}
_RANK = {name: rank for rank, name in enumerate(TECHNIQUES)}
_KINDS = {one.group: one.kind for one in reversed(TECHNIQUES.values())}


class Key(NamedTuple):
    """What makes two breaches the same fault."""

    invariant: str
    door: str
    group: str
    severity: Severity


def key(trace: Trace, ruling: Ruling, breach: Breach) -> Key:
    """Return the fault that a breach belongs to."""
    step = trace.steps[breach.step]
    if breach.invariant == "fail-closed":
        how = step.answer.raised or HANG
        return Key(breach.invariant, ANY, how, breach.severity)
    unpacked = trace.surface is Surface.ARCHIVE  # there a budget is what the technique is about
    if ruling.hard and breach.invariant in _BUDGET_INVARIANTS and not unpacked:
        # A budget does not care which op ran into it, or how that was spelt.
        (reason,) = ruling.reasons - {"halted"}
        halt = f"{_HALT}-" if "halted" in ruling.reasons else ""
        return Key(breach.invariant, BUDGETS, halt + _BUDGET_GROUPS[reason], breach.severity)
    if breach.invariant == "grant-immutable":
        return Key(breach.invariant, ANY, "grant", breach.severity)
    if breach.invariant == "control-allowed":
        return Key(breach.invariant, _door(step.op), _refused(trace, breach), breach.severity)
    group = _seen(step, trace.case.grant, group_of(technique(trace, breach)))
    return Key(breach.invariant, _door(step.op), group, breach.severity)


def _refused(trace: Trace, breach: Breach) -> str:
    """Return which honest work was refused: a kind of honest name, or just what the door is for."""
    group = group_of(technique(trace, breach))
    plain = {"hosts": "over-blocking-host", "tools": "over-blocking-tool"}
    door = _door(trace.steps[breach.step].op)
    return group if group.startswith("over-blocking") else plain.get(door, "over-blocking")


def _seen(step: Step, grant: Capabilities, group: str) -> str:
    """Return the group that the op itself shows, where that tells more than its technique's."""
    match step.op:
        case ("net_fetch", str(host), *_) if _PLAIN_HOST.fullmatch(host):
            granted = tuple(map(_name, grant.net_hosts))
            return next(
                (near for near, shows in _NEAR.items() if shows(_name(host), granted)), group
            )
        case ("fs_read" | "fs_write" as kind, str(path), *_):
            prefixes = grant.fs_read if kind == "fs_read" else grant.fs_write
            return _beside(step, path, prefixes, group)
        case _:
            return group


# Groups of paths that mean what they say; of the others the spelling is the fault.
_SHOWN_BY_PLACE = ("outside", "boundary", "links", "traversal")
_PLAIN_HOST = re.compile(r"[A-Za-z0-9._-]+")
_NEAR: dict[str, Callable[[str, tuple[str, ...]], bool]] = {
    "suffix": str.endswith,
    "prefix": str.startswith,
}


def _name(host: str) -> str:
    return host.lower().removesuffix(".")


def _beside(step: Step, path: str, prefixes: tuple[str, ...], group: str) -> str:
    """Tell what reaches a place beside a root, that begins as the root does, by how it goes."""
    if not (group.startswith(_SHOWN_BY_PLACE) or is_scenario(group)):
        return group
    roots = [prefix.rstrip("/") for prefix in prefixes]
    # A yes alone shows no place.
    seen = [effect.place for effect in step.effects] or [re.sub("/+", "/", path)]
    places = [place for place in seen if not naive.within(place, roots)]
    if not any(root and place.startswith(root) for place in places for root in roots):
        return group
    if group.startswith("links"):
        return "boundary-link"
    return "boundary-climb" if naive.climbs(path) else "boundary"


def naming(one: Key, hits: Mapping[str, int]) -> str:
    """Return the technique that names a fault: of its own group, or the one that hit most often."""
    group = _HALT if one.group.startswith(_HALT) else one.group
    own = [name for name in hits if group_of(name) == group]
    if own or one.door != BUDGETS:
        return min(own or hits, key=rank)
    made = [name for name in hits if is_scenario(group_of(name))]
    registered = [name for name, known in TECHNIQUES.items() if known.group == group]
    return min(made or registered or [group], key=lambda name: (-hits.get(name, 0), rank(name)))


def is_scenario(group: str) -> bool:
    """Tell whether a group needs a grant, a world or a sequence of its own."""
    return _KINDS.get(group) is Kind.SCENARIO


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
    others = sorted(keys - {one}, key=lambda other: (other.invariant, other.door, other.group))
    return next((other for other in others if _explains(other, one)), None)


def _explains(other: Key, one: Key) -> bool:
    if one.door == BUDGETS and other.door == BUDGETS:
        return _budget_explains(other, one)
    if (one.door, one.severity) != (other.door, other.severity):
        return False
    if one.invariant in _SHOWN_BY_CONFINED and other.invariant == "confined":
        return one.group == other.group or _plainer(other.group, one.group)
    return one.invariant == other.invariant and _plainer(other.group, one.group)


def _plainer(other: str, one: str) -> bool:
    if one in _PLAIN_GROUPS:
        return False
    climb = other == "traversal" and not one.startswith(_NOT_CLIMBS)
    spelt = climb and _KINDS.get(one) is Kind.PATH
    honest = one.startswith(f"{other}-") and other.startswith("over-blocking")
    return other in _PLAIN_GROUPS or spelt or honest or other in _IMPLIED_BY.get(one, ())


def _budget_explains(other: Key, one: Key) -> bool:
    """Tell whether a limit that is passed explains what follows it, or one halt the others."""
    if one.invariant == "right-reason":
        return other.severity is Severity.ERROR
    if one.invariant != "halt-after-hard" or other.severity is not Severity.ERROR:
        return False
    passed = other.invariant == "within-budget" and one.group == f"{_HALT}-{other.group}"
    return passed or (other.invariant == one.invariant and other.group < one.group)


def _door(op: object) -> str:
    if isinstance(op, tuple | list) and op and isinstance(op[0], str):
        kind = str.__str__(op[0])
        near = next(
            (door for begin, door in _KERNEL_DOORS.items() if kind.startswith(begin)), "shape"
        )
        return _DOORS.get(kind, near)
    return "shape"

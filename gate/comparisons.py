"""
Invariants that compare two runs: metamorphic relations, each between a case and a variant of it.

They see what no single run shows: state that an op should not have left, an answer that depends on
what the agent may not know. A relation speaks only where the judge finds nothing wrong in either
run, so that one fault is told once.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from capfuzz.attacks import naive
from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.attacks.expansion.stage import SECRETS
from capfuzz.attacks.invariants import Judgement, Severity, judge
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.trace import Answer, Trace
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Log, hung
from capfuzz.targets.base import Target

DOOR = "comparisons"  # of a `Key`, whose group is the relation's name
# Comparing costs a second run, and neighbours in the corpus tell the same: one in so many.
_EVERY = 7
_MOST_DENIALS = 6
_VARIANTS = 24  # looked at where one case is asked about: every count of denials, every entry
_MOST_NESTED = 100  # ops that tools of one case try
_LISTS = ("fs_read", "fs_write", "net_hosts", "allowed_tools")
_BUDGETS = ("max_ops", "max_output_bytes", "max_wall")


class Relation(NamedTuple):
    """
    How a case is changed, and how the answers must then relate.

    ``vary`` returns the other case, None where the relation does not apply. ``holds`` is given the
    traces of both.
    """

    invariant: str
    vary: Callable[[Case, Trace, int], Case | None]
    holds: Callable[[Trace, Trace], bool]
    described: tuple[str, str]  # what was observed, what should have been


def _same(one: Trace, other: Trace) -> bool:
    return [*map(_decided, _answers(one))] == [*map(_decided, _answers(other))]


def _decided(answer: Answer) -> tuple[object, ...]:
    """Return what was decided and handed out; the words of a refusal may count or name things."""
    return answer.ok, _text(answer), answer.violation, answer.hard, answer.raised


def _same_to_the_byte(one: Trace, other: Trace) -> bool:
    return [*map(tells, _answers(one))] == [*map(tells, _answers(other))]


def tells(answer: Answer) -> tuple[object, ...]:
    """Return everything of an answer that an agent could learn from."""
    return *_decided(answer), answer.detail


def _text(answer: Answer) -> str | bytes | None:
    return answer.output if isinstance(answer.output, str | bytes | None) else None


def _again(case: Case, _trace: Trace, _pick: int) -> Case:
    """Ask the same in a copy of the world."""
    return replace(case)


def _without_a_forbidden_file(case: Case, trace: Trace, _pick: int) -> Case | None:
    """Take away one file outside the grant that a refused read leads to."""
    for step in trace.steps:
        place = None if step.answer.ok else _forbidden_file(step.op, case)
        if place is not None:
            files = {path: data for path, data in case.world.files.items() if path != place}
            return replace(case, world=replace(case.world, files=files))
    return None


def _forbidden_file(op: object, case: Case) -> str | None:
    """Return the file outside the grant that an op leads to, if it leads to one."""
    match op:
        case ("fs_read", str(path)):
            try:
                place = naive.resolve(path, case.world.links)
            except OSError:
                return None
            outside = not naive.within(place, case.grant.fs_read)
            return place if outside and place in case.world.files else None
        case _:
            return None


def _after_denials(case: Case, _trace: Trace, pick: int) -> Case | None:
    """Put refused reads before everything else, with the budget of ops that they take."""
    places = [place for place in SECRETS if not naive.within(place, case.grant.fs_read)]
    if not places:
        return None
    count = 1 + pick % _MOST_DENIALS
    denied = tuple(("fs_read", places[(pick + at) % len(places)]) for at in range(count))
    return replace(
        case,
        grant=replace(case.grant, max_ops=case.grant.max_ops + count),
        world=replace(case.world, ticks=_standing(case.world, count, len(case.ops))),
        ops=denied + case.ops,
        techniques=("outside",) * count + case.techniques,
        verdicts=(),
    )


def _standing(world: WorldSpec, count: int, ops: int) -> tuple[int, ...]:
    """Return the ticks of ``ops`` ops, after ``count`` more during which the clock stands."""
    return (world.tick(0),) * count + tuple(map(world.tick, range(ops + _MOST_NESTED)))


def _tail_is_the_same(one: Trace, other: Trace) -> bool:
    asked = [step for step in other.steps if step.asked is not None]
    added = len(asked) - len(_answers(one))
    if any(step.effects or step.answer.ok or step.answer.hard for step in asked[:added]):
        return True  # what was put before was no plain refusal, and proves nothing
    return [*map(_decided, _answers(one))] == [_decided(step.answer) for step in asked[added:]]


def _respelt(case: Case, trace: Trace, pick: int) -> Case | None:
    """Spell the path of a refused op in another way that leads to the same place."""
    for step, ruling in zip(trace.steps, rulings(trace), strict=True):
        path, at = _plain_path(step.op), step.asked
        spent = ruling is None or ruling.hard  # refused for a budget, whatever its path
        if path is None or at is None or spent or step.answer.ok:
            continue
        if trace.surface is not Surface.SESSION and not _PLAIN.fullmatch(path):
            continue  # a function may refuse an odd name for how it begins
        if path == naive.resolve(path, {}) != "/":
            kind, _, *rest = cast("tuple[Any, ...]", step.op)
            respelt = _EQUIVALENTS[pick % len(_EQUIVALENTS)](path)
            ops = (*case.ops[:at], (kind, respelt, *rest), *case.ops[at + 1 :])
            return replace(case, ops=ops, verdicts=())
    return None


def _plain_path(op: object) -> str | None:
    """Return the path of a well-formed op on a file; an odd one is refused for its form."""
    if type(op) is not tuple or [type(part) for part in op[:2]] != [str, str]:
        return None
    well_formed = {"fs_read": ((),), "fs_write": ((str,), (bytes,))}.get(op[0], ())
    path: str = op[1]
    return path if tuple(map(type, op[2:])) in well_formed else None


_PLAIN = re.compile(r"[A-Za-z0-9._/-]+")
_EQUIVALENTS: tuple[Callable[[str], str], ...] = (
    lambda path: "/" + path,
    lambda path: "/." + path,
    lambda path: "/./".join(path.rsplit("/", 1)),
    lambda path: "//".join(path.rsplit("/", 1)),
)


def _no_more(one: Trace, other: Trace) -> bool:
    pairs = zip(_answers(one), _answers(other), strict=False)
    return not any(now.ok and not before.ok for before, now in pairs)


def _permuted(case: Case, _trace: Trace, _pick: int) -> Case | None:
    """Turn every list of the grant round."""
    lists: dict[str, Any] = {
        name: tuple(getattr(case.grant, name))[::-1] for name in _LISTS if name != "allowed_tools"
    }
    turned = replace(case.grant, **lists)
    several = any(len(entries) > 1 for entries in lists.values())
    return replace(case, grant=turned) if several else None


def _smaller(case: Case, trace: Trace, pick: int) -> Case | None:
    """
    Take one entry or half a budget away.

    Only from ops that leave nothing behind: a write that is refused now may clear the way for
    another op, and a limit that was hit before may not be hit now.
    """
    if not all(_leaves_nothing(op) for op in case.ops):
        return None
    if any(ruling is None or ruling.hard for ruling in rulings(trace)):
        return None
    parts = [(name, entry) for name in _LISTS for entry in sorted(getattr(case.grant, name))]
    parts += [(name, None) for name in _BUDGETS]
    name, entry = parts[pick % len(parts)]
    now = getattr(case.grant, name)
    less: Any = now // 2 if entry is None else [one for one in now if one != entry]
    return replace(case, grant=replace(case.grant, **{name: less}), verdicts=())


def _leaves_nothing(op: object) -> bool:
    match op:
        case ("fs_read" | "net_fetch", *_):
            return True
        case ("tool", name, *_):
            return name == "summarize"
        case _:
            return False


_CONSISTENCY = "the same answer in both runs"
RELATIONS: dict[str, Relation] = {
    "again": Relation(
        "deterministic",
        _again,
        _same,
        ("two runs of the same case answered differently", _CONSISTENCY),
    ),
    "existence": Relation(
        "no-existence-leak",
        _without_a_forbidden_file,
        _same_to_the_byte,
        (
            "the refusal reads differently when the forbidden file does not exist",
            "the same refusal whether or not the forbidden thing exists",
        ),
    ),
    "denials": Relation(
        "no-effect-on-denial",
        _after_denials,
        _tail_is_the_same,
        (
            "the ops are answered differently after refused reads, for which there was room",
            "a refusal that changes nothing but the budget of ops",
        ),
    ),
    "spelling": Relation(
        "alias-denied",
        _respelt,
        _no_more,
        (
            "the op is refused, and accepted in another spelling of the same path",
            "every spelling of a path treated alike, or refused",
        ),
    ),
    "order": Relation(
        "monotone-authority",
        _permuted,
        _same,
        (
            "the ops are answered differently when the grant's lists stand in another order",
            _CONSISTENCY,
        ),
    ),
    "smaller": Relation(
        "monotone-authority",
        _smaller,
        _no_more,
        (
            "the op is refused under the grant and accepted under a smaller one",
            "a smaller grant never allows more",
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Base:
    """How a target answered a case by itself, with which it is compared under variants."""

    target: Target
    trace: Trace

    def compare(self, name: str, pick: int = 0) -> bool | None:
        """Tell whether a relation holds; None where it does not apply or cannot be seen."""
        relation, target, case = RELATIONS[name], self.target, self.trace.case
        if relation.invariant in target.unobservable:
            return None
        other = relation.vary(case, self.trace, pick)
        adapted = None if other is None else target.adapt(other)
        if adapted is None:
            return None
        varied = target.run(adapted)
        if not _clean(judge(varied)) or hung(varied):
            return None
        held = relation.holds(self.trace, varied)
        return held or (None if self._unsteady(relation) else False)

    def _unsteady(self, relation: Relation) -> bool:
        """Tell whether the target answers differently by itself, which is another relation's fault."""
        if relation.vary is _again:
            return False
        return not _same_to_the_byte(self.trace, self.target.run(self.trace.case))


def base_of(target: Target, trace: Trace, judgement: Judgement) -> Base | None:
    """Return what variants are compared with; None where the one run shows a fault by itself."""
    usable = _clean(judgement) and not hung(trace) and not trace.case.world.at_once
    return Base(target, trace) if usable else None


def broken(target: Target, case: Case, name: str) -> bool:
    """Tell whether some variant of a case breaks a relation."""
    base = _run(target, case)
    return base is not None and any(base.compare(name, pick) is False for pick in range(_VARIANTS))


def _run(target: Target, case: Case) -> Base | None:
    trace = target.run(case)
    return base_of(target, trace, judge(trace))


def key_of(name: str) -> Key:
    """Return the fault that a relation shows where it does not hold."""
    return Key(RELATIONS[name].invariant, DOOR, name, Severity.ERROR)


def worth_comparing(cases: Sequence[Case]) -> Sequence[Case]:
    """Return the cases of a corpus on which the relations are tried: one in so many."""
    return cases[::_EVERY]


def compare(target: Target, case: Case, pick: int, log: Log) -> None:
    """Try every relation on one case."""
    base = _run(target, case)
    if base is not None:
        for name in RELATIONS:
            compare_once(base, name, pick, log)


def compare_once(base: Base, name: str, pick: int, log: Log) -> Key | None:
    """Try one relation on one case, count it, and return the fault that it shows."""
    held = base.compare(name, pick)
    if held is None:
        return None
    key = None if held else key_of(name)
    log.compared(RELATIONS[name].invariant, key, base.trace.case)
    return key


def _answers(trace: Trace) -> list[Answer]:
    return [step.answer for step in trace.steps if step.asked is not None]


def _clean(judgement: Judgement) -> bool:
    return all(breach.severity is not Severity.ERROR for breach in judgement.breaches)

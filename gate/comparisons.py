"""Invariants that compare two runs: with and without a thing, twice the same, less and more."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from capfuzz.attacks import naive
from capfuzz.attacks.case import Case
from capfuzz.attacks.invariants import Severity
from capfuzz.attacks.trace import Answer, Trace
from capfuzz.gate.grouping import Key, group_of
from capfuzz.targets.base import Target

# Comparing costs a second run, and neighbours in the corpus tell the same: one in so many.
_EVERY = 7

Outcome = tuple[str, Key | None, Case]


def compare(target: Target, cases: Iterable[Case]) -> Iterator[Outcome]:
    """Yield (invariant, fault or None, case) for every comparison that the surface can show."""
    for index, case in enumerate(cases):
        if index % _EVERY == 0 and "deterministic" not in target.unobservable:
            yield _deterministic(target, case)
        if len(case.ops) != 1:
            continue
        if index % _EVERY == 0 and "no-existence-leak" not in target.unobservable:
            yield from _no_existence_leak(target, case)
        if "monotone-authority" not in target.unobservable:
            yield from _monotone_authority(target, case)


def tells(answer: Answer) -> tuple[object, ...]:
    """Return everything of an answer that an agent could learn from."""
    output = answer.output if isinstance(answer.output, str | bytes | None) else None
    return answer.ok, output, answer.violation, answer.hard, answer.detail, answer.raised


def _deterministic(target: Target, case: Case) -> Outcome:
    same = [_said(target.run(case)) for _ in range(2)]
    return _outcome("deterministic", case, held=same[0] == same[1])


def _no_existence_leak(target: Target, case: Case) -> Iterator[Outcome]:
    """Ask for a forbidden file that exists, then for the same where it does not."""
    trace = target.run(case)
    place = _forbidden_file(case)
    if place is None or any(step.answer.ok for step in trace.steps):
        return
    files = {path: content for path, content in case.world.files.items() if path != place}
    without = target.run(replace(case, world=replace(case.world, files=files)))
    yield _outcome("no-existence-leak", case, held=_said(trace) == _said(without))


def _monotone_authority(target: Target, case: Case) -> Iterator[Outcome]:
    """Take one root away: what is allowed then was allowed before."""
    roots = case.grant.fs_read
    if len(roots) < 2:  # noqa: PLR2004
        return
    before = _allowed(target.run(case))
    for root in roots:
        fewer = tuple(one for one in roots if one != root)
        smaller = replace(case, grant=replace(case.grant, fs_read=fewer), verdicts=())
        yield _outcome("monotone-authority", case, held=before or not _allowed(target.run(smaller)))


def _forbidden_file(case: Case) -> str | None:
    """Return the file outside the grant that the only op leads to, if it leads to one."""
    match case.ops[0]:
        case ("fs_read", str(path)):
            try:
                place = naive.resolve(path, case.world.links)
            except OSError:
                return None
            outside = not naive.within(place, case.grant.fs_read)
            return place if outside and place in case.world.files else None
        case _:
            return None


def _said(trace: Trace) -> list[tuple[object, ...]]:
    return [tells(step.answer) for step in trace.steps]


def _allowed(trace: Trace) -> bool:
    return all(step.answer.ok for step in trace.steps)


def _outcome(invariant: str, case: Case, *, held: bool) -> Outcome:
    if held:
        return invariant, None, case
    key = Key(invariant, "comparisons", group_of(case.techniques[0]), Severity.ERROR)
    return invariant, key, case

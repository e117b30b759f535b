"""Shrinking: the shortest ops, the smallest grant and world that still show a fault."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.engine import Capabilities
from capfuzz.strategies.decode import honest

_MOST_TRIES = 400
_MOST_OPS = 10_000  # tried in all; a long case cannot be shrunk as patiently as a short one
_SMALL_OUTPUT = 1_000  # bytes; a larger cap is not what the ops are about

StillBroken = Callable[[Case], bool]


def shrink(case: Case, still_broken: StillBroken, *, whole: bool = True) -> Case:
    """
    Return the smallest case reached by dropping one part at a time; greedy, deterministic.

    ``whole``: ops are made plainer, the grant and the world smaller too.
    """
    tries = ops = 0
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(case) if whole else _fewer_ops(case):
            tries += 1
            ops += len(candidate.ops)
            if tries > _MOST_TRIES or ops > _MOST_OPS:
                return case
            if still_broken(candidate):
                case, smaller = candidate, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    yield from _fewer_ops(case)
    yield from _plainer_ops(case)
    yield from _smaller_grants(case)
    yield from _smaller_worlds(case)


def _fewer_ops(case: Case) -> Iterator[Case]:
    count = len(case.ops)
    for size in sorted({count // 2, count // 4, 1} - {0, count}, reverse=True):
        for start in range(0, count, size):
            twin = start > 0 and repr(case.ops[start - 1]) == repr(case.ops[start])
            if size == 1 and twin:  # without either of two like neighbours it is the same case
                continue
            yield from _without(case, start, min(start + size, count))


def _without(case: Case, start: int, end: int) -> Iterator[Case]:
    """Leave out some ops: as they are, with what they took of a budget, or as if in one tick."""
    keep = [*range(start), *range(end, len(case.ops))]
    fewer = replace(
        case,
        ops=tuple(case.ops[index] for index in keep),
        techniques=tuple(case.techniques[index] for index in keep),
        verdicts=tuple(case.verdicts[index] for index in keep) if case.verdicts else (),
    )
    for grant, world in product(_less_spent(case, end - start), _tick_left_out(case, start, end)):
        unchanged = grant == case.grant
        yield replace(fewer, grant=grant, world=world, verdicts=fewer.verdicts if unchanged else ())


def _less_spent(case: Case, ops: int) -> Iterator[Capabilities]:
    """Yield the grant, with what so many ops took of max_ops, and with half of a small output."""
    grant = case.grant
    yield grant
    yield replace(grant, max_ops=max(0, grant.max_ops - ops))
    if 0 < grant.max_output_bytes <= _SMALL_OUTPUT:
        yield replace(grant, max_output_bytes=grant.max_output_bytes // 2)


def _tick_left_out(case: Case, start: int, end: int) -> Iterator[WorldSpec]:
    """Yield the world, and where the clock was set, one in which the ops left out took no time."""
    yield case.world
    if not case.world.at_once:
        now = tuple(map(case.world.tick, range(len(case.ops) + 1)))
        yield replace(case.world, ticks=now[: start + 1] + now[end + 1 :])


def _plainer_ops(case: Case) -> Iterator[Case]:
    """Put the first honest op in the place of each: a budget does not care what is spent on."""
    for plain in honest(case.grant)[:1]:
        for index, op in enumerate(case.ops):
            if repr(op) != repr(plain.op):
                techniques = list(case.techniques)
                techniques[index] = plain.technique
                ops = (*case.ops[:index], plain.op, *case.ops[index + 1 :])
                yield replace(case, ops=ops, techniques=tuple(techniques), verdicts=())


def _smaller_grants(case: Case) -> Iterator[Case]:
    for name in ("fs_read", "fs_write", "net_hosts", "allowed_tools"):
        values = getattr(case.grant, name)
        for value in sorted(values):
            fewer: Any = [one for one in values if one != value]
            yield replace(case, grant=replace(case.grant, **{name: fewer}), verdicts=())
    yield from (replace(case, grant=less, verdicts=()) for less in _tighter(case))


def _tighter(case: Case) -> Iterator[Capabilities]:
    """Lower a budget that the ops use up: fewer of them then do."""
    ops, output = case.grant.max_ops, case.grant.max_output_bytes
    if 0 < ops <= len(case.ops):
        yield replace(case.grant, max_ops=ops - 1)
    if 0 < output <= _SMALL_OUTPUT:
        yield replace(case.grant, max_output_bytes=output // 2)
        yield replace(case.grant, max_output_bytes=output - 1)


def _smaller_worlds(case: Case) -> Iterator[Case]:
    if case.world.ticks:
        yield replace(case, world=replace(case.world, ticks=()))
        yield replace(case, world=replace(case.world, ticks=case.world.ticks[:-1]))
    for name in ("files", "links", "hosts", "tools"):
        whole: Mapping[str, Any] = getattr(case.world, name)
        fewer: Any = {}
        if whole:
            yield replace(case, world=replace(case.world, **{name: fewer}), verdicts=())
        if len(whole) > 1:
            for gone in whole:
                fewer = {one: part for one, part in whole.items() if one != gone}
                yield replace(case, world=replace(case.world, **{name: fewer}), verdicts=())

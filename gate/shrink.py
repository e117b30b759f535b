"""Shrinking: the shortest ops, the smallest grant and world that still show a fault."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from capfuzz.attacks.case import Case
from capfuzz.strategies.decode import honest

_MOST_TRIES = 400

StillBroken = Callable[[Case], bool]


def shrink(case: Case, still_broken: StillBroken, *, whole: bool = True) -> Case:
    """
    Return the smallest case reached by dropping one part at a time; greedy, deterministic.

    ``whole``: ops are made plainer, the grant and the world smaller too.
    """
    tries = 0
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(case) if whole else _fewer_ops(case):
            tries += 1
            if tries > _MOST_TRIES:
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
            keep = [*range(start), *range(start + size, count)]
            if keep:
                yield replace(
                    case,
                    ops=tuple(case.ops[index] for index in keep),
                    techniques=tuple(case.techniques[index] for index in keep),
                    verdicts=tuple(case.verdicts[index] for index in keep) if case.verdicts else (),
                )


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
    if 0 < case.grant.max_ops <= len(case.ops):  # a budget that the ops use up takes fewer ops
        less = replace(case.grant, max_ops=case.grant.max_ops - 1)
        yield replace(case, grant=less, verdicts=())


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

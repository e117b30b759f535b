"""A strategy for sequences that use a budget up, whatever the grant."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from capfuzz.attacks.case import Verdict, WorldSpec
from capfuzz.attacks.codec import grant_from_json, world_from_json
from capfuzz.attacks.rulings import Setting, rule
from capfuzz.attacks.techniques import scenario_stage
from capfuzz.attacks.techniques.scenario_busters import BUSTERS, Buster
from capfuzz.engine import Capabilities
from capfuzz.strategies import _arguments, _paths
from capfuzz.strategies._ops import Op
from capfuzz.strategies._worlds import world_of
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

_PLAIN_CLOCK = ((), (1,))
_READS, _WRITES = "/work", "/work/out"


def budget_busters(grant: Capabilities, *, max_size: int = 200) -> st.SearchStrategy[list[Op]]:
    """
    Return sequences of ops that use a budget of ``grant`` up; the last op is one too many.

    By reads, writes, fetches, calls, refused and malformed ops, output, nested calls and time, in
    a world of `worlds` without links, whose clock reads 0, 1, 2, ... There a right sandbox refuses
    the last op hard. Shrinks towards the shortest. Raises ``InvalidArgument`` for what is no
    grant, and where each budget would need more than ``max_size`` ops.
    """
    _arguments.check_grant("grant", grant)
    _arguments.check_size("max_size", max_size, least=1)
    sequences = _sequences(grant, max_size)
    if not sequences:
        raise InvalidArgument(f"max_size={max_size!r} must be enough to use up a budget of {grant}")
    return st.sampled_from(sequences).map(list)


@lru_cache(maxsize=256)
def _sequences(grant: Capabilities, max_size: int) -> tuple[tuple[Op, ...], ...]:
    """Return the sequences of at most ``max_size`` ops, the shortest first."""
    made = [
        adapted.bust(getattr(grant, adapted.budget)).ops
        for buster in BUSTERS
        if buster.steps in _PLAIN_CLOCK and _size(buster, grant) <= max_size
        for adapted in _adapted(buster, grant)
    ]
    return tuple(sorted(made, key=len))


def _size(buster: Buster, grant: Capabilities) -> int:
    limit: int = getattr(grant, buster.budget)
    return limit // buster.cost * buster.repeat + 1


class _Places(NamedTuple):
    """What stands for the stage's readable root, writable root and host."""

    read: str
    write: str
    host: str


def _adapted(buster: Buster, grant: Capabilities) -> Iterator[Buster]:
    """Yield the buster once with the places of the grant, if one is ruled on as on the stage."""
    meant = _verdicts(buster.op, _STAGE)
    setting = _setting(grant, world_of(grant, {}))
    for places in _places(grant):
        op = _moved(buster.op, places)
        if _verdicts(op, setting) == meant:
            yield replace(buster, op=op)
            return


def _places(grant: Capabilities) -> Iterator[_Places]:
    reads = _paths.roots_of(Capabilities(grant.fs_read))
    writes = _paths.roots_of(Capabilities(grant.fs_write)) if grant.fs_write else (_WRITES,)
    hosts = grant.net_hosts or tuple(scenario_stage.GRANT["net_hosts"])
    for at in range(max(len(reads), len(writes), len(hosts))):
        yield _Places(reads[at % len(reads)], writes[at % len(writes)], hosts[at % len(hosts)])


def _moved(op: Op, places: _Places) -> Op:
    """Return an op of the stage with the places of a grant."""
    match op:
        case ("fs_read", str(path)) if path.startswith(f"{_READS}/"):
            return ("fs_read", places.read + path.removeprefix(_READS))
        case ("fs_write", str(path), data) if path.startswith(f"{_WRITES}/"):
            return ("fs_write", places.write + path.removeprefix(_WRITES), data)
        case ("net_fetch", _, route):
            return ("net_fetch", places.host, route)
        case ("tool", "again", *inner):
            return scenario_stage.again(_moved(tuple(inner), places))
    return op


def _verdicts(op: Op, setting: Setting) -> list[Verdict]:
    """Return the verdicts on an op, and on those that tools try from inside."""
    verdict = rule(op, setting).verdict
    match op:
        case ("tool", "again", *inner):
            return [verdict, *_verdicts(tuple(inner), setting)]
    return [verdict]


def _setting(grant: Capabilities, world: WorldSpec) -> Setting:
    return Setting(grant, world, world.files)


_STAGE = _setting(grant_from_json(scenario_stage.GRANT), world_from_json(scenario_stage.WORLD))

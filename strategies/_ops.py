"""
From numbers to ops, door by door: small numbers pick what is plain and frequent.

Every function takes a grant and a number and returns an op for its door, so that an op is one
draw. A number counts through techniques first, then through places, then through spellings.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from capfuzz.attacks.case import Behaviour
from capfuzz.attacks.techniques import scenario_stage
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.engine import Capabilities
from capfuzz.strategies import _paths
from capfuzz.strategies._spellings import scenarios
from capfuzz.strategies.moves import named, outside, pick, spellings

Op = object
Door = Callable[[Capabilities, int], Op]

_LONGEST = 1_000  # characters of an odd op; longer ones are left to the corpus
_ROUTE, _TEXT = "/status", "overwritten"
_FLOODS = (10, 100, 200_000)
_READ, _SECRET = scenario_stage.READ, scenario_stage.SECRET
# A target with the name of an honest file, which careless caches take for it, and one without.
TARGETS = ("/etc/data.txt", _paths.TARGET, "/workshop/data.txt", "/other/work/data.txt")


def hostile_read(grant: Capabilities, number: int) -> Op:
    """Return a read that hints at something outside the grant."""
    return ("fs_read", _hostile_path(grant.fs_read, number))


def hostile_write(grant: Capabilities, number: int) -> Op:
    """Return a write that hints at something outside the grant."""
    return ("fs_write", _hostile_path(grant.fs_write, number), _TEXT)


def hostile_fetch(grant: Capabilities, number: int) -> Op:
    """Return a fetch from a host that resembles a granted one."""
    return ("net_fetch", _resembling(grant.net_hosts, _host_techniques(), number), _ROUTE)


def hostile_call(grant: Capabilities, number: int) -> Op:
    """Return a call of a tool that resembles a granted one."""
    names = tuple(sorted(grant.allowed_tools))
    return ("tool", _resembling(names, _tool_techniques(), number), "text")


def odd(_grant: Capabilities, number: int) -> Op:
    """Return what is no op, or one of an odd type, or one from inside a tool."""
    return pick(_odd_ops(), number)


def honest(grant: Capabilities, number: int) -> Op:
    """Return an op that the grant allows; an odd one where it allows nothing."""
    table = honest_ops(grant)
    return pick(table, number) if table else odd(grant, number)


HOSTILE: Mapping[str, Door] = {
    "read": hostile_read,
    "write": hostile_write,
    "fetch": hostile_fetch,
    "call": hostile_call,
    "odd": odd,
}
# As often as they stand here, the first for the smallest numbers.
_DOORS: tuple[Door, ...] = (
    *(honest, hostile_read, honest, hostile_write, honest, hostile_fetch, honest, hostile_call),
    *(honest, hostile_read, honest, hostile_write, honest, hostile_read, honest, odd),
)


def op_of(grant: Capabilities, number: int) -> Op:
    """Return the op that a number stands for under a grant, honest for half of them."""
    rest, door = divmod(number, len(_DOORS))
    return _DOORS[door](grant, rest)


@lru_cache(maxsize=512)
def honest_ops(grant: Capabilities) -> tuple[Op, ...]:
    """Return ops that the grant allows in its worlds without links, a read first."""
    calls = (op for name in sorted(grant.allowed_tools) for op in _calls(name))
    return (
        *(("fs_read", path) for path in _honest_paths(grant.fs_read)),
        *(("fs_write", path, "text") for path in _honest_paths(grant.fs_write)),
        *(("net_fetch", host, route) for host in grant.net_hosts for route in _routes()),
        *calls,
    )


def _honest_paths(prefixes: Sequence[str]) -> list[str]:
    roots = dict.fromkeys(prefix.rstrip("/") for prefix in prefixes)
    return [path for root in roots for path in spellings("plain-file", root)]


@cache
def _routes() -> tuple[str, ...]:
    (granted,) = scenario_stage.GRANT["net_hosts"]
    return tuple(scenario_stage.WORLD["hosts"][granted])


@cache
def _calls(name: str) -> tuple[Op, ...]:
    """Return calls of a tool, told by its name what it does in the worlds of `worlds`."""
    behaviour = scenario_stage.WORLD["tools"].get(name)
    if behaviour == Behaviour.FLOOD:
        return tuple(("tool", name, size) for size in _FLOODS)
    if behaviour == Behaviour.REENTER:
        return tuple(scenario_stage.again(op) for op in (_READ, _SECRET, *_forbidden()))
    return (("tool", name, "text"), ("tool", name, "\U0001f600" * 3))


def _forbidden() -> list[Op]:
    return [op for op, _ in scenario_stage.FORBIDDEN.values()]


def _hostile_path(prefixes: Sequence[str], number: int) -> str:
    """Return a path by a technique, below one of the prefixes and towards a place outside them."""
    number, which = divmod(number, len(_path_techniques()))
    targets = outside(tuple(prefixes), TARGETS)
    roots = _canonical_roots(tuple(prefixes))
    number, at = divmod(number, len(targets))
    if not roots:
        return targets[at]
    number, root = divmod(number, len(roots))
    return pick(spellings(_path_techniques()[which], roots[root], targets[at]) or targets, number)


@lru_cache(maxsize=512)
def _canonical_roots(prefixes: tuple[str, ...]) -> tuple[str, ...]:
    return _paths.roots_of(Capabilities(fs_read=prefixes)) if prefixes else ()


def _resembling(granted: Sequence[str], techniques: Sequence[str], number: int) -> str:
    """Return a name by a technique, made from one of those granted, or from none."""
    number, which = divmod(number, len(techniques))
    number, at = divmod(number, max(1, len(granted)))
    name = granted[at] if granted else _nobody(techniques)
    return pick(spellings(techniques[which], name) or spellings(techniques[0], name), number)


def _nobody(techniques: Sequence[str]) -> str:
    """Return what the names are made from where nothing is granted."""
    field = "net_hosts" if techniques is _host_techniques() else "allowed_tools"
    granted: str = scenario_stage.GRANT[field][0]
    return granted


@cache
def _path_techniques() -> tuple[str, ...]:
    return _bluntly("outside", named(Kind.PATH))


@cache
def _host_techniques() -> tuple[str, ...]:
    return _bluntly("outside-host", named(Kind.HOST, Kind.NAME))


@cache
def _tool_techniques() -> tuple[str, ...]:
    return _bluntly("outside-tool", named(Kind.TOOL))


def _bluntly(blunt: str, techniques: Sequence[str]) -> tuple[str, ...]:
    """Return the techniques after a blunt one that makes a fourth: faults of memory need no more."""
    return (*[blunt] * (len(techniques) // 3), *techniques)


@cache
def _odd_ops() -> tuple[Op, ...]:
    """Return the malformed, the failing, the lying ones, and those from inside a tool."""
    tables: tuple[Mapping[str, Any], ...] = (
        scenario_stage.MALFORMED,
        scenario_stage.ODD,
        scenario_stage.FAILING,
    )
    plain = [op for table in tables for op in table.values()]
    nested = [scenario_stage.again(op) for op in (_READ, *_forbidden())]
    shapes = [op for scene in scenarios("scenario_shapes", "scenario_types") for op in scene.ops]
    every = {repr(op): op for op in (*plain, *nested, *shapes)}
    return tuple(op for text, op in every.items() if len(text) <= _LONGEST)

"""Strategies for what stands around a sandbox: something to hit for every fault, and odd clocks."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate

from capfuzz.attacks import naive
from capfuzz.attacks.case import Behaviour, WorldSpec
from capfuzz.attacks.codec import world_from_json
from capfuzz.attacks.techniques import paths_grants_stage, scenario_stage
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.engine import Capabilities
from capfuzz.strategies import _arguments, _paths, stage
from capfuzz.strategies._spellings import grouped, picks
from capfuzz.strategies.moves import named, spellings
from hypothesis import strategies as st

_STAGE = world_from_json(scenario_stage.WORLD)
_ROOT = "/work/"
# Where careless comparisons of a root lead; a target with an honest name meets careless caches.
_BESIDE = grouped(Kind.PATH, "boundary", "case", "normalisation", "reversed-prefix", "substring")
_SAME_NAME = "/etc/data.txt"
_WIDE = "\u6587\u5b57\U0001f600"  # three characters, ten bytes
_BEHAVIOURS = tuple(Behaviour)
_MOST_ODD_TOOLS = 6
_MOST_TICKS = 24


def ticks() -> st.SearchStrategy[tuple[int, ...]]:
    """
    Return clock readings as `capfuzz.attacks.case.WorldSpec.ticks` takes them.

    Clocks that step by one, stand still, step back, jump and saw. Shrinks towards ``()``, which
    reads 0, 1, 2, ..., then towards few readings with steps of one.
    """
    return picks(stage.STEPS, max_size=_MOST_TICKS).map(_readings)


def _readings(steps: Sequence[int]) -> tuple[int, ...]:
    return tuple(accumulate(steps, initial=0)) if steps else ()


def worlds(grant: Capabilities) -> st.SearchStrategy[WorldSpec]:
    """
    Return worlds in which each fault of a sandbox under ``grant`` has something to hit.

    Honest files below every root and secrets beside it; links; hosts that answer and redirect;
    tools that raise, flood and call ``run`` again; ungranted tools with names like those granted;
    odd clocks. Shrinks towards a world without links, whose tools repeat their arguments and
    whose clock reads 0, 1, 2, ... Raises ``InvalidArgument`` for what is no grant.
    """
    _arguments.check_grant("grant", grant)
    odd = picks(_BEHAVIOURS, max_size=min(_MOST_ODD_TOOLS, len(grant.allowed_tools)))
    links = _paths.chosen_links(grant, min_size=0)
    return st.builds(world_of, st.just(grant), links, ticks(), odd)


def world_of(
    grant: Capabilities,
    links: Mapping[str, str],
    ticks: tuple[int, ...] = (),
    odd: Sequence[Behaviour] = (),
) -> WorldSpec:
    """Return the world of a grant; ``odd`` says how its own tools behave, in order of name."""
    whole = _paths.settled({**links, **_linked_roots(grant)})
    files, tools = _files(grant), _tools(grant)
    if odd:
        tools = {**tools, **dict(zip(_own_tools(grant), odd, strict=False))}
    return WorldSpec(
        files=_unhidden(files, whole) if whole else files,
        links=whole,
        hosts=_hosts(grant),
        tools=tools,
        ticks=ticks,
    )


@lru_cache(maxsize=512)
def _files(grant: Capabilities) -> dict[str, bytes]:
    """Return honest files, and secrets wherever a careless comparison of a root leads."""
    planted = {**_STAGE.files, "/": b""}
    roots, links = _paths.roots_of(grant), _linked_roots(grant)
    for place in (_landing(path, {}) for root in roots for path in _secrets(root)):
        planted.setdefault(place, f"secret of {place}".encode("utf-8", "surrogatepass"))
    for root in roots:
        own = ((_landing(f"{root}/{path}", links), text) for path, text in _honest_files())
        planted |= {place: text for place, text in own if place not in _STAGE.files}
    del planted["/"]
    return {path: text for path, text in planted.items() if not _paths.below_any(path, planted)}


@cache
def _honest_files() -> tuple[tuple[str, bytes], ...]:
    """Return what stands below every root: names and contents."""
    files = {**_STAGE.files, f"{_ROOT}wide": _WIDE.encode()}
    below = ((path, text) for path, text in files.items() if path.startswith(_ROOT))
    return tuple((path.removeprefix(_ROOT), text) for path, text in below)


@lru_cache(maxsize=256)
def _secrets(root: str) -> tuple[str, ...]:
    """Return the first path beside a root that each technique spells."""
    return tuple(path for one in _BESIDE for path in spellings(one, root, _SAME_NAME)[:1])


def _landing(path: str, links: Mapping[str, str]) -> str:
    """Return the place of a file; ``/`` where none can be."""
    try:
        return naive.resolve(path, links) if "\0" not in path else "/"
    except OSError:  # a root that is a loop
        return "/"


def _linked_roots(grant: Capabilities) -> dict[str, str]:
    """Return the links that a root of the grant itself goes through."""
    return {
        link: to
        for link, to in paths_grants_stage.LINKS.items()
        if any(naive.within(root, [link]) for root in (*grant.fs_read, *grant.fs_write))
    }


def _unhidden(files: Mapping[str, bytes], links: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files with which no link shares a name, nor a folder on the way."""
    return {
        path: text
        for path, text in files.items()
        if path not in links and not _paths.below_any(path, links)
    }


@lru_cache(maxsize=512)
def _hosts(grant: Capabilities) -> dict[str, Mapping[str, str | tuple[str, str]]]:
    """Return the hosts of the stage, and the routes of its granted one on every granted host."""
    (granted,) = scenario_stage.GRANT["net_hosts"]
    answers = _STAGE.hosts[granted]
    own = {naive.host_name(host) or host: answers for host in grant.net_hosts}
    return {**_STAGE.hosts, **{host: {**_STAGE.hosts.get(host, {}), **answers} for host in own}}


@lru_cache(maxsize=512)
def _tools(grant: Capabilities) -> dict[str, Behaviour]:
    """Return the tools of the stage, the granted ones, and names like those granted."""
    alike = [spellings(one, name)[:1] for name in grant.allowed_tools for one in named(Kind.TOOL)]
    names = (*(name for first in alike for name in first), *grant.allowed_tools)
    absent = {*scenario_stage.GRANT["allowed_tools"]} - {*_STAGE.tools}
    return {name: Behaviour.ECHO for name in names if name not in absent} | dict(_STAGE.tools)


def _own_tools(grant: Capabilities) -> list[str]:
    return sorted(grant.allowed_tools.difference(scenario_stage.GRANT["allowed_tools"]))

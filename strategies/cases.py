"""Hypothesis strategies for grants, worlds and sequences of ops."""

from typing import Any

from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.engine import Capabilities
from capfuzz.strategies import pools
from capfuzz.strategies.pools import Move
from hypothesis import strategies as st

# Roots that share prefixes, nest and lie apart; the comfortable ones come first.
ROOTS = ("/work/", "/work/sub", "/workshop", "/work-evil/", "/work.bak", "/work2", "/other", "/")
HOSTS = ("api.internal", "10.0.0.1", "127.0.0.1", "evil.test")
TOOLS = ("summarize", "again", "flood", "fails", "delete_all")
PIECES = (
    "data.txt",
    "..",
    "/",
    "workshop",
    "secret.txt",
    "etc/passwd",
    ".",
    "sub",
    "\\",
    "%2e",
    "%2f",
    "%5c",
    "%252e",
    "\uff0e",
    "\uff0f",
    "\0",
    " ",
    ";",
    "work",
    "-evil",
    "../",
    "..\\",
    "%2e%2e%2f",
)
MAX_OPS = (50, 20, 5, 3, 2, 1, 0)
MAX_OUTPUT = (100_000, 1_000, 40, 12, 11, 0)
MAX_WALL = (1_000, 20, 5, 3, 1, 0)


def ticks() -> st.SearchStrategy[tuple[int, ...]]:
    """Clock readings that stand, step, jump and step back; shrinks towards a plain step of 1."""
    return st.lists(st.sampled_from((1, 0, 2, -1, 5, -3, 50)), max_size=8).map(_accumulate)


def grants() -> st.SearchStrategy[Capabilities]:
    """
    Grants drawn as adversarially as ops: one to eight roots that share prefixes or nest.

    Shrinks towards one plain root and comfortable budgets.
    """
    return st.builds(
        Capabilities,
        fs_read=_some(ROOTS, 8),
        fs_write=_some(("/work/out/", "/work2/", "/other"), 2),
        net_hosts=_some(HOSTS, 2),
        allowed_tools=_some(TOOLS, 4),
        max_ops=st.sampled_from(MAX_OPS),
        max_output_bytes=st.sampled_from(MAX_OUTPUT),
        max_wall=st.sampled_from(MAX_WALL),
    )


def ops(grant: Capabilities) -> st.SearchStrategy[Move]:
    """One op, honest or hostile, with its technique; shrinks towards the plainest."""
    honest, hostile = pools.honest(grant), pools.hostile(grant)
    choices = [st.sampled_from(hostile)]
    if honest:
        choices.insert(0, st.sampled_from(honest))
    return st.one_of(choices)


def op_sequences(grant: Capabilities, *, max_size: int = 12) -> st.SearchStrategy[list[Move]]:
    """Sequences of ops; shrinks towards few and plain ones."""
    return st.lists(ops(grant), min_size=1, max_size=max_size)


def cases_for(surface: Surface, *, max_size: int = 12) -> st.SearchStrategy[Case]:
    """Cases of the shape that ``surface`` can be asked."""
    if surface is Surface.SESSION:
        return cases(max_size=max_size)
    return path_cases() if surface is Surface.PATH else url_cases()


def paths() -> st.SearchStrategy[str]:
    """Paths put together from the pieces of which traversals are made, below ``/work``."""
    return st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join).map(_below)


def path_cases() -> st.SearchStrategy[Case]:
    """One read below one root: a technique's spelling, or pieces put together."""
    grant = Capabilities(fs_read=("/work/",))
    moves = [
        move
        for move in pools.hostile(grant)
        if isinstance(move.op, tuple) and move.op[:1] == ("fs_read",)
    ]
    spelt = st.sampled_from(moves).map(lambda move: _single(grant, move))
    pieced = paths().map(lambda path: _single(grant, Move(("fs_read", path), "dot-dot")))
    return st.one_of(spelt, pieced)


def url_cases() -> st.SearchStrategy[Case]:
    """One URL that names a granted host and may lead to another."""
    grant = Capabilities(net_hosts=("api.internal",))
    return st.sampled_from(pools.urls("api.internal", "evil.test")).map(
        lambda move: _single(grant, move)
    )


def _single(grant: Capabilities, move: Move) -> Case:
    return Case(grant, pools.PLAIN_WORLD, (move.op,), (move.technique,), "generated")


def _below(path: str) -> str:
    return "/work/" + path


@st.composite
def cases(draw: Any, *, max_size: int = 12) -> Case:
    """A grant, the world of the pools under some clock, and a sequence of ops."""
    grant = draw(grants())
    moves = draw(op_sequences(grant, max_size=max_size))
    clock = draw(ticks())
    world = WorldSpec(
        pools.WORLD.files, pools.WORLD.links, pools.WORLD.hosts, pools.WORLD.tools, clock
    )
    return Case(
        grant,
        world,
        tuple(move.op for move in moves),
        tuple(move.technique for move in moves),
        "generated",
    )


def _some(values: tuple[str, ...], most: int) -> st.SearchStrategy[tuple[str, ...]]:
    picked = st.lists(st.sampled_from(values), min_size=0, max_size=most, unique=True)
    return st.one_of(st.just(values[:1]), picked.map(tuple))


def _accumulate(steps: list[int]) -> tuple[int, ...]:
    readings = [0]
    for step in steps:
        readings.append(readings[-1] + step)
    return tuple(readings)

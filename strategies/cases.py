"""Hypothesis strategies for grants, ops and whole cases."""

from capfuzz.attacks.case import Case, Surface
from capfuzz.engine import Capabilities
from capfuzz.strategies import decode, stage
from capfuzz.strategies.decode import HEAD_BYTES, OP_BYTES, Move
from hypothesis import strategies as st

PIECES = (
    *("data.txt", "..", "/", "workshop", "secret.txt", "etc/passwd", ".", "sub", "\\", "%2e"),
    *("%2f", "%5c", "%252e", "\uff0e", "\uff0f", "\0", " ", ";", "work", "-evil", "../", "..\\"),
)

# The piece that tells most about a path comes first.
_TELLING = (
    ("\0", "nul-inside-dots"),
    ("%25", "double-percent"),
    ("%", "percent-dots"),
    ("\\", "backslash-climb"),
    ("\uff0e", "fullwidth-dots"),
    ("\uff0f", "fullwidth-slash"),
    ("..", "climb"),
)


def grants() -> st.SearchStrategy[Capabilities]:
    """
    Return grants: one to seven roots that share prefixes or nest, budgets near zero.

    Shrinks towards one plain root and comfortable budgets.
    """
    return st.binary(min_size=HEAD_BYTES, max_size=HEAD_BYTES).map(decode.grant)


def ticks() -> st.SearchStrategy[tuple[int, ...]]:
    """Return clock readings that stand, step, jump and step back; shrinks towards steps of 1."""
    return st.binary(max_size=16).map(lambda data: decode.ticks(1, data))


def ops(grant: Capabilities) -> st.SearchStrategy[Move]:
    """Return one op, honest or hostile, with its technique; shrinks towards an honest read."""
    data = st.binary(min_size=OP_BYTES, max_size=OP_BYTES)
    return data.map(lambda picked: decode.move(grant, picked))


def op_sequences(grant: Capabilities, *, max_size: int = 12) -> st.SearchStrategy[list[Move]]:
    """Return sequences of ops; shrinks towards few and plain ones."""
    return st.lists(ops(grant), min_size=1, max_size=max_size)


def cases(*, max_size: int = 12) -> st.SearchStrategy[Case]:
    """Return a grant, a world under some clock and up to ``max_size`` ops, in one draw."""
    size = HEAD_BYTES + OP_BYTES * max_size
    return st.binary(min_size=size, max_size=size).map(decode.case)


def paths() -> st.SearchStrategy[str]:
    """Return paths put together from the pieces of which traversals are made, below ``/work``."""
    pieces = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8)
    return pieces.map(lambda chosen: "/work/" + "".join(chosen))


def siblings(root: str) -> st.SearchStrategy[str]:
    """Return paths beside ``root`` whose names begin as its own does."""
    tails = ("shop/secret.txt", "-evil/secret.txt", ".bak/secret.txt", "2/secret.txt", "_secret")
    return st.sampled_from([root.rstrip("/") + tail for tail in tails])


def hosts(granted: str = "api.internal") -> st.SearchStrategy[str]:
    """Return ``granted`` and names and spellings that resemble it."""
    caps = Capabilities(net_hosts=(granted,))
    picked = st.tuples(*[st.integers(0, 255)] * 3)
    return picked.map(lambda three: decode.host_spelling(caps, *three)[0])


def path_cases() -> st.SearchStrategy[Case]:
    """Return one read below one root: a technique's spelling, or pieces put together."""
    grant = Capabilities(fs_read=("/work/",))
    picked = st.binary(min_size=3, max_size=3)
    spelt = picked.map(lambda three: _single(grant, decode.read(grant, *three)))
    pieced = paths().map(lambda path: _single(grant, Move(("fs_read", path), _named(path))))
    return st.one_of(spelt, pieced)


def url_cases() -> st.SearchStrategy[Case]:
    """Return one URL that names a granted host and may lead to another."""
    grant = Capabilities(net_hosts=("api.internal",))
    table = decode.urls("api.internal", "evil.test")
    return st.sampled_from(table).map(lambda move: _single(grant, move))


def cases_for(surface: Surface, *, max_size: int = 12) -> st.SearchStrategy[Case]:
    """Return cases of the shape that ``surface`` can be asked."""
    if surface is Surface.SESSION:
        return cases(max_size=max_size)
    return path_cases() if surface is Surface.PATH else url_cases()


def _named(path: str) -> str:
    """Return the technique that a path put together from pieces comes closest to."""
    for piece, technique in _TELLING:
        if piece in path:
            return technique
    return "outside"


def _single(grant: Capabilities, move: Move) -> Case:
    return Case(grant, stage.PLAIN_WORLD, (move.op,), (move.technique,), "generated")

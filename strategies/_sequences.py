"""Strategies for ops and sequences of ops."""

from capfuzz.engine import Capabilities
from capfuzz.strategies import _arguments
from capfuzz.strategies._ops import Op, op_of
from capfuzz.strategies._spellings import NUMBERS, numbers
from hypothesis import strategies as st


def ops(grant: Capabilities) -> st.SearchStrategy[Op]:
    """
    Return single ops, as plain tuples such as ``("fs_read", "/work/data.txt")``.

    Half of them are honest under ``grant``, half hostile: a technique's spelling, the wrong type,
    no op at all. They bite in a world of `worlds`. Shrinks towards an honest read of the first
    root. Raises ``InvalidArgument`` for what is no grant.
    """
    _arguments.check_grant("grant", grant)
    return st.integers(0, NUMBERS - 1).map(lambda number: op_of(grant, number))


def op_sequences(
    grant: Capabilities, *, min_size: int = 1, max_size: int = 20
) -> st.SearchStrategy[list[Op]]:
    """
    Return lists of ops as `ops` makes them, drawn at once.

    Shrinks towards few ops and plain ones. Raises ``InvalidArgument`` for what is no grant, and
    for sizes below 1 or in the wrong order.
    """
    _arguments.check_grant("grant", grant)
    _arguments.check_sizes(min_size, max_size)
    drawn = numbers(min_size=min_size, max_size=max_size)
    return drawn.map(lambda picked: [op_of(grant, number) for number in picked])

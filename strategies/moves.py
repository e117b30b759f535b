"""An op and the technique that made it; how bytes pick from tables of spellings."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, TypeVar

from capfuzz.attacks import naive
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind

_MOST_SPELLINGS = 16  # of one technique for one pair of places
_T = TypeVar("_T")


class Move(NamedTuple):
    """An op and the technique that made it."""

    op: object
    technique: str


def pick(table: Sequence[_T], byte: int) -> _T:
    """Return the entry that a byte picks; zero picks the first, which is the plainest."""
    return table[byte % len(table)]


@lru_cache(maxsize=16_384)
def spellings(technique: str, *places: str) -> tuple[str, ...]:
    """Return the first spellings that a technique makes of its places."""
    try:
        return tuple(islice(TECHNIQUES[technique].spell(*places), _MOST_SPELLINGS))
    except ValueError:  # made for an address, given a name
        return ()


def named(*kinds: Kind, surface: str = "session") -> tuple[str, ...]:
    """Return the names of the techniques of some kinds that a surface can be asked."""
    return tuple(
        name for name, one in TECHNIQUES.items() if one.kind in kinds and surface in one.surfaces
    )


@lru_cache(maxsize=512)
def outside(prefixes: tuple[str, ...], places: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of ``places`` that lie outside a grant; all of them where it covers them all."""
    return tuple(place for place in places if not naive.within(place, prefixes)) or places

"""Tables of what the techniques spell, plainest first, and strategies that pick from tables."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TypeVar

from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind, Technique
from capfuzz.attacks.techniques.scenario_model import Scenario
from capfuzz.strategies.moves import spellings
from hypothesis import strategies as st

_FIRST = 0x10000  # the first code point beyond the surrogates and the Basic Multilingual Plane
_LAST = 0x10FFFF
NUMBERS = _LAST - _FIRST + 1
_T = TypeVar("_T")


def spelt_by(techniques: Iterable[str], *places: str) -> tuple[str, ...]:
    """Return what several techniques spell, each spelling once, in the order of the techniques."""
    return tuple(dict.fromkeys(chain.from_iterable(spellings(one, *places) for one in techniques)))


def grouped(kind: Kind, *groups: str) -> tuple[str, ...]:
    """Return the names of the techniques of one kind that show some groups of faults."""
    return tuple(one.name for one in _of([kind]) if one.group in groups)


def scenarios(*modules: str) -> list[Scenario]:
    """Return the scenarios of all techniques, or of those in some modules."""
    made = [one for one in _of([Kind.SCENARIO]) if not modules or one.module in modules]
    return [scene for one in made for scene in one.spell()]


def _of(kinds: Iterable[Kind]) -> list[Technique]:
    return [one for one in TECHNIQUES.values() if one.kind in kinds]


def numbers(
    *, min_size: int = 0, max_size: int, below: int = NUMBERS
) -> st.SearchStrategy[list[int]]:
    """
    Return lists of numbers in one draw; shrinks towards few and small ones.

    A text is one choice to Hypothesis, yet it shrinks one character at a time, as a list of
    integers does for twice as many draws as it has items. Of ``below`` more than 256, four
    numbers of five are less than 256: what is plain and frequent belongs there.
    """
    characters = st.characters(min_codepoint=_FIRST, max_codepoint=_FIRST + below - 1)
    drawn = st.text(characters, min_size=min_size, max_size=max_size)
    return drawn.map(lambda text: [ord(one) - _FIRST for one in text])


def picks(
    table: Sequence[_T], *, min_size: int = 0, max_size: int
) -> st.SearchStrategy[tuple[_T, ...]]:
    """Return picks from a table in one draw; shrinks towards few picks of its first entries."""
    drawn = numbers(min_size=min_size, max_size=max_size, below=len(table))
    return drawn.map(lambda chosen: tuple(table[one] for one in chosen))

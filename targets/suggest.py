"""A typo names the nearest known word."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a clause that suggests the nearest known word, or lists them all."""
    names = sorted(known)
    close = get_close_matches(word, names, n=1)
    return f"; did you mean {close[0]}?" if close else f"; known: {', '.join(names)}"

"""Hypothesis strategies for whole cases, as a campaign draws them."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from capfuzz.attacks.case import Case, Surface
from capfuzz.strategies import _command, decode, single
from capfuzz.strategies._ssrf import SSRF_BYTES
from capfuzz.strategies.decode import HEAD_BYTES, OP_BYTES
from hypothesis import strategies as st


class Batch(NamedTuple):
    """Several cases out of one draw, and a byte more for whoever has a choice to make."""

    cases: tuple[Case, ...]
    pick: int

    def __repr__(self) -> str:
        """Say how many; Hypothesis would warn of the length of the whole."""
        return f"Batch of {len(self.cases)} cases"


class _Form(NamedTuple):
    """How many bytes make a case of a surface, and how they are read."""

    size: int
    decode: Callable[[bytes], Case]


def cases(*, max_size: int = 12) -> st.SearchStrategy[Case]:
    """Return a grant, a world under some clock and up to ``max_size`` ops, in one draw."""
    return cases_for(Surface.SESSION, max_size=max_size)


def path_cases() -> st.SearchStrategy[Case]:
    """Return one read below one root; shrinks towards the plain secret outside it."""
    return cases_for(Surface.PATH)


def url_cases() -> st.SearchStrategy[Case]:
    """Return one URL under one granted host; shrinks towards a plain one of another host."""
    return cases_for(Surface.HOST)


def ssrf_cases() -> st.SearchStrategy[Case]:
    """Return one address, host or URL that may lead inside; shrinks towards ``127.0.0.1``."""
    return cases_for(Surface.SSRF)


def cases_for(surface: Surface, *, max_size: int = 12) -> st.SearchStrategy[Case]:
    """Return cases of the shape that ``surface`` can be asked."""
    form = _form(surface, max_size)
    return st.binary(min_size=form.size, max_size=form.size).map(form.decode)


def is_generated(surface: Surface) -> bool:
    """Tell whether cases for a surface can be drawn; elsewhere the corpus is all there is."""
    return surface not in {Surface.ARCHIVE, Surface.EVAL}


# A server of files is asked what functions and sessions that open files are.
_ASKED = {
    Surface.HTTP: {Surface.HTTP, Surface.PATH},
    Surface.MCP: {Surface.MCP, Surface.SESSION, Surface.PATH},
    Surface.COMMAND: {Surface.COMMAND, Surface.SESSION, Surface.PATH},
}


def is_asked(surface: Surface, of: Collection[Surface]) -> bool:
    """Tell whether vectors for the surfaces ``of`` may be asked of a target of ``surface``."""
    return not _ASKED.get(surface, {surface}).isdisjoint(of)


def batches(surface: Surface, *, max_size: int, count: int) -> st.SearchStrategy[Batch]:
    """
    Return ``count`` cases for the price of one: drawing costs as much as trying a case.

    One draw of bytes and no list: Hypothesis would fill most lists with copies of their own items.
    """
    form = _form(surface, max_size)
    whole = form.size * count + 1

    def read(data: bytes) -> Batch:
        parts = (data[at : at + form.size] for at in range(1, whole, form.size))
        return Batch(tuple(map(form.decode, parts)), data[0])

    return st.binary(min_size=whole, max_size=whole).map(read)


def _form(surface: Surface, max_size: int) -> _Form:
    if surface in {Surface.PATH, Surface.HTTP}:
        return _Form(single.PATH_BYTES, single.path_case)
    if surface is Surface.HOST:
        return _Form(single.URL_BYTES, single.url_case)
    if surface is Surface.SSRF:
        return _Form(SSRF_BYTES, single.ssrf_case)
    read = _command.case if surface is Surface.COMMAND else decode.case
    return _Form(HEAD_BYTES + OP_BYTES * max_size, read)

"""Techniques of sources: built from parts, readable, harmless, each after something planted."""

import re

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.attacks.evaluators import (
    FILES,
    as_raised,
    as_statements,
    has_statements,
    readable,
)
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.attacks.vectors import load

SOURCES = {name: tuple(one.spell()) for name, one in TECHNIQUES.items() if one.kind is Kind.EVAL}
names = pytest.mark.parametrize("name", SOURCES)
_AFTER = ("CAPFUZZ_CANARY", "secret.txt", "marker.txt", "$PORT", r"\x", "[111")
_PLAIN = ("over-blocking-eval", "eval-numbers", "eval-text", "eval-loops", "eval-patterns")
_REAL = re.compile(r"/etc|/proc|/home|/root|/tmp|https?://|rm |kill|unlink|rmtree|fork|system\(")


@names
def test_a_technique_is_a_pure_bounded_list(name):
    """The corpus would differ from run to run, or never be written."""
    assert SOURCES[name] == tuple(TECHNIQUES[name].spell())
    assert 0 < len({*SOURCES[name]}) == len(SOURCES[name]) < 150


@names
def test_python_is_python(name):
    """A source that cannot be parsed is refused by everybody, and finds nothing."""
    if "python" in TECHNIQUES[name].platforms:
        assert [] == [one for one in SOURCES[name] if not readable(("eval", one))]


@names
def test_every_source_is_after_what_was_planted(name):
    """An escape could not be seen, or would touch what belongs to the machine."""
    if TECHNIQUES[name].group not in _PLAIN:
        assert [] == [one for one in SOURCES[name] if not any(map(one.__contains__, _AFTER))]
    assert [] == [one for one in SOURCES[name] if _REAL.search(one)]


@names
def test_no_source_holds_a_canary(name):
    """An evaluator that repeats what it was given would be blamed for an escape."""
    assert [] == [one for one in SOURCES[name] if any(map(one.__contains__, FILES.values()))]


def test_expressions_and_statements_are_told_apart():
    """A source would be asked in a form that the evaluator does not read."""
    assert [False, True] == [*map(has_statements, ("1 + 1", as_statements("1 + 1")))]
    for spelt in (as_statements, as_raised):
        once = spelt("1 + 1")
        assert once == spelt(once)
        assert readable(("eval", once))
    assert not readable(("eval", "1 +"))
    assert not readable(("url", "1"))


def test_every_attack_has_a_twin_of_its_own_language():
    """An evaluator of one language would be shown to work by code of another."""
    vectors = {one.id: one for one in load() if one.surfaces == (Surface.EVAL,)}
    for one in vectors.values():
        if one.control is not None:
            mine, twin = (
                {*TECHNIQUES[each.technique].platforms} - {"bounded"}
                for each in (one, vectors[one.control])
            )
            assert (one.id, mine) == (one.id, twin)

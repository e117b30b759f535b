"""Dialects: what a consumer is declared to make of a spelling, and what some other would."""

import pytest
from capfuzz.attacks.dialects import (
    DIALECTS,
    hints_outside,
    most_lenient,
    readings,
)


def test_the_dialects_are_those_of_the_contract():
    """If it fails, a target cannot declare what it does, or declares what nobody judges."""
    expected = {
        *("posix", "windows", "decodes-once", "decodes-twice", "normalises-unicode"),
        *("case-insensitive", "subdomains"),
    }
    assert expected == set(DIALECTS)


@pytest.mark.parametrize(
    ("dialect", "path", "expected"),
    [
        ("posix", "/w\\..\\%2e%2e", "/w\\..\\%2e%2e"),
        ("windows", "/w\\..\\e", "/w/../e"),
        ("windows", "/w/.. /e", "/w//e"),
        ("windows", "/w/../e", "/w/../e"),
        ("windows", "/w/./e", "/w/./e"),
        ("windows", "/w/a. . /e..", "/w/a/e"),
        ("windows", "/w/.../e", "/w//e"),
        ("decodes-once", "/w/%2e%2e%2fe", "/w/../e"),
        ("decodes-once", "/w/%252e%252e/e", "/w/%2e%2e/e"),
        ("decodes-twice", "/w/%252e%252e/e", "/w/../e"),
        ("decodes-twice", "/w/%2e%2e/e", "/w/../e"),
        ("decodes-twice", "/w/50%25.png", "/w/50%.png"),
        ("normalises-unicode", "/w/\uff0e\uff0e/e", "/w/../e"),
        ("normalises-unicode", "/w/\u2025/e", "/w/../e"),
        ("normalises-unicode", "/w/%2e%2e/e", "/w/%2e%2e/e"),
        ("case-insensitive", "/W", "/W"),
        ("subdomains", "/w", "/w"),
    ],
)
def test_a_dialect_reads_a_path_in_its_own_way(dialect, path, expected):
    """If it fails, a declared consumer is judged by what it does not do."""
    read = readings(path, frozenset({dialect}))
    assert path == read[0]
    assert expected == read[-1]


def test_every_declared_dialect_reads_a_path():
    """If it fails, a target that declares two dialects is judged by one of them."""
    dialect = frozenset({"windows", "decodes-once", "posix"})
    assert readings("/w\\%2e", dialect) == ("/w\\%2e", "/w\\.", "/w/%2e", "/w/.")


def test_nothing_is_read_that_nobody_declared():
    """If it fails, an honest literal name is an escape on a target that decodes nothing."""
    assert readings("/w/%2e%2e\\\uff0e", frozenset()) == ("/w/%2e%2e\\\uff0e",)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/w/%252e%252e%255c\uff0e\uff0e/e. ", "/w/../../e"),
        ("/w/\uff05\uff12e", "/w/%2e"),
        ("/w/\ud800", "/w/\ud800"),
    ],
)
def test_the_most_lenient_reader_does_everything(path, expected):
    """If it fails, a path that some reader takes for absolute is handed to a target unmoved."""
    assert expected == most_lenient(path)


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/work/a", "/work", False),
        ("/work", "/work/", False),
        ("/work/a..b", "/work", False),
        ("/work/...a", "/work", False),
        ("/work/%2e", "/work", False),
        ("/work/sub/%2e%2e/a", "/work", False),
        ("/work/%2e%2e", "/work", True),
        ("/work/%2e%2e/work/a", "/work", False),
        ("/work/%252e%252e/e", "/work", True),
        ("/work\\..\\e", "/work", True),
        ("/work/\uff0e\uff0e/e", "/work", True),
        ("/work/%252e%252e%255ce", "/work", True),
        ("/work/../workshop/e", "/work", True),
        ("/workshop/e", "/work", True),
        ("/a/b/c/%2e%2e/d", "/a/b", False),
        ("/a/b/%2e%2e/c", "/a/b", True),
        ("/etc/%2e%2e", "/", False),
        ("/%2e%2e/%2e%2e", "/", False),
        ("/", "/work", True),
        ("file:///etc/passwd", "/work", True),
    ],
)
def test_a_hint_at_something_outside_is_seen_in_any_spelling(path, root, expected):
    """If it fails, an honest name gets a note, or a yes that nobody can follow gets none."""
    assert expected is hints_outside(path, root)

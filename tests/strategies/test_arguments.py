"""Bad arguments are refused when the strategy is made, in one sentence that says what is allowed."""

import pytest
from capfuzz import strategies
from capfuzz.engine import Capabilities
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

NOTHING = Capabilities()
ROOTS = ("", "work", "/", "//", "/work/../etc", "/work\0", "/\ud800", b"/work", None, 7)
HOSTS = ("", "api.internal:80", "*.internal", "0x7f.1", "[::1]", "a b", b"api", None)
ADDRESSES = ("", "localhost", "127.1", "127.0.0.01", "::0:1", "[::1]", b"127.0.0.1", 2130706433)
SIZES = (0, -1, True, 1.0, "1", None)

TABLE = [
    *(("root", lambda value: strategies.paths(root=value), value) for value in ROOTS),
    *(("root", strategies.traversals, value) for value in ROOTS),
    *(("root", strategies.siblings, value) for value in ROOTS),
    *(("granted", lambda value: strategies.hosts(granted=value), value) for value in HOSTS),
    *(("host", strategies.host_spellings, value) for value in HOSTS),
    *(("address", strategies.ip_spellings, value) for value in ADDRESSES),
    *(("allowed", lambda value: strategies.url_confusions(value, "a.test"), one) for one in HOSTS),
    *(("other", lambda value: strategies.url_confusions("a.test", value), one) for one in HOSTS),
    ("other", lambda value: strategies.url_confusions("a.test", value), "A.test."),
    *(("granted", lambda value: strategies.tool_names(granted=value), one) for one in ("", 7)),
    *(("max_roots", lambda value: strategies.grants(max_roots=value), value) for value in SIZES),
    *(("budgets", lambda value: strategies.grants(budgets=value), one) for one in ({}, 7)),
    *(("grant", lambda value: strategies.links(grant=value), value) for value in ("/work", {})),
    *(("grant", strategies.worlds, value) for value in (None, {}, "/work")),
    *(("grant", strategies.ops, value) for value in (None, {}, "/work")),
    *(("grant", strategies.op_sequences, value) for value in (None, {}, "/work")),
    *(("grant", strategies.budget_busters, value) for value in (None, {}, "/work")),
    *(
        ("min_size", lambda value: strategies.op_sequences(NOTHING, min_size=value), value)
        for value in SIZES
    ),
    *(
        ("max_size", lambda value: strategies.op_sequences(NOTHING, max_size=value), value)
        for value in SIZES
    ),
    ("max_size", lambda value: strategies.op_sequences(NOTHING, min_size=3, max_size=value), 2),
    *(
        ("max_size", lambda value: strategies.budget_busters(NOTHING, max_size=value), value)
        for value in (*SIZES, 200)
    ),
    *(("target", strategies.session_machine, value) for value in (None, 7, "engine")),
]


class _Target:
    def run(self, case):
        raise NotImplementedError


TABLE += [
    ("max_ops", lambda value: strategies.session_machine(_Target(), max_ops=value), one)
    for one in SIZES
] + [("grants", lambda value: strategies.session_machine(_Target(), grants=value), NOTHING)]


@pytest.mark.parametrize(("name", "make", "value"), TABLE)
def test_a_bad_argument_is_refused_at_once(name, make, value):
    """A mistake would show in the middle of a run, or never."""
    with pytest.raises(InvalidArgument, match=r" must ") as refusal:
        make(value)
    assert str(refusal.value).startswith(f"{name}={value!r} ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("root", ["/work", "/work/", "//work//.", "/caf\u00e9", "/a b/c"])
def test_every_spelling_of_a_root_is_taken(root):
    """A user would have to know which spelling of a legal root is meant."""
    for make in (strategies.traversals, strategies.siblings):
        assert isinstance(make(root), st.SearchStrategy)


def test_options_are_keywords():
    """A number in a call would not say what it is."""
    with pytest.raises(TypeError):
        strategies.grants(3)
    with pytest.raises(TypeError):
        strategies.op_sequences(NOTHING, 1, 2)


def test_everything_public_is_listed_and_described():
    """A strategy could not be found, or nobody would know what it shrinks towards."""
    for name in strategies.__all__:
        assert f"`{name}`" in strategies.__doc__
        told = getattr(strategies, name).__doc__.lower()
        assert "shrink" in told, name

"""The codec: ops, grants and worlds come back from JSON as they went in."""

import json

import pytest
from capfuzz.attacks.case import Behaviour, WorldSpec
from capfuzz.attacks.codec import (
    LyingStr,
    grant_from_json,
    grant_to_json,
    op_from_json,
    op_to_json,
    world_from_json,
    world_to_json,
)
from capfuzz.engine import Capabilities, GrantError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

# The same examples every time: exploring is the fuzzer's work.
check = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
ANY_TEXT = st.text(st.characters())  # lone surrogates too
LONG = st.builds(lambda c, count: c * count, st.characters(), st.integers(250, 300))
TEXT = st.one_of(ANY_TEXT, LONG)
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    TEXT,
    TEXT.map(LyingStr),
    st.binary(),
)
ARGUMENTS = st.recursive(
    PLAIN, lambda inner: st.lists(inner) | st.lists(inner).map(tuple), max_leaves=8
)
OPS = st.one_of(ARGUMENTS, st.lists(ARGUMENTS).map(tuple))


def shape(value):
    """Return a value with every type said, so that nothing can lie about what it equals."""
    if isinstance(value, list | tuple):
        return type(value).__name__, [shape(item) for item in value]
    return type(value).__name__, str.__repr__(value) if isinstance(value, str) else repr(value)


def through(to_json, from_json, value):
    """Return what comes back from the text of a file."""
    return from_json(json.loads(json.dumps(to_json(value))))


# ---------------------------------------------------------------- ops


@check
@given(OPS)
def test_any_op_comes_back_as_it_was(op):
    """If it fails, a replay tries another op than the one that was found."""
    assert shape(op) == shape(through(op_to_json, op_from_json, op))


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (("fs_read", "/work/x"), ["fs_read", "/work/x"]),
        (("fs_write", "/x", b"hel"), ["fs_write", "/x", {"$bytes": "68656c"}]),
        (["fs_read", "/x"], {"$list": ["fs_read", "/x"]}),
        (("fs_read", LyingStr("/x")), ["fs_read", {"$lie": "/x"}]),
        (("tool", "t", ("a", ["b"])), ["tool", "t", ["a", {"$list": ["b"]}]]),
        (("fs_read", "a" * 4096), ["fs_read", {"$repeat": ["a", 4096]}]),
        (("fs_read", "a" * 257), ["fs_read", {"$repeat": ["a", 257]}]),
        (("fs_read", "a" * 256), ["fs_read", "a" * 256]),
        (("fs_read", "a" * 300 + "b"), ["fs_read", "a" * 300 + "b"]),
        (("tool", "t", 0.5), ["tool", "t", {"$float": "0.5"}]),
        (("tool", "t", float("inf")), ["tool", "t", {"$float": "inf"}]),
        ((True, None, 7), [True, None, 7]),
        ((), []),
        ([], {"$list": []}),
        (None, None),
        ("fs_read", "fs_read"),
    ],
)
def test_an_op_is_written_as_the_vectors_write_it(op, expected):
    """If it fails, replay lines of older releases cannot be read any more."""
    written = op_to_json(op)
    assert shape(expected) == shape(written)
    assert shape(op) == shape(op_from_json(expected))


def test_what_is_no_number_to_json_is_written_all_the_same():
    """If it fails, a report with NaN in an op is no JSON."""
    text = json.dumps(op_to_json(("tool", "t", float("nan"))), allow_nan=False)
    assert text == '["tool", "t", {"$float": "nan"}]'
    assert repr(op_from_json(json.loads(text))) == "('tool', 't', nan)"


def test_a_long_str_may_repeat_several_characters():
    """If it fails, a vector cannot hold a long path without being long itself."""
    assert op_from_json(["fs_read", {"$repeat": ["/a", 3]}]) == ("fs_read", "/a/a/a")


@pytest.mark.parametrize("value", [["x", {"$nope": 1}], {"$nope": 1}])
def test_an_unknown_key_is_an_error(value):
    """If it fails, a misspelt vector means something that nobody wrote."""
    with pytest.raises(KeyError, match="nope"):
        op_from_json(value)


# ---------------------------------------------------------------- the liar


def test_a_lying_str_lies_to_every_check():
    """If it fails, no vector shows a check that believes what it is told."""
    liar = LyingStr("/etc/passwd")
    assert liar == "/work/data.txt"
    assert (liar != "/work/data.txt") is False
    assert liar.startswith("/work/")
    assert liar.startswith(("/a", "/b"), 1)
    assert liar in ["/work/data.txt", "/work/other.txt"]
    assert "/work/data.txt" in (liar, "/work/other.txt")


def test_a_lying_str_is_found_by_its_true_text():
    """If it fails, the world cannot tell what a target really touched."""
    liar = LyingStr("/etc/passwd")
    assert {"/etc/passwd": "secret"}[liar] == "secret"
    assert str.__str__(liar) == "/etc/passwd"
    assert (type(str.__str__(liar)), len(liar), liar[1:4]) == (str, 11, "etc")
    assert isinstance(liar, str)


# ---------------------------------------------------------------- grants

NAMES = st.text(st.sampled_from("abc/. \xe9\\%"), min_size=1, max_size=8)
PREFIXES = st.lists(NAMES.map(lambda name: "/" + name.replace("..", ".")), max_size=4).filter(
    lambda prefixes: not any(".." in prefix for prefix in prefixes)
)
BUDGETS = st.integers(0, 10**18)
GRANTS = st.builds(
    Capabilities,
    fs_read=PREFIXES,
    fs_write=PREFIXES,
    net_hosts=st.lists(st.sampled_from(["api.internal", "API.", "10.0.0.1", "::1"]), max_size=4),
    allowed_tools=st.sets(NAMES, max_size=4),
    max_ops=BUDGETS,
    max_output_bytes=BUDGETS,
    max_wall=BUDGETS,
)


@check
@given(GRANTS)
def test_any_grant_comes_back_as_it_was(grant):
    """If it fails, a replay runs under another grant than the one that was broken."""
    assert grant == through(grant_to_json, grant_from_json, grant)


def test_tools_are_written_in_order():
    """If it fails, the same grant is written differently from process to process."""
    written = grant_to_json(Capabilities(allowed_tools={"c", "a", "b"}))
    assert written["allowed_tools"] == ["a", "b", "c"]


def test_what_is_no_grant_is_refused():
    """If it fails, a vector's grant says something else than it seems to."""
    with pytest.raises(GrantError, match="fs_read"):
        grant_from_json({"fs_read": ["relative"]})
    with pytest.raises(TypeError, match="unexpected"):
        grant_from_json({"fs_reads": []})


# ---------------------------------------------------------------- worlds

ANSWERS = st.one_of(TEXT, st.tuples(ANY_TEXT, ANY_TEXT))
WORLDS = st.builds(
    WorldSpec,
    files=st.dictionaries(ANY_TEXT, st.one_of(st.binary(), st.just(b"x" * 1000)), max_size=4),
    links=st.dictionaries(ANY_TEXT, ANY_TEXT, max_size=4),
    hosts=st.dictionaries(ANY_TEXT, st.dictionaries(ANY_TEXT, ANSWERS, max_size=3), max_size=3),
    tools=st.dictionaries(ANY_TEXT, st.sampled_from(Behaviour), max_size=4),
    ticks=st.lists(st.integers(), max_size=6).map(tuple),
).filter(WorldSpec.can_stand)


@check
@given(WORLDS)
def test_any_world_comes_back_as_it_was(world):
    """If it fails, a replay runs in another world than the one that was broken."""
    back = through(world_to_json, world_from_json, world)
    assert world == back
    assert {type(kind) for kind in back.tools.values()} <= {Behaviour}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("text", b"text"),
        ("h\xf4", "h\xf4".encode()),
        ("\ud800", b"\xed\xa0\x80"),
        ({"$bytes": "00ff"}, b"\0\xff"),
        ({"$repeat": ["ab", 2]}, b"abab"),
        ({"$lie": "x"}, b"x"),
        ("", b""),
    ],
)
def test_the_content_of_a_file_is_text_or_bytes(content, expected):
    """If it fails, a file of the world holds something else than the vector says."""
    assert world_from_json({"files": {"/f": content}}).files == {"/f": expected}


@pytest.mark.parametrize(
    "world",
    [
        {"files": {"/p/x": ""}, "links": {"/p": "/p"}},
        {"links": {"/p": "/q", "/q": "/p", "/p/x": "/etc"}},
        {"files": {"/a\0b": ""}},
    ],
)
def test_a_world_that_cannot_stand_is_refused(world):
    """If it fails, a replay ends in a traceback."""
    with pytest.raises(ValueError, match="leads through a link to itself"):
        world_from_json(world)


def test_what_is_empty_is_not_written():
    """If it fails, every replay line is long."""
    assert world_to_json(WorldSpec()) == {}
    assert world_from_json({}) == WorldSpec()


def test_a_redirect_is_a_pair():
    """If it fails, an answer that points elsewhere is a text, or a text points elsewhere."""
    hosts = {"a": {"/go": ["b", "/there"], "/stay": "ok"}}
    world = world_from_json({"hosts": hosts})
    assert world.hosts == {"a": {"/go": ("b", "/there"), "/stay": "ok"}}
    assert world_to_json(world) == {"hosts": hosts}


# ---------------------------------------------------------------- the clock of a world


@pytest.mark.parametrize(
    ("ticks", "expected"),
    [((), [0, 1, 2, 3]), ((5,), [5, 5, 5, 5]), ((9, 3), [9, 3, 3, 3]), ((0, 0, 7), [0, 0, 7, 7])],
)
def test_a_clock_reads_its_ticks_and_then_the_last_for_good(ticks, expected):
    """If it fails, the oracle and the world disagree on what time it is."""
    assert expected == [WorldSpec(ticks=ticks).tick(tried) for tried in range(4)]

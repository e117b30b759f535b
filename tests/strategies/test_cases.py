"""The strategies: what they make is valid, of the shape that is asked for, and shrinks to plain."""

from itertools import pairwise
from random import Random

import pytest
from capfuzz.attacks import naive
from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.dialects import most_lenient
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.engine import Capabilities
from capfuzz.strategies import cases, stage
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

HONEST = {"plain-file", "granted-host", "granted-tool"}
PLAIN = Capabilities(
    fs_read=("/work/",),
    fs_write=("/work/out/",),
    net_hosts=("api.internal",),
    allowed_tools={"summarize"},
    max_ops=50,
    max_output_bytes=100_000,
    max_wall=1_000,
)
SEARCH = settings(max_examples=3_000, database=None, deadline=None)


def smallest(strategy, wanted):
    """Return what a failing case of ``strategy`` shrinks to."""
    return find(strategy, wanted, settings=SEARCH, random=Random(0))


# ---------------------------------------------------------------- valid values


@given(cases.grants())
def test_grants_are_grants(grant):
    """A grant that no target accepts would stop a campaign."""
    assert type(grant) is Capabilities
    assert len(grant.fs_read) <= len(stage.ROOTS)
    assert len(set(grant.fs_read)) == len(grant.fs_read)


@given(cases.ticks())
def test_ticks_are_whole_numbers_from_zero(readings):
    """A malformed clock would halt every target."""
    assert readings[0] == 0
    assert all(type(reading) is int for reading in readings)


@given(st.data())
def test_ops_carry_the_technique_that_made_them(data):
    """A finding would not say what the attack was."""
    grant = data.draw(cases.grants())
    moves = data.draw(cases.op_sequences(grant, max_size=5))
    assert 1 <= len(moves) <= 5
    assert {one.technique for one in [*moves, data.draw(cases.ops(grant))]} <= set(TECHNIQUES)


@given(cases.cases(max_size=6))
def test_cases_are_whole(case):
    """A case without a technique an op, or of another size, would crash a campaign."""
    assert type(case) is Case
    assert 1 <= len(case.ops) == len(case.techniques) <= 6
    assert (case.family, case.source, case.verdicts) == ("generated", "", ())


@given(cases.paths())
def test_paths_begin_below_work(path):
    """A path would be absolute elsewhere, and say nothing of the root."""
    assert path.startswith("/work/")
    assert len(path) > len("/work/")


def test_paths_have_at_most_eight_pieces_of_one_climb(monkeypatch):
    """A path could climb higher than a tree is deep."""
    assert all(most_lenient(piece).count("..") <= 1 for piece in cases.PIECES)
    monkeypatch.setattr(cases, "PIECES", ("../",))
    assert smallest(cases.paths(), lambda path: path.count("..") == 8)
    with pytest.raises(NoSuchExample):
        smallest(cases.paths(), lambda path: path.count("..") > 8)


@pytest.mark.parametrize("root", ["/work", "/work/", "/a/b", "/caf\u00e9/"])
@given(data=st.data())
def test_siblings_begin_as_the_root_does_and_lie_beside_it(root, data):
    """A comparison of text would not be put to the test."""
    path = data.draw(cases.siblings(root))
    assert path.startswith(root.rstrip("/"))
    assert not naive.within(path, [root])


@pytest.mark.parametrize("granted", ["api.internal", "10.0.0.1", "::1"])
@given(data=st.data())
def test_hosts_resemble_the_granted_one(granted, data):
    """A campaign would crash on what is not a host."""
    assert type(data.draw(cases.hosts(granted))) is str


# ---------------------------------------------------------------- the shape that is asked for


@given(cases.path_cases())
def test_path_cases_are_one_read_below_one_root(case):
    """A path target could not be asked."""
    assert case.grant.fs_read == ("/work/",)
    ((kind, path),) = case.ops
    assert (kind, type(path)) == ("fs_read", str)
    assert case.techniques[0] in TECHNIQUES
    assert case.world.links == {}


@settings(max_examples=500)
@given(cases.path_cases())
def test_path_cases_climb_no_higher_than_a_tree_is_deep(case):
    """A function would be sent to the machine's own files."""
    path = case.ops[0][1]
    for text in (path, most_lenient(path), most_lenient(most_lenient(path))):
        assert naive.segments(text).count("..") <= 10


@given(cases.url_cases())
def test_url_cases_are_one_url_under_one_host(case):
    """A host target could not be asked."""
    assert case.grant.net_hosts == ("api.internal",)
    ((kind, url),) = case.ops
    assert (kind, type(url)) == ("url", str)
    assert case.techniques[0] in TECHNIQUES


@pytest.mark.parametrize(
    ("surface", "kinds"), [(Surface.PATH, {"fs_read"}), (Surface.HOST, {"url"})]
)
@given(data=st.data())
def test_every_surface_gets_its_own_cases(surface, kinds, data):
    """A campaign would generate what its target cannot be asked."""
    assert {op[0] for op in data.draw(cases.cases_for(surface)).ops} <= kinds


@given(cases.cases_for(Surface.SESSION, max_size=3))
def test_a_session_gets_sequences_as_long_as_asked(case):
    """A profile could not say how long its sequences are."""
    assert 1 <= len(case.ops) <= 3


# ---------------------------------------------------------------- shrinking


def test_anything_at_all_shrinks_to_one_honest_read():
    """Every finding would carry what has nothing to do with it."""
    case = smallest(cases.cases(), lambda _: True)
    assert case.ops == (("fs_read", "/work/data.txt"),)
    assert (case.grant, case.world) == (PLAIN, stage.WORLD)


def test_a_hostile_end_shrinks_to_one_op():
    """A finding would be told with ops that have nothing to do with it."""
    case = smallest(cases.cases(), lambda case: case.techniques[-1] not in HONEST)
    assert len(case.ops) <= 3  # the campaign then drops each op that is not needed
    assert case.techniques[-1] == "outside"
    assert case.grant == PLAIN


def test_a_sequence_shrinks_to_honest_reads():
    """What is needed only for its number would look like a part of the attack."""
    case = smallest(cases.cases(), lambda case: len(case.ops) > 2)
    assert case.ops == (("fs_read", "/work/data.txt"),) * 3


def test_a_clock_that_steps_back_shrinks_to_one_step_back():
    """A finding about the clock would be told with a muddle of readings."""

    def backwards(case):
        ticks = case.world.ticks
        return any(after < before for before, after in pairwise(ticks))

    case = smallest(cases.cases(), backwards)
    steps = [b - a for a, b in pairwise(case.world.ticks)]
    assert sorted(step for step in steps if step != 1)[1:] == []
    assert len(case.ops) == 1


def test_a_tight_budget_shrinks_alone():
    """A finding about one budget would carry the others."""
    case = smallest(cases.cases(), lambda case: case.grant.max_ops == 0)
    assert case.grant == Capabilities(
        **{
            name: getattr(PLAIN, name)
            for name in (
                "fs_read",
                "fs_write",
                "net_hosts",
                "allowed_tools",
                "max_output_bytes",
                "max_wall",
            )
        },
        max_ops=0,
    )


def test_several_roots_shrink_to_two():
    """A finding about two roots would be told with seven."""
    assert len(smallest(cases.grants(), lambda grant: len(grant.fs_read) > 1).fs_read) == 2


def test_a_path_shrinks_to_the_plainest_technique():
    """A finding of a function would be told with an exotic spelling."""
    assert smallest(cases.path_cases(), lambda _: True).techniques == ("outside",)

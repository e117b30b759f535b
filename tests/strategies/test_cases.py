"""The strategies: what they make is valid, of the shape that is asked for, and shrinks to plain."""

from itertools import pairwise
from random import Random

import pytest
from capfuzz.attacks import naive
from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.dialects import most_lenient
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.engine import Capabilities
from capfuzz.strategies import cases, single, stage
from hypothesis import Phase, find, given, seed, settings
from hypothesis import strategies as st

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


@given(cases.cases(max_size=6))
def test_cases_are_whole(case):
    """A case without a technique an op, or of another size, would crash a campaign."""
    assert type(case) is Case
    assert 1 <= len(case.ops) == len(case.techniques) <= 6
    assert (case.family, case.source, case.verdicts) == ("generated", "", ())


def test_pieces_climb_once_each_and_are_at_most_eight():
    """A path could climb higher than a tree is deep."""
    assert all(most_lenient(piece).count("..") <= 1 for piece in single.PIECES)
    assert single.pieced("/work/", bytes([255] * 99)).count(single.PIECES[255 % 22]) <= 8


@given(cases.batches(Surface.SESSION, max_size=4, count=3))
def test_a_batch_is_so_many_cases(batch):
    """A campaign would try fewer cases than it says."""
    assert [type(case) for case in batch.cases] == [Case] * 3
    assert 0 <= batch.pick <= 255


def test_batches_are_not_made_of_copies():
    """Hypothesis fills lists with copies of their items, and most of a campaign would be wasted."""
    seen = []

    @seed(0)
    @settings(max_examples=100, database=None, phases=[Phase.generate])
    @given(cases.batches(Surface.SESSION, max_size=12, count=3))
    def draw(batch):
        seen.extend(repr(case.ops) for case in batch.cases)

    draw()
    assert len(set(seen)) >= 0.8 * len(seen)


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
    ("surface", "kinds"),
    [(Surface.PATH, {"fs_read"}), (Surface.HOST, {"url"}), (Surface.SSRF, {"ssrf"})],
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
    case = smallest(cases.cases(), lambda case: len(case.grant.fs_read) > 1)
    assert len(case.grant.fs_read) == 2


def test_a_path_shrinks_to_the_plainest_technique():
    """A finding of a function would be told with an exotic spelling."""
    assert smallest(cases.path_cases(), lambda _: True).techniques == ("outside",)

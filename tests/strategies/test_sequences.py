"""Worlds, ops and sequences: something to hit, both kinds of ops, and budgets that run out."""

from itertools import pairwise
from random import Random

import pytest
from capfuzz.attacks import naive
from capfuzz.attacks.case import Behaviour, Case, Verdict, WorldSpec
from capfuzz.attacks.oracle import rulings
from capfuzz.engine import VFS, Capabilities
from capfuzz.strategies import budget_busters, grants, op_sequences, ops, ticks, worlds
from capfuzz.targets.session import SessionTarget, engine_factory
from hypothesis import find, given, settings
from hypothesis import strategies as st

SEARCH = settings(max_examples=5_000, database=None, deadline=None)
ENGINE = SessionTarget("engine", engine_factory)
OWN = Capabilities(
    fs_read=("/data/", "/data/in"),
    fs_write=("/data/out",),
    net_hosts=("db.corp.test",),
    allowed_tools={"search", "flood", "again"},
    max_ops=6,
    max_output_bytes=30,
    max_wall=9,
)
WIDE = Capabilities(
    fs_read=("/data/",),
    fs_write=("/data/out",),
    net_hosts=("db.corp.test", "10.0.0.1"),
    allowed_tools={"search"},
)

LINKED = Capabilities(fs_read=("/link/sub",))  # of which a part is a link


def smallest(strategy, wanted=lambda _: True):
    """Return what a failing example of ``strategy`` shrinks to."""
    return find(strategy, wanted, settings=SEARCH, random=Random(0))


def play(grant, world, tried):
    """Run ops on the reference engine."""
    return ENGINE.run(Case(grant, world, tuple(tried), ("x",) * len(tried), "generated"))


# ---------------------------------------------------------------- clocks


@given(ticks())
def test_ticks_are_whole_numbers_from_zero(readings):
    """A malformed clock would halt every target."""
    assert readings == () or (readings[0], type(sum(readings))) == (0, int)
    assert WorldSpec(ticks=readings).tick(0) == 0


@pytest.mark.parametrize("step", [0, 1, -1, 5, -3, 50])
def test_clocks_stand_still_step_back_and_jump(step):
    """A fault that a monotone clock hides would never be seen."""
    drawn = smallest(ticks(), lambda readings: step in [b - a for a, b in pairwise(readings)])
    assert (0, step) == drawn


def test_a_clock_shrinks_to_the_plain_one():
    """A finding that has nothing to do with time would be told with a clock."""
    assert smallest(ticks()) == ()


# ---------------------------------------------------------------- worlds


@given(st.data())
def test_a_world_reads_alike_for_the_engine_and_for_the_oracle(data):
    """Two readings of one world would make a finding out of nothing."""
    world = data.draw(worlds(LINKED) | grants().flatmap(worlds))
    vfs = VFS(world.files, world.links)
    assert vfs.snapshot() == dict(world.files)
    for link in world.links:
        assert not naive.within(link, world.links.keys() - {link})
        assert outcome(vfs.resolve, link) == outcome(naive.resolve, link, world.links)


def outcome(resolve, *arguments):
    """Return where a path leads, or that it leads nowhere."""
    try:
        return resolve(*arguments)
    except OSError:
        return None


def test_a_world_has_something_to_hit_for_a_grant_of_ones_own():
    """A fault would go wrong, and nothing would show."""
    world = smallest(worlds(OWN))
    for place in ("/data/data.txt", "/data/in/data.txt", "/data/out/out/report.txt"):
        assert place in world.files  # honest
    for place in ("/datashop/data.txt", "/data-evil/data.txt", "/DATA/data.txt", "/etc/passwd"):
        assert place in world.files  # beside, and far away
    assert {"/status", "/moved"} <= world.hosts["db.corp.test"].keys()
    assert world.hosts["db.corp.test"]["/moved"] == ("evil.test", "/steal")
    assert Behaviour.FLOOD == world.tools["flood"]
    assert Behaviour.REENTER == world.tools["again"]
    assert {"search", "SEARCH", "delete_all"} <= world.tools.keys()
    assert (world.links, world.ticks) == ({}, ())


@pytest.mark.parametrize("behaviour", Behaviour)
def test_a_tool_of_ones_own_may_do_anything(behaviour):
    """A user's own tools would never raise, flood or call back."""
    drawn = smallest(worlds(WIDE), lambda world: world.tools["search"] is behaviour)
    assert drawn.tools["search"] is behaviour


def test_worlds_have_links_and_odd_clocks():
    """A fault of links or of time would never be seen."""
    assert smallest(worlds(OWN), lambda world: world.links).links == {"/data/door": "/etc/passwd"}
    assert smallest(worlds(OWN), lambda world: len(world.ticks) > 2).ticks == (0, 1, 2)


def test_a_grant_that_is_a_link_leads_somewhere():
    """A grant of a link would be one of nothing."""
    world = smallest(worlds(LINKED))
    assert "/data/work/sub/data.txt" in world.files
    assert world.links == {"/link": "/data/work"}


# ---------------------------------------------------------------- ops


@given(st.data())
def test_any_sequence_can_be_played(data):
    """A drawn op would crash the suite instead of being refused."""
    grant = data.draw(grants())
    tried = data.draw(op_sequences(grant))
    assert 1 <= len(tried) <= 20
    steps = play(grant, data.draw(worlds(grant)), tried).steps
    assert len(tried) == sum(step.asked is not None for step in steps)
    assert not any(step.answer.raised or step.answer.hung for step in steps)


@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("kind", ["fs_read", "fs_write", "net_fetch", "tool"])
def test_ops_are_honest_and_hostile_at_every_door(kind, verdict):
    """A door would be tried in one way only."""
    world = smallest(worlds(WIDE))

    def wanted(op):
        if type(op) is not tuple or not op or op[0] != kind:
            return False
        return rulings(play(WIDE, world, [op]))[0].verdict is verdict

    if (kind, verdict) != ("tool", Verdict.CONTAIN):  # a name is the tool's or not
        assert wanted(smallest(ops(WIDE), wanted))


@pytest.mark.parametrize("wanted", [lambda op: op is None, lambda op: type(op) is list])
def test_some_ops_are_none(wanted):
    """The check of an op's shape would not be put to the test."""
    assert wanted(smallest(ops(WIDE), wanted))


@given(st.data(), st.integers(1, 4), st.integers(0, 3))
def test_sequences_are_as_long_as_asked(data, least, more):
    """A test could not say how long its sequences are."""
    drawn = data.draw(op_sequences(WIDE, min_size=least, max_size=least + more))
    assert least <= len(drawn) <= least + more


def test_ops_shrink_to_an_honest_read():
    """A finding that needs no special op would be told with one."""
    assert smallest(ops(WIDE)) == ("fs_read", "/data/data.txt")
    assert smallest(op_sequences(WIDE, min_size=3)) == [("fs_read", "/data/data.txt")] * 3


def test_a_sequence_shrinks_to_the_ops_that_matter():
    """A finding would be told with ops that have nothing to do with it."""

    def wanted(tried):
        kinds = [op[0] for op in tried if type(op) is tuple and op and type(op[0]) is str]
        return "fs_write" in kinds and "net_fetch" in kinds[kinds.index("fs_write") :]

    drawn = smallest(op_sequences(WIDE), wanted)
    assert ["fs_write", "net_fetch"] == [op[0] for op in drawn]


# ---------------------------------------------------------------- budgets


def plainly(grant):
    """Return worlds of a grant without links and under the plain clock."""
    return worlds(grant).map(lambda one: WorldSpec(one.files, {}, one.hosts, one.tools))


@pytest.mark.parametrize("grant", [OWN, Capabilities(max_ops=3), Capabilities(("/",), max_ops=0)])
@given(data=st.data())
def test_busters_end_in_a_hard_refusal(grant, data):
    """A budget would be called used up that is not."""
    steps = play(grant, data.draw(plainly(grant)), data.draw(budget_busters(grant))).steps
    assert [step for step in steps if step.asked is not None][-1].answer.hard


@settings(max_examples=300)
@given(st.data())
def test_busters_of_any_grant_end_in_a_hard_refusal(data):
    """A grant would be called used up because it allows less than the buster thought."""
    grant = data.draw(grants())
    steps = play(grant, data.draw(plainly(grant)), data.draw(budget_busters(grant))).steps
    assert [step for step in steps if step.asked is not None][-1].answer.hard


@pytest.mark.parametrize("budget", ["max_ops", "max_output_bytes", "max_wall"])
def test_every_budget_is_used_up(budget):
    """A meter that only one budget shows faulty would hold."""
    grant = Capabilities(fs_read=("/data/",), **{budget: 4})
    world = smallest(worlds(grant))

    def trips(tried):
        return budget in {step.answer.violation for step in play(grant, world, tried).steps}

    assert trips(smallest(budget_busters(grant), trips))


def test_busters_shrink_to_the_shortest():
    """A finding about a budget would be told with more ops than it takes."""
    assert smallest(budget_busters(OWN)) == [("tool", "flood", 100)]
    assert len(smallest(budget_busters(Capabilities(max_ops=3)))) == 4

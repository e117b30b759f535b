"""From bytes to cases: any bytes are one, zeros are the plainest, and everything can be reached."""

from functools import cache
from itertools import pairwise, product

import pytest
from capfuzz.attacks import naive
from capfuzz.attacks.case import Case
from capfuzz.attacks.codec import LyingStr, op_from_json, op_to_json
from capfuzz.attacks.dialects import most_lenient
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.engine import Sandbox
from capfuzz.strategies import decode, stage
from capfuzz.strategies.decode import HEAD_BYTES, OP_BYTES
from capfuzz.targets.session import SessionTarget, engine_factory
from hypothesis import given
from hypothesis import strategies as st

HEADS = st.binary(min_size=HEAD_BYTES, max_size=HEAD_BYTES)
MOVES = st.binary(min_size=OP_BYTES, max_size=OP_BYTES)


def head(**picked):
    """Return a head of zeros but for the bytes that are named."""
    names = ("roots", "writes", "hosts", "tools", "ops", "output", "wall", "clock", "count")
    return bytes(picked.get(name, 0) for name in names)


# ---------------------------------------------------------------- any bytes


@given(st.binary(max_size=300))
def test_any_bytes_are_a_case(data):
    """A fuzzer would crash the harness instead of the target."""
    case = decode.case(data)
    assert type(case) is Case
    assert (
        1 <= len(case.ops) == len(case.techniques) <= max(1, (len(data) - HEAD_BYTES) // OP_BYTES)
    )
    assert case == decode.case(data)


@given(st.binary(max_size=120))
def test_any_case_can_be_played(data):
    """A generated case would crash the suite instead of being judged."""
    trace = SessionTarget("engine", engine_factory).run(decode.case(data))
    asked = [step for step in trace.steps if step.asked is not None]
    assert len(decode.case(data).ops) == len(asked)
    assert not any(step.answer.raised or step.answer.hung for step in asked)


@given(st.binary(max_size=120))
def test_any_op_can_be_written_down(data):
    """A finding could not be replayed from its report."""
    for op in decode.case(data).ops:
        again = op_from_json(op_to_json(op))
        assert type(again) is type(op)
        assert str.__repr__(repr(op)) == str.__repr__(repr(again))


@pytest.mark.parametrize("size", [0, 1, HEAD_BYTES, HEAD_BYTES + 1, HEAD_BYTES + OP_BYTES, 500])
def test_zeros_are_the_plainest_case(size):
    """Shrinking would end on something that distracts from the fault."""
    case = decode.case(bytes(size))
    assert case.ops == (("fs_read", "/work/data.txt"),)
    assert case.grant.fs_read == ("/work/",)
    assert case.world == stage.WORLD
    assert min(case.grant.max_ops, case.grant.max_wall, case.grant.max_output_bytes) >= 50
    assert Sandbox(case.grant, vfs=None).run(case.ops[0]).violation is None


@given(HEADS, st.lists(MOVES, max_size=8))
def test_the_head_says_how_many_ops_there_are(first, moves):
    """A case could not be shrunk to fewer ops without losing the bytes of the others."""
    case = decode.case(first + b"".join(moves))
    assert len(case.ops) == 1 + first[8] % max(1, len(moves))


@given(HEADS, MOVES)
def test_a_short_head_or_op_is_filled_with_zeros(first, picked):
    """A fuzzer that cuts its input would get another case than the bytes say."""
    assert decode.case(first.rstrip(b"\0")) == decode.case(first)
    granted = decode.grant(first)
    assert decode.move(granted, picked.rstrip(b"\0")) == decode.move(granted, picked)


# ---------------------------------------------------------------- grants


def all_grants():
    """Return the grants of every choice of roots."""
    return [decode.grant(head(roots=byte)) for byte in range(256)]


def test_grants_hold_one_to_seven_roots_in_both_orders():
    """Faults that only several roots show would never be met."""
    roots = [grant.fs_read for grant in all_grants()]
    assert {len(one) for one in roots} == set(range(8))
    assert stage.ROOTS in roots
    assert stage.ROOTS[::-1] in roots
    several = [one for one in roots if len(one) > 1]
    assert all(one[::-1] in roots for one in several)


def test_grants_share_prefixes_nest_and_lie_apart():
    """A radix tree or a comparison of text would not be put to the test."""

    def kinds(one, other):
        bare, other_bare = one.rstrip("/"), other.rstrip("/")
        nested = naive.within(other, [one])
        shared = other_bare.startswith(bare) and not nested
        return "nested" if nested else "shared" if shared else "apart"

    pairs = {
        kinds(a, b) for grant in all_grants() for a, b in product(grant.fs_read, repeat=2) if a != b
    }
    assert pairs == {"nested", "shared", "apart"}
    slashes = {root.endswith("/") for grant in all_grants() for root in grant.fs_read}
    assert slashes == {True, False}


@pytest.mark.parametrize(
    ("byte", "name", "table"),
    [
        ("writes", "fs_write", stage.WRITES),
        ("hosts", "net_hosts", stage.HOSTS),
        ("tools", "allowed_tools", [frozenset(names) for names in stage.TOOLS]),
        ("ops", "max_ops", stage.MAX_OPS),
        ("output", "max_output_bytes", stage.MAX_OUTPUT),
        ("wall", "max_wall", stage.MAX_WALL),
    ],
)
def test_every_entry_of_the_stage_is_granted_by_some_byte(byte, name, table):
    """A line of the stage would be there for nothing."""
    granted = {getattr(decode.grant(head(**{byte: value})), name) for value in range(256)}
    assert set(table) == granted


def test_budgets_are_mostly_comfortable():
    """Nearly every case would end at once, with nothing tried."""
    budgets = [decode.grant(head(ops=byte)).max_ops for byte in range(256)]
    assert budgets.count(max(stage.MAX_OPS)) * 3 >= len(budgets)


def test_outside_every_grant_there_is_something_to_hit():
    """A grant would cover everything, so that nothing could be an escape."""
    for grant in all_grants():
        outside = [path for path in stage.WORLD.files if not naive.within(path, grant.fs_read)]
        assert outside, grant


# ---------------------------------------------------------------- the clock


@given(st.binary(max_size=64))
def test_a_plain_clock_is_the_worlds_own(body):
    """A case without a clock fault would be told with ticks."""
    assert decode.ticks(0, body) == () == decode.ticks(2, body)


def test_ticks_stand_step_jump_and_step_back():
    """A missing halt hides behind a clock that only goes forwards."""
    readings = decode.ticks(1, bytes(value for step in range(8) for value in (step << 3, 0)))
    steps = [after - before for before, after in pairwise(readings)]
    assert tuple(steps) == stage.STEPS
    assert (min(steps) < 0, 0 in steps, max(steps) > 10) == (True, True, True)


@given(st.binary(max_size=64))
def test_ticks_begin_at_zero_and_are_whole(body):
    """A clock would be malformed, and every target halt for that alone."""
    readings = decode.ticks(1, body)
    assert readings[0] == 0
    assert all(type(reading) is int for reading in readings)


# ---------------------------------------------------------------- ops


@cache
def moves():
    """Return every move, by technique, under grants that pick each entry of the stage in turn."""
    found = {}
    grants = [
        *(decode.grant(head(roots=byte)) for byte in (0, 1, 2, 3)),
        *(decode.grant(head(hosts=byte)) for byte in range(len(stage.HOSTS))),
        *(decode.grant(head(tools=byte)) for byte in range(len(stage.TOOLS))),
    ]
    for grant, door, which, where, variant in product(
        grants, range(17), range(256), (0, 1, 8, 40), (0, 1)
    ):
        picked = decode.move(grant, bytes((door, which, where, variant)))
        found.setdefault(picked.technique, []).append((grant, picked.op))
    return found


# What these need is not on the stage: an IPv6 address, a name of full length or with a double s,
# and a root with a letter that decomposes. The corpus has them.
NOT_ON_STAGE = {"host-cut", "host-deviation", "decomposed-root"}


@pytest.mark.parametrize("kind", [Kind.PATH, Kind.HOST, Kind.NAME, Kind.TOOL])
def test_every_technique_of_a_session_is_reached_by_some_bytes(kind):
    """A technique would never be combined with others."""
    wanted = {
        name for name, one in TECHNIQUES.items() if one.kind is kind and "session" in one.surfaces
    }
    assert wanted & NOT_ON_STAGE == wanted - set(moves())


def test_every_move_names_a_technique_that_is_described():
    """A finding would carry a name that nobody explains."""
    assert set(moves()) - set(TECHNIQUES) == set()


def test_the_tables_fit_a_byte():
    """What stands beyond the 256th entry would never be picked."""
    tables = (decode._PATHS, decode._HOSTS, decode._TOOLS, decode._ODD, decode._DOORS)
    assert [len(table) <= 256 for table in tables] == [True] * 5


def test_honest_moves_are_granted_and_many():
    """Denials alone would show nothing of what an honest op leaves behind."""
    honest = {"plain-file", "granted-host", "granted-tool"}
    for name in honest:
        for grant, op in moves()[name][:200]:
            result = SessionTarget("engine", engine_factory).run(
                Case(grant, stage.WORLD, (op,), (name,), "test")
            )
            assert result.steps[0].answer.violation in {None, "max_output_bytes"}, (grant, op)
    doors = [decode.move(decode.grant(head()), bytes((door, 0, 0, 0))) for door in range(16)]
    assert sum(one.technique in honest for one in doors) >= 6


def test_an_empty_grant_has_no_honest_moves():
    """An op that nobody was granted would be owed."""
    empty = decode.grant(head(roots=1, writes=1, hosts=1, tools=1))
    assert (empty.fs_read, decode.honest(empty)) == ((), ())
    assert decode.move(empty, bytes(4)).technique not in {"plain-file", "granted-host"}


def test_hostile_moves_name_something_outside():
    """An attack on what is granted anyway would prove nothing."""
    for grant, where in product(all_grants(), range(0, 256, 8)):
        op, technique = decode.read(grant, 0, where, 0)
        assert technique in {"outside", "sibling-word"}
        assert not naive.within(op[1], grant.fs_read), (grant, op)


def test_siblings_are_called_siblings():
    """A fault of text comparison would be filed under another name."""
    shared = [
        (grant, op)
        for grant, op in moves()["outside"]
        if any(
            op[1].startswith(root.rstrip("/"))
            for root in (grant.fs_read if op[0] == "fs_read" else grant.fs_write)
        )
    ]
    assert shared == []


def test_odd_ops_are_among_them():
    """Malformed ops and lying values would never be tried."""
    odd = [op for pairs in moves().values() for _, op in pairs]
    assert {None, ()} <= {op for op in odd if op is None or op == ()}
    assert any(type(op) is list for op in odd)
    assert any(type(part) is LyingStr for op in odd if type(op) is tuple for part in op)


def test_no_path_climbs_higher_than_a_tree_is_deep():
    """A case that a path target is asked would leave the planted tree."""
    climbs = [
        naive.segments(most_lenient(op[1])).count("..")
        for name, pairs in moves().items()
        if name in TECHNIQUES and TECHNIQUES[name].kind is Kind.PATH
        for _, op in pairs
    ]
    assert max(climbs) <= 10


# ---------------------------------------------------------------- URLs


def test_urls_begin_with_the_plainest():
    """A finding would be told with an exotic spelling."""
    first = decode.urls("ok.test", "evil.test")[0]
    assert first == (("url", "http://evil.test/steal"), "outside-host")


def test_urls_come_from_every_technique_that_spells_them():
    """A technique would never be tried on a function of a URL."""
    named = {one.technique for one in decode.urls("ok.test", "evil.test")}
    for address in ("127.0.0.1", "fd00::a:1"):
        named |= {one.technique for one in decode.urls(address, "evil.test")}
    wanted = {
        name for name, one in TECHNIQUES.items() if one.kind in {Kind.URL, Kind.HOST, Kind.NAME}
    }
    assert wanted - named <= NOT_ON_STAGE
    assert all(one.op[0] == "url" and type(one.op[1]) is str for one in decode.urls("a.b", "c.d"))

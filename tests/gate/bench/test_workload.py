"""The workloads are what they say: granted and near misses, spread evenly, without an end."""

import pytest
from capfuzz.attacks import naive
from capfuzz.gate.bench.subject import opened
from capfuzz.gate.bench.workload import DEPTHS, MOST, OPS, sizes_to, workloads

from .made import engine

SIZES = (1, 10, 100, 1_000, 10_000)
ALL = workloads()


@pytest.mark.parametrize(
    ("most", "expected"),
    [(1, (1,)), (9, (1, 9)), (10, (1, 10)), (1_500, (1, 10, 100, 1_000, 1_500)), (MOST, SIZES)],
)
def test_sizes_are_powers_of_ten_up_to_the_one_asked_for(most, expected):
    """Growth would end before, or beyond, what was asked for."""
    assert expected == sizes_to(most)


def test_no_case_is_made_before_it_is_wanted():
    """A million grants would be made to learn the names of the workloads."""
    assert "net_fetch denied hosts=1000000" in {one.name for one in workloads(sizes_to(1_000_000))}


def test_names_are_unique():
    """A saved time would be compared with that of another workload."""
    assert len(ALL) == len({one.name for one in ALL})


def test_every_kind_size_and_depth_is_there_both_ways():
    """A gap would go unnoticed, as nothing fails where nothing is timed."""
    both = [(one.group, one.kind, one.size, one.allowed) for one in ALL]
    for allowed in (True, False):
        kinds = {kind for group, kind, _, side in both if group == "kind" and side is allowed}
        assert {"fs_read", "fs_write", "net_fetch", "tool"} == kinds
        for group, sizes in (("roots", SIZES), ("hosts", SIZES), ("depth", DEPTHS)):
            found = tuple(size for g, _, size, side in both if g == group and side is allowed)
            assert sizes == found


@pytest.mark.parametrize("workload", ALL, ids=lambda one: one.name)
def test_the_engine_answers_each_as_it_should(workload):
    """Numbers of a session that halts, or of ops that are refused, mean nothing."""
    with opened(engine(), workload.case) as ready:
        answers = {ready.allows(ready.ask(op)) for op in ready.inputs * 3}
        assert ready.allows(ready.ask(ready.control))
    assert {workload.allowed} == answers


def test_a_near_miss_shares_the_spelling_of_the_grant():
    """A refusal at the first character would flatter a check that scans."""
    for one in ALL:
        if one.kind == "fs_read" and not one.allowed:
            for op in one.case.ops[:-1]:
                assert any(op[1].startswith(root) for root in one.case.grant.fs_read)
                assert not naive.within(op[1], one.case.grant.fs_read)


def test_the_ops_are_spread_over_the_grants():
    """A scan from the front would be timed on the first grants alone."""
    workload = next(one for one in ALL if one.name == "fs_read allowed roots=1000")
    numbers = [int(op[1].split("/")[2]) for op in workload.case.ops[:-1]]
    assert OPS == len(set(numbers))
    for few in (2, 4, 8, 16):  # any first few are as even
        assert 500 == pytest.approx(sum(numbers[:few]) / few, abs=1_000 / few)


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_path_has_as_many_segments_as_it_says(depth):
    """Growth over depth would be drawn over other numbers."""
    workload = next(one for one in ALL if one.name == f"fs_read allowed depth={depth}")
    assert {depth} == {len(op[1].split("/")) - 1 for op in workload.case.ops[:-1]}

"""The arithmetic of pairs, on times that are made up."""

import pytest
from capfuzz.gate.bench.paired import (
    Paired,
    across,
    interval,
    middle,
    paired,
)
from capfuzz.gate.bench.timing import feeding, interleaved


def test_the_ratio_is_the_median_of_pairs():
    """A slow spell of the machine, which hits both of a pair, would look like a change."""
    base = [100, 100, 1_000, 100, 100]
    head = [105, 105, 1_050, 105, 900]
    assert 1.05 == paired(base, head).ratio


def test_identical_times_leave_no_doubt():
    """Identical code would be called slower."""
    assert Paired(1.0, 1.0, 1.0) == paired([7] * 31, [7] * 31)


@pytest.mark.parametrize(
    ("count", "confidence", "cut"),
    [
        (1, 0.75, 0),
        (3, 0.75, 0),
        (5, 0.95, 0),
        (6, 0.95, 0),
        (9, 0.75, 2),
        (15, 0.95, 3),
        (101, 0.95, 40),
    ],
)
def test_the_interval_cuts_as_many_as_the_binomial_allows(count, confidence, cut):
    """The interval would promise more than it holds, or hide every change."""
    values = list(range(count))
    assert (cut, count - 1 - cut) == interval(values, confidence)


def test_the_interval_does_not_depend_on_the_order():
    """Rounds come as they come."""
    assert (1, 3) == interval([3, 1, 2], 0.75)


def test_the_middle_of_processes_keeps_their_extremes():
    """Three processes that disagree would look as sure as three that agree."""
    assert Paired(1.02, 0.98, 1.30) == middle([1.30, 0.98, 1.02])


def test_across_days_both_intervals_count():
    """A baseline that was taken on a noisy day would be taken for exact."""
    change = across(Paired(10.0, 8.0, 12.5), Paired(11.0, 10.0, 12.0))
    assert 1.1 == pytest.approx(change.ratio)
    assert (10.0 / 12.5, 12.0 / 8.0) == (change.low, change.high)


def test_two_callables_are_compared_call_by_call():
    """What a gate is built on: each side must be called as often as the other."""
    calls = {"base": 0, "head": 0}

    def count(side):
        calls[side] += 1

    _, base, head = interleaved([feeding(count, [side], 10) for side in calls], 7)
    change = paired(base, head)
    assert {"base": 80, "head": 80} == calls  # one round is thrown away
    assert change.low <= change.ratio <= change.high

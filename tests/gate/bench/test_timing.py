"""How things are timed: every call is made, blocks take turns, the collector comes back on."""

import gc

import pytest
from capfuzz.gate.bench.timing import (
    UNITS,
    calibration,
    calls_for,
    collector_off,
    feeding,
    interleaved,
    rounds_for,
)


def test_a_block_calls_with_the_inputs_in_turn():
    """Half of the inputs would never be timed, and a cost that depends on them be missed."""
    asked = []
    spent = feeding(asked.append, ["a", "b", "c"], 7)()
    assert ["a", "b", "c", "a", "b", "c", "a"] == asked
    assert spent > 0


def test_blocks_take_turns_forwards_and_backwards():
    """What the machine does meanwhile would fall on one side alone."""
    seen = []

    def block(name, nanoseconds):
        def run():
            seen.append(name)
            return nanoseconds

        return run

    unit, first, second = interleaved([block("a", 1), block("b", 2)], 4)
    assert ["a", "b"] + ["a", "b", "b", "a"] * 2 == seen  # the first pair is thrown away
    assert [1] * 4 == first
    assert [2] * 4 == second
    assert 4 == len(unit)


def test_the_collector_is_off_while_timing_and_on_afterwards():
    """A collection would land in some block, or a test run go on without a collector."""
    assert gc.isenabled()
    states = []
    interleaved([lambda: states.append(gc.isenabled()) or 1], 2)
    assert [True, False, False] == states
    assert gc.isenabled()


def test_the_collector_comes_back_after_an_error():
    """A target that raises would leave the process without a collector."""
    with pytest.raises(ZeroDivisionError), collector_off():
        raise ZeroDivisionError
    assert gc.isenabled()


@pytest.mark.parametrize(
    ("nanoseconds", "expected"),
    [(0.5, 10_000), (99.0, 10_000), (150.0, 1_000), (2_000.0, 100), (90_000.0, 10), (1e6, 4)],
)
def test_calls_are_a_power_of_ten_that_fills_a_block(nanoseconds, expected):
    """A block would be too short to time, or so long that it is never undisturbed."""
    assert expected == calls_for(nanoseconds, 4)


@pytest.mark.parametrize(("nanoseconds", "expected"), [(1e5, 101), (1e8, 10), (1e9, 7), (1e12, 7)])
def test_slow_blocks_get_fewer_rounds(nanoseconds, expected):
    """A target of some milliseconds an op would take minutes."""
    assert expected == rounds_for(nanoseconds, 101)


def test_the_calibration_always_does_the_same_work():
    """Ratios to it would mean something else in each version."""
    assert 1_000 == UNITS
    assert calibration()() > 0

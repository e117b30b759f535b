"""What counts as an attack on complexity, on times that are made up."""

import pytest
from capfuzz.gate.bench.complexity import (
    DOUBLINGS,
    EXPONENT,
    FLOOR,
    Ladder,
    like_lengths,
    stands_out,
)

LENGTHS = tuple(1_000 * by for by in DOUBLINGS)


def ladder(cost):
    """Return a ladder on which a length costs ``cost(length)`` nanoseconds."""
    return Ladder(LENGTHS, tuple(cost(length) for length in LENGTHS))


@pytest.mark.parametrize("power", [0.5, 1.0, 1.5, 2.0, 3.0])
def test_the_exponent_is_that_of_the_cost(power):
    """Linear code would be accused, or quadratic code not."""
    grown = ladder(lambda length: 1_000.0 * length**power)
    assert power == pytest.approx(grown.exponent)
    assert (power > EXPONENT) == grown.is_superlinear


def test_a_fixed_cost_does_not_hide_the_growth():
    """A slow start, such as a lock, would flatten the line through the first lengths."""
    assert ladder(lambda length: 2e6 + length**2 * 1.0).is_superlinear


def test_what_costs_next_to_nothing_is_no_fault():
    """Microseconds hurt nobody, and their noise would be accused."""
    quadratic = ladder(lambda length: FLOOR * (length / LENGTHS[-1]) ** 2 * 0.9)
    assert 2.0 == pytest.approx(quadratic.exponent)
    assert not quadratic.is_superlinear
    assert not quadratic.is_doubtful


def test_a_logarithm_is_no_fault():
    """Sorting is honest work."""
    assert not ladder(lambda length: 1_000.0 * length * length.bit_length()).is_superlinear


def test_usual_is_what_inputs_of_like_length_cost():
    """Long inputs would be held against short ones."""
    lengths = [10, 11, 12, 13, 14, 1_000, 1_001, 1_002, 1_003, 1_004]
    costs = [1.0, 2.0, 3.0, 4.0, 5.0, 100.0, 200.0, 300.0, 400.0, 500.0]
    assert [3.0] * 5 + [300.0] * 5 == like_lengths(lengths, costs)


def test_too_few_of_a_length_are_compared_with_all():
    """A lone long input would be its own measure, and never stand out."""
    assert [3.0] * 6 == like_lengths([10, 11, 12, 13, 14, 9_999], [1.0, 2.0, 3.0, 3.0, 5.0, 1e9])


@pytest.mark.parametrize(
    ("cost", "usual", "expected"),
    [(5e6, 1e5, True), (5e6, 1e6, False), (5e5, 1.0, False)],
)
def test_standing_out_takes_both_a_ratio_and_a_cost(cost, usual, expected):
    """Noise on a cheap input, or a dear neighbourhood, would be accused."""
    assert expected == stands_out(cost, usual)

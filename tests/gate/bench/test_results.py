"""Putting processes together, and what a limit makes of a change."""

import pytest
from capfuzz.gate.bench.measure import Share
from capfuzz.gate.bench.paired import Paired
from capfuzz.gate.bench.results import Outcome, judged, merged

from .made import sample


def test_processes_are_put_together_by_name():
    """The median of three processes would be that of one."""
    shares = [
        Share((sample(units=(9.0, 10.0, 90.0)), sample(name="other")), ()),
        Share((sample(units=(11.0, 12.0, 13.0), paired=(1.0, 1.1, 1.2)),), ()),
    ]
    first, other = merged(shares)
    assert (10.0, 12.0) == first.units
    assert (1.1,) == first.paired
    assert 6 == len(first.nanoseconds)
    assert 1000.0 == first.time
    assert 11.0 == first.ratio.ratio
    assert "other" == other.name


@pytest.mark.parametrize(
    ("paired", "expected"),
    [
        (Paired(1.00, 0.99, 1.01), Outcome.HELD),
        (Paired(0.50, 0.40, 0.60), Outcome.HELD),  # faster is no failure
        (Paired(1.04, 1.03, 1.05), Outcome.HELD),  # on the limit is not above it
        (Paired(1.07, 1.06, 1.08), Outcome.SLOWER),
        (Paired(1.04, 1.00, 1.09), Outcome.UNDECIDED),
        (Paired(1.07, 1.04, 1.30), Outcome.UNDECIDED),
        (Paired(1.00, 0.70, 1.40), Outcome.UNDECIDED),
    ],
)
def test_a_limit_within_the_interval_decides_nothing(paired, expected):
    """A noisy machine would fail a change that is none, and be run again until it is green."""
    assert expected is judged("x", paired, 0.05).outcome

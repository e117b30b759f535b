"""The meter: exact boundaries, the injected clock, and many threads on one budget."""

import sys
import threading
import time
from contextlib import suppress
from itertools import accumulate

import pytest
from capfuzz.engine import Capabilities, Result, budget, results
from capfuzz.engine.budget import Meter

from .twins import Twin

PLENTY = 10**6


class _WholeTwin(int, metaclass=Twin):
    """An int whose class equals int."""


class _Whole(int):
    """An int that is not a plain one."""


def _meter(ticks=(0,), **limits):
    """Return a meter whose clock reads ``ticks``, the last for good."""
    readings = list(ticks)
    caps = Capabilities(
        **{"max_ops": PLENTY, "max_output_bytes": PLENTY, "max_wall": PLENTY, **limits}
    )
    return Meter(caps, lambda: readings.pop(0) if len(readings) > 1 else readings[0])


@pytest.mark.parametrize("limit", [0, 1, 2, 7, 300])
def test_exactly_max_ops_are_admitted(limit):
    """Else one op too many, or one too few, would run."""
    meter = _meter(max_ops=limit)
    outcomes = [meter.admit() for _ in range(limit + 3)]
    assert [None] * limit + [results.OUT_OF_OPS, results.HALTED, results.HALTED] == outcomes
    assert [limit, True] == [meter.ops, meter.halted]


def _told(result):
    """Return the size of what was handed over, or the refusal."""
    return len(result.output) if result.ok else result


@pytest.mark.parametrize("limit", [0, 1, 100])
@pytest.mark.parametrize("over", [-1, 0, 1, 10**6])
def test_output_up_to_the_budget_is_handed_over(limit, over):
    """Else the last byte would be refused, or one more would pass."""
    meter, size = _meter(max_output_bytes=limit), max(0, limit + over)
    fits = over <= 0
    assert (size if fits else results.OUT_OF_OUTPUT) == _told(meter.settle(b"x" * size))
    assert [size if fits else 0, not fits] == [meter.output_bytes, meter.halted]


def test_output_adds_up():
    """Else many small answers would carry out what one large one may not."""
    meter = _meter(max_output_bytes=10)
    assert [4, 0, 5, results.OUT_OF_OUTPUT] == [
        _told(meter.settle("x" * size)) for size in (4, 0, 5, 2)
    ]
    assert 9 == meter.output_bytes


def test_nothing_is_added_to_a_spent_output_budget_but_nothing():
    """Else an empty answer would trip a budget that it does not exceed."""
    meter = _meter(max_output_bytes=3)
    assert [3, 0, results.OUT_OF_OUTPUT] == [_told(meter.settle("x" * size)) for size in (3, 0, 1)]


def test_writes_are_metered_apart():
    """Else a write would spend the output budget, or go uncounted."""
    meter = _meter(max_output_bytes=1)
    assert [True, True] == [meter.settle(None, 40).ok, meter.settle("x", 2).ok]
    assert [42, 1] == [meter.bytes_written, meter.output_bytes]


def test_a_write_in_flight_while_another_op_trips_is_counted():
    """Else bytes that really were written would be missing from the count."""
    meter = _meter(max_output_bytes=1)
    meter.settle("xx")
    assert results.HALTED == meter.settle(None, 5)
    assert [5, 0] == [meter.bytes_written, meter.output_bytes]


@pytest.mark.parametrize("output", [None, "", b"\0", 0, [1]])
def test_a_result_made_cheaply_is_the_one_that_is_spelt_out(output):
    """Else the short way to make a result would say something else than the long one."""
    made = _meter().settle(output)
    assert [Result(ok=True, output=output), Result] == [made, type(made)]
    assert made.output is output


def test_an_output_whose_text_raises_is_not_charged():
    """Else an answer that cannot be handed over would spend the budget, or count as a write."""

    class Mute:
        def __str__(self):
            raise SystemExit

    meter = _meter()
    with pytest.raises(SystemExit):
        meter.settle(Mute(), 7)
    assert [0, 0, False] == [meter.output_bytes, meter.bytes_written, meter.halted]


# What the clock reads, the budget, then what each op meets: "." admitted, "w" out of time.
CLOCKS = {
    "constant": ((5,), 0, "....", 0),
    "first reading is the start": ((100, 101), 1, "..", 1),
    "exactly at the limit": ((0, 3), 3, "..", 3),
    "one over": ((0, 4), 3, "wh", 4),
    "one over in two steps": ((0, 2, 4), 3, ".wh", 4),
    "zero ticks granted": ((0, 0, 0, 1), 0, "..wh", 1),
    "a leap": ((0, 10**30), PLENTY, "wh", 10**30),
    "a step back gives nothing back": ((0, 3, 0, 1), 3, "..wh", 4),
    "a step back counts as nothing": ((0, -50, -50), 0, "...", 0),
    "back and forth": ((0, 2, 0, 2, 0, 2), 4, "...." + "wh", 6),
    "negative times": ((-5, -3, -2), 3, "...", 3),
    "ten a reading": ((0, 10, 20, 30, 40), 25, "..wh", 30),
}


@pytest.mark.parametrize(("ticks", "limit", "fates", "elapsed"), CLOCKS.values(), ids=CLOCKS)
def test_time_is_the_sum_of_the_steps_forward(ticks, limit, fates, elapsed):
    """Else a clock that goes back would buy time, or one that stands still would cost some."""
    meter = _meter(ticks, max_wall=limit)
    meanings = {".": None, "w": results.OUT_OF_TIME, "h": results.HALTED}
    assert [meanings[fate] for fate in fates] == [meter.admit() for _ in fates]
    assert elapsed == meter.elapsed


class _Raising:
    """A clock that raises from the reading ``after`` on."""

    def __init__(self, error, after):
        self._error, self._left = error, after

    def __call__(self):
        self._left -= 1
        if self._left < 0:
            raise self._error
        return 0


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize(
    "error", [ValueError, SystemExit, GeneratorExit, BaseException, StopIteration]
)
def test_a_clock_that_raises_trips_max_wall(error, after):
    """Else nobody would know how long a run takes, and it would go on."""
    meter = Meter(Capabilities(), _Raising(error("late"), after))
    assert [results.OUT_OF_TIME, results.HALTED] == [meter.admit(), meter.admit()]


@pytest.mark.parametrize("after", [0, 1])
def test_a_persons_interrupt_comes_out_of_the_clock(after):
    """Else Ctrl-C would be swallowed as a fault of the clock."""
    clock = _Raising(KeyboardInterrupt(), after)
    with pytest.raises(KeyboardInterrupt):
        Meter(Capabilities(), clock).admit()


@pytest.mark.parametrize(
    "reading", [1.0, float("nan"), True, False, None, "1", _Whole(1), _WholeTwin(1), [1], 1j]
)
@pytest.mark.parametrize("before", [(), (0,)])
def test_a_clock_that_reads_no_plain_int_trips_max_wall(reading, before):
    """Else `NaN`, which is never late, would stop the time."""
    meter = _meter((*before, reading, 0), max_wall=PLENTY)
    assert [results.OUT_OF_TIME, results.HALTED] == [meter.admit(), meter.admit()]


@pytest.mark.parametrize("first", [None, True, 1.5])
@pytest.mark.parametrize("now", [0, 1, 7])
def test_time_after_a_start_that_cannot_be_told_is_counted_from_nothing(first, now):
    """Else a report would show ticks that no clock ever told."""
    meter = _meter((first, now))
    assert [results.OUT_OF_TIME, now] == [meter.admit(), meter.elapsed]


def test_a_clock_is_read_once_to_start_and_once_an_op():
    """Else the time that a run takes would depend on how often somebody looks."""
    readings = []
    meter = Meter(Capabilities(max_ops=3), lambda: readings.append(0) or 0)
    assert 1 == len(readings)
    for expected in (2, 3, 4, 4, 4):
        meter.admit()
        assert expected == len(readings)


def test_settling_reads_no_clock():
    """Else an op would be charged for time twice."""
    readings = []
    meter = Meter(Capabilities(), lambda: readings.append(0) or 0)
    meter.settle("x")
    assert 1 == len(readings)


def test_an_op_that_is_too_late_is_charged_all_the_same():
    """Else the count of ops would not say how many were tried."""
    meter = _meter((0, 9), max_wall=1)
    meter.admit()
    assert 1 == meter.ops


def test_a_clock_that_calls_the_meter_counts_each_step_once():
    """Else a re-entrant clock would deadlock, or spend the same ticks twice."""
    ticks, inner = iter([0, 5, 6]), []

    def clock():
        now = next(ticks)
        if now == 5 and not inner:
            inner.append(meter.admit())
        return now

    meter = Meter(Capabilities(max_wall=100), clock)
    assert [None, [None]] == [meter.admit(), inner]
    assert [2, 6] == [meter.ops, meter.elapsed]


def test_a_clock_that_calls_without_end_trips():
    """Else a clock that calls back would raise out of the meter, or run for good."""
    meters, depth = [], []

    def clock():
        depth.append(0)
        if meters:
            meters[0].admit()
        return 0

    meters.append(Meter(Capabilities(max_ops=PLENTY), clock))
    meters[0].admit()
    assert [True, results.HALTED] == [meters[0].halted, meters[0].settle(None)]
    assert len(depth) > 2


THREADS = 4


def _race(work):
    """Run ``work`` in several threads that are switched on every line of the meter."""

    def switch(frame, event, _):
        if event == "line":
            time.sleep(0)
        return switch if frame.f_code.co_filename == budget.__file__ else None

    def racer():
        sys.settrace(switch)
        try:
            work()
        finally:
            sys.settrace(None)

    threads = [threading.Thread(target=racer) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_that_race_for_the_last_op_do_not_share_it():
    """Else two threads would both take the last op of the budget."""
    meter, admitted = _meter(max_ops=25), []
    _race(lambda: admitted.extend(meter.admit() for _ in range(20)))
    assert [25, 1, 54] == [
        admitted.count(None),
        admitted.count(results.OUT_OF_OPS),
        admitted.count(results.HALTED),
    ]
    assert 25 == meter.ops


def test_threads_that_race_for_the_last_byte_do_not_share_it():
    """Else two threads would both carry out the last byte of the budget."""
    meter, settled = _meter(max_output_bytes=50), []
    _race(lambda: settled.extend(_told(meter.settle("xx", 1)) for _ in range(20)))
    assert [25, 1] == [settled.count(2), settled.count(results.OUT_OF_OUTPUT)]
    assert [50, 80] == [meter.output_bytes, meter.bytes_written]


def test_threads_that_race_for_the_last_tick_do_not_share_it():
    """Else a step of the clock would be lost between two threads that read it."""
    ticks = accumulate([0] + [1] * 200)
    meter, admitted = Meter(Capabilities(max_wall=25), ticks.__next__), []
    _race(lambda: admitted.extend(meter.admit() for _ in range(20)))
    assert [25, 26, 1] == [admitted.count(None), meter.elapsed, admitted.count(results.OUT_OF_TIME)]


def test_an_interrupt_frees_the_meter_for_other_threads():
    """Else Ctrl-C in one thread would leave all the others waiting for good."""
    meter = Meter(Capabilities(), _Raising(KeyboardInterrupt(), 1))
    with suppress(KeyboardInterrupt):
        meter.admit()
    settled = []
    thread = threading.Thread(target=lambda: settled.append(meter.settle(None).ok), daemon=True)
    thread.start()
    thread.join(timeout=30)
    assert [True] == settled

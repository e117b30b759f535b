"""The meter: exact boundaries, the injected clock, and many threads on one budget."""

import sys
import threading
import time
from contextlib import suppress
from itertools import accumulate

import pytest
from capfuzz.engine import Capabilities, Result, Sandbox, budget, results, sandbox, turns
from capfuzz.engine.budget import Meter

from .drawn import Mute
from .twins import Twin

PLENTY = 10**6


class _WholeTwin(int, metaclass=Twin):
    """An int whose class equals int."""


class _Whole(int):
    """An int that is not a plain one."""


def _caps(**limits):
    return Capabilities(
        **{"max_ops": PLENTY, "max_output_bytes": PLENTY, "max_wall": PLENTY, **limits}
    )


def _clock(ticks):
    """Return a clock that reads ``ticks``, the last for good."""
    readings = list(ticks)
    return lambda: readings.pop(0) if len(readings) > 1 else readings[0]


def _meter(**limits):
    """Return a meter for which no time passes."""
    return Meter(_caps(**limits), _clock((0,)))


def _box(ticks=(0,), **limits):
    """Return a sandbox whose clock reads ``ticks``."""
    return Sandbox(_caps(**limits), clock=_clock(ticks))


def _ask(box):
    """Return why an op was not admitted, or None: one that was admitted is refused as malformed."""
    result = box.run(())
    return None if result is results.MALFORMED_OP else result


@pytest.mark.parametrize("limit", [0, 1, 2, 7, 300])
def test_exactly_max_ops_are_admitted(limit):
    """Else one op too many, or one too few, would run."""
    box = _box(max_ops=limit)
    outcomes = [_ask(box) for _ in range(limit + 3)]
    assert [None] * limit + [results.OUT_OF_OPS, results.HALTED, results.HALTED] == outcomes
    assert [limit, True] == [box.ops, box.halted]


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
    meter.wrote(40)
    meter.wrote(2)
    assert [True, True] == [meter.settle(None).ok, meter.settle("x").ok]
    assert [42, 1] == [meter.bytes_written, meter.output_bytes]


@pytest.mark.parametrize("output", [None, "", "x"])
def test_nothing_in_flight_is_handed_over_when_another_op_trips(output):
    """Else output would flow back, and be counted, after the sandbox has halted."""
    meter = _meter(max_output_bytes=1)
    meter.settle("xx")
    assert results.HALTED is meter.settle(output)
    assert 0 == meter.output_bytes


def test_a_write_in_flight_while_another_op_trips_is_counted():
    """Else bytes that really were written would be missing from the count."""
    meter = _meter(max_output_bytes=1)
    meter.settle("xx")
    meter.wrote(5)
    assert 5 == meter.bytes_written


@pytest.mark.parametrize("output", [None, "", b"\0", 0, [1]])
def test_a_result_made_cheaply_is_the_one_that_is_spelt_out(output):
    """Else the short way to make a result would say something else than the long one."""
    made = _meter().settle(output)
    assert Result(ok=True, output=output) == made
    assert made.output is output


def test_an_output_whose_text_raises_is_not_charged():
    """Else an answer that cannot be handed over would spend the budget."""
    meter = _meter()
    with pytest.raises(SystemExit):
        meter.settle(Mute())
    assert [0, False] == [meter.output_bytes, meter.halted]


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
    box = _box(ticks, max_wall=limit)
    meanings = {".": None, "w": results.OUT_OF_TIME, "h": results.HALTED}
    assert [meanings[fate] for fate in fates] == [_ask(box) for _ in fates]
    assert elapsed == box.elapsed


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
    box = Sandbox(Capabilities(), clock=_Raising(error("late"), after))
    assert [results.OUT_OF_TIME, results.HALTED] == [_ask(box), _ask(box)]


@pytest.mark.parametrize("after", [0, 1])
def test_a_persons_interrupt_comes_out_of_the_clock(after):
    """Else Ctrl-C would be swallowed as a fault of the clock."""
    clock = _Raising(KeyboardInterrupt(), after)
    with pytest.raises(KeyboardInterrupt):
        Sandbox(Capabilities(), clock=clock).run(())


@pytest.mark.parametrize(
    "reading", [1.0, float("nan"), True, False, None, "1", _Whole(1), _WholeTwin(1), [1], 1j]
)
@pytest.mark.parametrize("before", [(), (0,)])
def test_a_clock_that_reads_no_plain_int_trips_max_wall(reading, before):
    """Else `NaN`, which is never late, would stop the time."""
    box = _box((*before, reading, 0), max_wall=PLENTY)
    assert [results.OUT_OF_TIME, results.HALTED] == [_ask(box), _ask(box)]


@pytest.mark.parametrize("first", [None, True, 1.5])
@pytest.mark.parametrize("now", [0, 1, 7])
def test_time_after_a_start_that_cannot_be_told_is_counted_from_nothing(first, now):
    """Else a report would show ticks that no clock ever told."""
    box = _box((first, now))
    assert [results.OUT_OF_TIME, now] == [_ask(box), box.elapsed]


def test_a_clock_is_read_once_to_start_and_once_an_op():
    """Else the time that a run takes would depend on how often somebody looks."""
    readings = []
    box = Sandbox(Capabilities(max_ops=3), clock=lambda: readings.append(0) or 0)
    assert 1 == len(readings)
    for expected in (2, 3, 4, 4, 4):
        _ask(box)
        assert expected == len(readings)


def test_settling_reads_no_clock():
    """Else an op would be charged for time twice."""
    readings = []
    meter = Meter(Capabilities(), lambda: readings.append(0) or 0)
    meter.settle("x")
    assert 1 == len(readings)


def test_an_op_that_is_too_late_is_charged_all_the_same():
    """Else the count of ops would not say how many were tried."""
    box = _box((0, 9), max_wall=1)
    _ask(box)
    assert 1 == box.ops


def _close_the_quick_way(box):
    """Do what two threads do that meet while the clock is read."""
    box._line._quick.close()


BY_EITHER_WAY = pytest.mark.parametrize(
    "prepare", [lambda _: None, _close_the_quick_way], ids=["open", "closed"]
)


@BY_EITHER_WAY
def test_a_clock_that_calls_the_sandbox_counts_each_step_once(prepare):
    """Else a re-entrant clock would deadlock, or spend the same ticks twice."""
    ticks, inner, boxes = iter([0, 5, 6]), [], []

    def clock():
        now = next(ticks)
        if now == 5:
            inner.append(_ask(boxes[0]))
        return now

    boxes.append(Sandbox(_caps(max_wall=100), clock=clock))
    prepare(boxes[0])
    assert [None, [None]] == [_ask(boxes[0]), inner]
    assert [2, 6] == [boxes[0].ops, boxes[0].elapsed]


@BY_EITHER_WAY
def test_a_clock_that_calls_without_end_trips(prepare):
    """Else a clock that calls back would raise out of the sandbox, or run for good."""
    boxes, depth = [], []

    def clock():
        depth.append(0)
        if boxes:
            boxes[0].run(())
        return 0

    boxes.append(Sandbox(_caps(), clock=clock))
    prepare(boxes[0])
    boxes[0].run(())
    assert [True, results.HALTED] == [boxes[0].halted, _ask(boxes[0])]
    assert len(depth) > 2


THREADS = 4
METERED = {budget.__file__, sandbox.__file__, turns.__file__}


def _race(work):
    """Run ``work`` in several threads that are switched on every line of the meter."""

    def switch(frame, event, _):
        if event == "line":
            time.sleep(0)
        return switch if frame.f_code.co_filename in METERED else None

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
    box, asked = _box(max_ops=25), []
    _race(lambda: asked.extend(_ask(box) for _ in range(20)))
    assert [25, 1, 54] == [
        asked.count(None),
        asked.count(results.OUT_OF_OPS),
        asked.count(results.HALTED),
    ]
    assert 25 == box.ops


def test_threads_that_race_for_the_last_byte_do_not_share_it():
    """Else two threads would both carry out the last byte of the budget."""
    meter, settled = _meter(max_output_bytes=50), []

    def settle():
        meter.wrote(1)
        settled.append(_told(meter.settle("xx")))

    _race(lambda: [settle() for _ in range(20)])
    assert [25, 1] == [settled.count(2), settled.count(results.OUT_OF_OUTPUT)]
    assert [50, 80] == [meter.output_bytes, meter.bytes_written]


def test_outputs_that_race_past_the_limit_name_one_reason():
    """Else an output that fits would be told to exceed, or nobody would say what has tripped."""
    for _ in range(20):
        meter, settled = _meter(max_output_bytes=50), []
        _race(lambda meter=meter, settled=settled: settled.append(_told(meter.settle("x" * 30))))
        assert [1, 1, 2] == [
            settled.count(fate) for fate in (30, results.OUT_OF_OUTPUT, results.HALTED)
        ]
        assert 30 == meter.output_bytes


@pytest.mark.parametrize(("after", "fate"), [("x", results.OUT_OF_OUTPUT), ("", 0)])
def test_output_that_fits_is_handed_over_whoever_comes_after_it(after, fate):
    """Else an op would be refused for bytes that nobody was given."""
    meter, others = _meter(max_output_bytes=10), []
    charge = meter._charge

    def charge_and_let_another(size, whence):
        total = charge(size, whence)
        if not others:
            others.append(None)
            others.append(_told(meter.settle(after)))
        return total

    meter._charge = charge_and_let_another
    assert [10, fate] == [_told(meter.settle("x" * 10)), others[1]]
    assert 10 == meter.output_bytes


def test_what_comes_after_a_refused_output_is_refused_before_that_is_told():
    """Else two would name a reason, or output would flow back from a sandbox that has halted."""
    meter, others = _meter(max_output_bytes=10), []
    charge = meter._charge

    def charge_and_let_another(size, whence):
        total = charge(size, whence)
        if size == 11:
            others.extend(_told(meter.settle("x" * much)) for much in (1, 11))
            others.append(meter._trip(results.OUT_OF_TIME))
        return total

    def let_none(size, whence):
        meter._charge = charge
        return charge_and_let_another(size, whence)

    meter._charge = let_none
    assert results.OUT_OF_OUTPUT is meter.settle("x" * 11)
    assert [results.HALTED] * 3 == others
    assert 0 == meter.output_bytes


def test_output_no_machine_has_is_a_budget_all_the_same():
    """Else a budget beyond what can be added up would be none, or trip by itself."""
    box = Sandbox(
        Capabilities(allowed_tools={"tool"}, max_output_bytes=10**30, max_ops=1),
        tools={"tool": lambda: "x" * 1000},
    )
    outcomes = [_told(box.run(("tool", "tool"))) for _ in range(3)]
    assert [1000, results.OUT_OF_OPS, results.HALTED] == outcomes
    assert 1000 == box.output_bytes


def test_budgets_that_are_exhausted_at_once_name_one_reason():
    """Else a report would tell of two hard limits where the first has halted all."""
    meter, named = _meter(), []
    _race(lambda: named.append(meter._trip(results.OUT_OF_TIME)))
    assert [1, THREADS - 1] == [named.count(results.OUT_OF_TIME), named.count(results.HALTED)]


def test_threads_that_race_for_the_last_tick_do_not_share_it():
    """Else a step of the clock would be lost between two threads that read it."""
    ticks = accumulate([0] + [1] * 200)
    box, asked = Sandbox(Capabilities(max_wall=25), clock=ticks.__next__), []
    _race(lambda: asked.extend(_ask(box) for _ in range(20)))
    assert [25, 26, 1] == [asked.count(None), box.elapsed, asked.count(results.OUT_OF_TIME)]


def test_a_clock_is_read_by_one_thread_at_a_time():
    """Else a step would be counted twice where two threads come from the same reading."""
    inside, most = [], []

    def clock():
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.001)
        inside.pop()
        return 0

    box = Sandbox(Capabilities(), clock=clock)
    _race(lambda: [_ask(box) for _ in range(5)])
    assert [1] * (1 + 5 * THREADS) == most


def test_a_thread_has_its_turn_however_busy_another_one_is():
    """Else one thread would starve while another goes on and on."""

    def clock():
        time.sleep(0.001)
        return 0

    box = Sandbox(_caps(max_ops=2_000), clock=clock)
    asked, busy = threading.Event(), threading.Event()

    def go_on():
        while _ask(box) is None and not asked.is_set():
            busy.set()

    thread = threading.Thread(target=go_on)
    thread.start()
    busy.wait(timeout=30)
    assert _ask(box) is None
    asked.set()
    thread.join(timeout=30)


def test_an_interrupt_frees_the_clock_for_other_threads():
    """Else Ctrl-C in one thread would leave all the others waiting for good, or halted."""
    readings = iter([0, KeyboardInterrupt, 1, 2])

    def clock():
        now = next(readings)
        if now is KeyboardInterrupt:
            raise now
        return now

    box = Sandbox(Capabilities(), clock=clock)
    with suppress(KeyboardInterrupt):
        box.run(())
    asked = []
    thread = threading.Thread(target=lambda: asked.append(_ask(box)), daemon=True)
    thread.start()
    thread.join(timeout=30)
    assert [[None], False, 2, 1] == [asked, box.halted, box.ops, box.elapsed]


@pytest.mark.parametrize("depth", range(0, 60, 7))
def test_a_tool_that_calls_without_end_does_not_end_the_turns(depth):
    """Else a sandbox that has not halted would admit nothing more, by how deep the stack was."""
    boxes = []

    def tool():
        boxes[0].run(("tool", "tool"))

    def deeper(levels):
        return deeper(levels - 1) if levels else boxes[0].run(("tool", "tool"))

    boxes.append(Sandbox(_caps(allowed_tools={"tool"}), tools={"tool": tool}))
    deeper(depth)
    assert [None, False] == [_ask(boxes[0]), boxes[0].halted]

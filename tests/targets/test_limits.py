"""The time limit: it ends what hangs, tells so whatever the target swallowed, and leaves no trace."""

import gc
import signal
import sys
import threading
import time

import pytest
from capfuzz.targets.limits import OpTimeout, time_limit

SHORT = 0.05
LONG = 30


@pytest.fixture(autouse=True)
def untouched():
    """Hold that neither the handler nor the timer of whoever called is different afterwards."""

    def own(_signal, _frame):
        raise AssertionError

    before = signal.signal(signal.SIGALRM, own)
    yield
    assert own is signal.signal(signal.SIGALRM, before)
    assert signal.setitimer(signal.ITIMER_REAL, 0) == (0, 0)


def test_a_block_in_time_is_left_alone():
    """Every op would count as hung."""
    with time_limit(LONG) as limit:
        done = True
    assert (done, limit.expired) == (True, False)


def test_a_hang_ends():
    """One target that hangs would stop the suite for good."""
    with time_limit(SHORT) as limit:
        time.sleep(LONG)
    assert limit.expired


def test_a_blanket_except_does_not_swallow_the_interruption():
    """A target that catches everything would go on for ever, or be taken for one that refuses."""
    with time_limit(SHORT) as limit:
        try:
            time.sleep(LONG)
        except Exception:  # noqa: BLE001 - that is the point
            pytest.fail("swallowed")
    assert limit.expired


def test_an_interruption_that_was_swallowed_is_told_all_the_same():
    """A target that swallows the interruption would seem to have answered in time."""
    with time_limit(SHORT) as limit:
        try:
            time.sleep(LONG)
        except BaseException:  # noqa: BLE001 - that is the point
            swallowed = True
    assert (swallowed, limit.expired) == (True, True)


def test_who_swallows_one_interruption_meets_the_next():
    """A retry loop around everything would hang for good."""
    caught = []
    with time_limit(SHORT) as limit:
        while True:
            try:
                time.sleep(LONG)
            except OpTimeout as error:
                caught.append(error)
                if len(caught) > 1:
                    raise
    assert (len(caught), limit.expired) == (2, True)


@pytest.mark.parametrize("error", [ValueError, SystemExit, KeyboardInterrupt])
def test_what_the_block_raises_comes_out(error):
    """An answer would be lost, or Ctrl-C not end the suite."""
    with pytest.raises(error), time_limit(LONG):
        raise error


def test_limits_nest():
    """An inner limit would leave the outer block without one."""
    with time_limit(SHORT * 4) as outer:
        with time_limit(LONG) as inner:
            pass
        with time_limit(SHORT) as hung:
            time.sleep(LONG)
        time.sleep(LONG)
    assert [limit.expired for limit in (outer, inner, hung)] == [True, False, True]


def test_a_timer_of_somebody_else_goes_on():
    """A test runner that watches with the same timer would watch no longer."""
    rang = threading.Event()
    before = signal.signal(signal.SIGALRM, lambda *_: rang.set())
    signal.setitimer(signal.ITIMER_REAL, LONG, LONG)
    with time_limit(SHORT):
        time.sleep(LONG)
    assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= LONG
    signal.setitimer(signal.ITIMER_REAL, SHORT)
    with time_limit(LONG):  # what fell due meanwhile rings at once
        time.sleep(2 * SHORT)
    assert rang.wait(LONG)
    signal.signal(signal.SIGALRM, before)


def test_in_another_thread_nothing_happens():
    """A target tried in a thread would crash, as signals belong to the main one."""
    seen = []

    def work():
        with time_limit(SHORT) as limit:
            time.sleep(2 * SHORT)
        seen.append(limit.expired)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]


def collect_slowly():
    """Run the collector with a callback that is still at work when the timer rings."""

    def callback(_phase, _info):
        time.sleep(SHORT)

    gc.callbacks.append(callback)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(callback)


def finalise_slowly():
    """Drop an object whose finaliser is still at work when the timer rings."""

    class Slow:
        def __del__(self):
            time.sleep(SHORT * 2)

    Slow()


@pytest.mark.parametrize("work", [collect_slowly, finalise_slowly])
def test_an_interruption_is_not_lost_where_python_drops_what_is_raised(monkeypatch, work):
    """It would be printed as "Exception ignored", and the hang would only end one ring later."""
    dropped = []
    monkeypatch.setattr(sys, "unraisablehook", dropped.append)
    with time_limit(SHORT) as limit:
        work()
        time.sleep(LONG)
    assert (limit.expired, dropped) == (True, [])

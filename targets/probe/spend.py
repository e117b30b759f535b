"""
Ops of the probe that spend what a grant has a budget for: output and time.

It stands before ``probe.py`` in the one program that runs inside; standard library alone. It limits
itself, whatever it is asked: to some MiB, and to half a minute.
"""

import contextlib
import os
import signal
import time

_MOST_OUTPUT = 4 * 1024 * 1024  # bytes
_MOST_TIME = 30.0  # seconds
_ANOTHER = 0.05  # seconds until a process is another one
_SIGNALS = range(1, 65)


def use_output(path, size):
    """Write what stands in a file to both standard streams, over and over, so many bytes in all."""
    with open(path, "rb") as file:
        data = file.read(4096)
    size = min(size, _MOST_OUTPUT)
    for stream, share in ((1, size // 2), (2, size - size // 2)):
        with contextlib.suppress(BrokenPipeError):  # the other one may still be open
            _pour(stream, (data * (share // len(data) + 1))[:share])


def _pour(stream, data):
    while data:
        data = data[os.write(stream, data) :]


def use_time(seconds, _mark):
    """Leave descendants that no group and no session ties to this one, and go on as they do."""
    end = time.monotonic() + min(seconds, _MOST_TIME)
    for streams in ((), (0, 1, 2)):  # one holds them open, one does not
        for going_on in (_stay, _change):
            if os.fork() == 0:
                _apart(streams)
                going_on(end)
                os._exit(0)
    _ignore()
    os.write(1, b"goes on\n")
    _stay(end)


def _apart(streams):
    """Be in a session of nobody else's, a child of whoever takes in those without a parent."""
    _ignore()
    for stream in streams:
        os.close(stream)
    os.setsid()
    if os.fork():
        os._exit(0)


def _ignore():
    for number in _SIGNALS:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)


def _stay(end):
    while time.monotonic() < end:
        time.sleep(_ANOTHER)


def _change(end):
    """Be another process every moment, so that a list of them is stale."""
    while time.monotonic() < end:
        if os.fork():
            os._exit(0)
        os.setsid()
        time.sleep(_ANOTHER)

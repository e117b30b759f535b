"""
Looks of the probe at what it may use of memory, processes and processor time: a little is used of each.

It stands before ``probe.py`` in the one program that runs inside; standard library alone. It limits
itself, whatever it is asked, and lets go of all that it has used.
"""

import os
import time

_MOST_MEMORY, _MOST_STARTED, _MOST_BURNT = 128, 48, 2.0  # MiB, processes, seconds
_MIB = 1024 * 1024


def look_memory(mib):
    """Return how many MiB could be held at once, each page of them written to."""
    held: list[bytes] = []
    try:
        while len(held) < min(mib, _MOST_MEMORY):
            held.append(b"\1" * _MIB)
    except MemoryError:
        pass
    return str(len(held))


def look_started(number):
    """Return how many processes could be started beside this one, which all end again."""
    wait, let_go = os.pipe()
    started: list[int] = []
    try:
        while len(started) < min(number, _MOST_STARTED):
            started.append(_waiting(wait, let_go))
    except OSError:
        pass
    os.close(wait)
    os.close(let_go)
    for child in started:
        os.waitpid(child, 0)
    return str(len(started))


def _waiting(wait, let_go):
    child = os.fork()
    if child == 0:
        os.close(let_go)
        os.read(wait, 1)  # nothing, once nobody holds the other end
        os._exit(0)
    return child


def look_burnt(seconds):
    """Return how many seconds of a processor's could be had within so many."""
    until = time.monotonic() + min(seconds, _MOST_BURNT)
    before = time.process_time()
    while time.monotonic() < until:
        pass
    return f"{time.process_time() - before:.2f}"

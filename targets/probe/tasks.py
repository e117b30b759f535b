"""
Ops of the probe that start processes and threads and keep them until they have been looked at.

It stands before ``probe.py`` in the one program that runs inside; standard library alone. Each of
them only sleeps, bears a name by which it is known outside, and ends with the program, by ``use_end``
or after some seconds. There are never more than a few dozen, whatever is asked.
"""

import ctypes
import os
import platform
import signal
import struct
import threading
import time

_MOST_AT_ONCE = 64
_KEPT_SECONDS = 5.0
_MOST_OPEN = 256
_SMALL = 128 * 1024  # bytes of a thread's stack
_DEATH_SIGNAL, _NAME = 1, 15  # prctl(2)
_NEW_USER = 0x10000000  # clone(2): CLONE_NEWUSER
_CLONE, _CLONE3 = (220, 435) if platform.machine() == "aarch64" else (56, 435)
_SIZE = ctypes.c_size_t(88)  # of struct clone_args
_TASKS = ctypes.CDLL(None, use_errno=True)
_CHILDREN: "list[int]" = []
_THREADS: "list[threading.Thread]" = []
_ENOUGH = threading.Event()


def use_processes(number, name):
    """Fork so many, or as many as may be."""
    _many(number, lambda: _keep(name, os.fork))


def use_threads(number, name):
    """Start so many, or as many as may be."""
    threading.stack_size(_SMALL)
    _many(number, lambda: _keep_thread(name))


def _many(number, start):
    for made in range(min(number, _MOST_AT_ONCE)):
        try:
            start()
        except (OSError, RuntimeError):  # the latter is of threads
            if made == 0:
                raise
            return


def priv_unshare(name):
    """Let a process each have a user namespace of its own, by every call that makes one."""
    # clone(2): struct clone_args
    asked = ctypes.create_string_buffer(struct.pack("5Q48x", _NEW_USER, 0, 0, 0, signal.SIGCHLD))
    flags, none = ctypes.c_long(_NEW_USER | signal.SIGCHLD), ctypes.c_long(0)
    ways = (
        lambda: _keep(name, os.fork, lambda: _fine(_TASKS.unshare(_NEW_USER))),
        lambda: _keep(name, lambda: _fine(_TASKS.syscall(_CLONE, flags, none, none, none, none))),
        lambda: _keep(name, lambda: _fine(_TASKS.syscall(_CLONE3, asked, _SIZE))),
    )
    failed = [error for error in map(_error, ways) if error]
    if len(failed) == len(ways):
        raise failed[0]


def _error(way):
    try:
        way()
    except OSError as error:
        return error
    return None


def _keep(name, make, begin=int):
    """Make a process that begins with something and then sleeps; raises what either raises."""
    told, tell = os.pipe()
    child = make()
    if child == 0:
        _sleep(name, begin, tell)
    os.close(tell)
    failed = os.read(told, 1)  # nothing once it has its name and sleeps
    os.close(told)
    _CHILDREN.append(child)
    if failed:
        raise OSError(failed[0], os.strerror(failed[0]))


def _sleep(name, begin, tell):
    """Be a process that only sleeps, with nothing open that is open where it was made."""
    try:
        begin()
        _TASKS.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        _TASKS.prctl(_NAME, name.encode(), 0, 0, 0)
        os.closerange(0, _MOST_OPEN)
        time.sleep(_KEPT_SECONDS)
    except OSError as error:
        os.write(tell, bytes([error.errno or 0]))
    finally:
        os._exit(0)


def _keep_thread(name):
    def sleep():
        _TASKS.prctl(_NAME, name.encode(), 0, 0, 0)
        named.set()
        _ENOUGH.wait(_KEPT_SECONDS)

    named, made = threading.Event(), threading.Thread(target=sleep, daemon=True)
    made.start()
    _THREADS.append(made)
    named.wait(1)


def use_end():
    """End all that was started to be looked at."""
    while _CHILDREN:
        child = _CHILDREN.pop()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    _ENOUGH.set()
    while _THREADS:
        _THREADS.pop().join(1)
    _ENOUGH.clear()


def _fine(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result

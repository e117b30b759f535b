"""
A process for each of many tasks; none is left, and nothing that they planted.

A faulty target may change whatever it can reach, the grants of the corpus for one: what it leaves
behind must end with its process, or it would be held against the next target.
"""

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from typing import Any, TypeVar

from capfuzz.gate.ending import vanish_when_asked
from capfuzz.targets.planted import scratch, sweep, sweep_stale, temporary
from hypothesis.configuration import set_hypothesis_home_dir

_Task = TypeVar("_Task")
_Outcome = TypeVar("_Outcome")
# A server without threads that has imported what all need, and from which each process is forked.
_CONTEXT = multiprocessing.get_context("forkserver")


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def done(
    tasks: Sequence[_Task],
    jobs: int,
    attempt: Callable[[_Task], _Outcome],
    lost: Callable[[_Task, str], _Outcome],
) -> Iterator[tuple[_Task, _Outcome]]:
    """
    Attempt each task in a process of its own, ``jobs`` at a time, and yield it with its outcome.

    What ``lost`` makes of the task and a reason is the outcome where an attempt raises or its
    process dies. ``attempt`` and the tasks must be importable; an attempt runs in a main thread.
    """
    sweep_stale()
    waiting = list(reversed(tasks))
    under_way: dict[Connection, tuple[_Task, ForkServerProcess]] = {}
    try:
        while waiting or under_way:
            while waiting and len(under_way) < jobs:
                answer, process = _start(attempt, waiting[-1])
                under_way[answer] = waiting.pop(), process
            for ready in wait(under_way):
                assert isinstance(ready, Connection)
                task, process = under_way[ready]
                outcome, problem = _received(ready)
                process.join()
                del under_way[ready]
                yield task, lost(task, problem) if outcome is None else outcome
    finally:
        _end([process for _, process in under_way.values()])


def preload(*modules: str) -> None:
    """Say which modules every process needs; without effect once one was started."""
    _CONTEXT.set_forkserver_preload([__name__, *modules])


def _start(
    attempt: Callable[[_Task], _Outcome], task: _Task
) -> tuple[Connection, ForkServerProcess]:
    """Start a process and return it with the connection on which it answers."""
    answer, sender = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_work, args=(sender, attempt, task, temporary()), daemon=True)
    process.start()
    sender.close()  # so that the connection ends when the process does
    return answer, process


def _received(answer: Connection) -> tuple[Any, str]:
    """Return the outcome that a process sent, or None and what went wrong."""
    with answer:
        try:
            outcome, problem = answer.recv()
        except EOFError:
            return None, "the process died in which this was attacked"
    return outcome, problem


def _end(processes: Sequence[ForkServerProcess]) -> None:
    """End processes, whatever they do, and remove what any have left behind."""
    for process in processes:
        process.kill()
    for process in processes:
        process.join()
        if process.pid is not None:  # until the server buries it, it looks alive
            sweep(process.pid)
    sweep_stale()


def _work(
    sender: Connection, attempt: Callable[[_Task], _Outcome], task: _Task, found: str
) -> None:
    """Attempt one task; the process ends when its parent does, who alone hears Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    vanish_when_asked(found)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.dup2(2, 1)  # standard output is for the reports
    set_hypothesis_home_dir(scratch())  # it would leave a folder where the user stands
    try:
        sender.send((attempt(task), ""))
    except Exception:  # noqa: BLE001 - it is told where all is told
        sender.send((None, traceback.format_exc()))
    finally:
        sweep(os.getpid())


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)

"""Processes that attack many targets; none is left, and nothing that they planted."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from typing import TypeVar

from capfuzz.targets.planted import scratch, sweep, sweep_stale
from hypothesis.configuration import set_hypothesis_home_dir

_Task = TypeVar("_Task")
_Outcome = TypeVar("_Outcome")
# Not forked: a thread of the progress bar may hold a lock at that very moment.
_CONTEXT = multiprocessing.get_context("spawn")


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def done(
    tasks: Sequence[_Task],
    jobs: int,
    attempt: Callable[[_Task], _Outcome],
    lost: Callable[[_Task], _Outcome],
) -> Iterator[tuple[_Task, _Outcome]]:
    """
    Attempt the tasks in ``jobs`` processes and yield each with its outcome, as they are done.

    Where a worker dies, the outcome of what was under way is what ``lost`` says, and the rest
    goes on. ``attempt`` and the tasks must be importable; an attempt runs in a main thread.
    """
    sweep_stale()
    waiting = list(reversed(tasks))
    while waiting:
        yield from _until_one_dies(waiting, jobs, attempt, lost)


def _until_one_dies(
    waiting: list[_Task],
    jobs: int,
    attempt: Callable[[_Task], _Outcome],
    lost: Callable[[_Task], _Outcome],
) -> Iterator[tuple[_Task, _Outcome]]:
    """Take tasks off the end of ``waiting`` and attempt them, all or until a worker dies."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, mp_context=_CONTEXT, initializer=_prepare)
    under_way: dict[Future[_Outcome], _Task] = {}
    died = False
    try:
        while under_way or (waiting and not died):
            while waiting and len(under_way) < jobs and not died:
                task = waiting.pop()
                try:
                    under_way[pool.submit(attempt, task)] = task
                except BrokenProcessPool:
                    waiting.append(task)
                    died = True
            finished, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                task, error = under_way.pop(future), future.exception()
                if error is not None and not isinstance(error, BrokenProcessPool):
                    raise error
                yield task, future.result() if error is None else lost(task)
    finally:
        _end(pool, set(multiprocessing.active_children()) - before)


def _end(pool: ProcessPoolExecutor, workers: set[BaseProcess]) -> None:
    """End the workers, whatever they do, and remove what they planted."""
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.join()
    pool.shutdown(wait=True)
    sweep_stale()


def _prepare() -> None:
    """Make a worker ready: it ends when its parent does, who alone hears Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _vanish)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.dup2(2, 1)  # standard output is for the reports
    set_hypothesis_home_dir(scratch())  # it would leave a folder where the user stands


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def _vanish(_signal: int, _frame: object) -> None:
    """End at once and clean; an exception could be swallowed by code not ours."""
    sweep(os.getpid())
    os._exit(128 + signal.SIGTERM)

"""
A fresh process for each share of a measurement, one at a time.

Each has its own hash seed and its own layout in memory, which alone move a time by some per cent;
and what a target leaves behind ends with it.
"""

import multiprocessing
import os
import signal
import traceback
from multiprocessing.connection import Connection

from capfuzz.gate.bench.measure import Share, Task, measured
from capfuzz.targets.base import TargetError
from capfuzz.targets.planted import sweep
from capfuzz.targets.processes import end_with_parent

_CONTEXT = multiprocessing.get_context("spawn")
_PATIENCE = 900.0  # seconds that one process may take
Answer = Share | str


def alone(task: Task) -> Share:
    """Return what a new process measures; raises `TargetError` with its reason where it cannot."""
    receiver, sender = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_work, args=(sender, task), daemon=True)
    process.start()
    sender.close()  # so that the connection ends when the process does
    try:
        answer = _received(receiver, task.spec)
    finally:
        process.kill()
        process.join()
        assert process.pid is not None
        sweep(process.pid)
    if isinstance(answer, str):
        raise TargetError(answer)
    return answer


def _received(receiver: Connection, spec: str) -> Answer:
    with receiver:
        if not receiver.poll(_PATIENCE):
            return f"{spec}: hung while it was timed"
        try:
            answer: Answer = receiver.recv()
        except EOFError:
            return f"{spec}: ended the process in which it was timed"
    return answer


def _work(sender: Connection, task: Task) -> None:
    """Measure and send what came out: a share, or why there is none."""
    own = os.getpid()
    signal.signal(signal.SIGTERM, _vanish)
    end_with_parent(signal.SIGTERM)
    os.dup2(2, 1)  # standard output is for the reports
    answer = _answer(task)
    if os.getpid() != own:  # a copy of this process that the target made
        os._exit(0)
    sender.send(answer)
    sweep(own)


def _answer(task: Task) -> Answer:
    try:
        return measured(task)
    except TargetError as error:
        return str(error)
    except BaseException as error:  # noqa: BLE001 - the target may raise anything, an exit too
        said = traceback.format_exception_only(error)[-1].strip()
        *_, last = traceback.extract_tb(error.__traceback__)
        return f"{task.spec}: raised while it was timed: {said} ({last.filename}:{last.lineno})"


def _vanish(_signal: int, _frame: object) -> None:
    """End at once and clean; an exception could be swallowed by code not ours."""
    sweep(os.getpid())
    os._exit(128 + signal.SIGTERM)

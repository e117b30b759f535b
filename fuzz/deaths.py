"""Inputs that end a process: what no handler in it can tell is tried again in a process apart."""

import contextlib
import os
import select
import signal
from collections.abc import Callable

from capfuzz.attacks.case import Case
from capfuzz.targets.base import Target
from capfuzz.targets.planted import sweep
from capfuzz.targets.processes import end_with_parent

_SURVIVED = b"s"
HUNG = "hung"


def death(attempt: Callable[[], object], seconds: float) -> str | None:
    """Return how a process ends in which ``attempt`` runs, in words; None where it survives."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _try(attempt, writing)
    os.close(writing)
    try:
        ready = select.select([reading], [], [], seconds)[0]
        said = os.read(reading, 1) if ready else b""
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            if not ready:
                os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        sweep(child)
    if said:
        return None
    return HUNG if not ready else ended_by(status)


def _try(attempt: Callable[[], object], writing: int) -> None:
    end_with_parent()
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    try:
        attempt()
        os.write(writing, _SURVIVED)
    except Exception:  # noqa: BLE001 - an answer of some kind: the process lives
        os.write(writing, _SURVIVED)
    finally:
        os._exit(1)


def ended_by(status: int) -> str:
    """Say how a process ended, from its wait status."""
    if os.WIFSIGNALED(status):
        return f"was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"ended itself with exit status {os.waitstatus_to_exitcode(status)}"


def of_case(target: Target, case: Case, seconds: float) -> str | None:
    """Return how the process ends in which a target is asked a case, None where it survives."""
    return death(lambda: target.run(case), seconds)

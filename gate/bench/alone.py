"""
A fresh process for each share of a measurement, one at a time.

Each has its own hash seed and its own layout in memory, which alone move a time by some per cent;
and what a target leaves behind ends with it. It says beforehand what it is about to ask, so that an
op that cannot be interrupted is known by name when the process is ended.
"""

import faulthandler
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from capfuzz.gate.ending import vanish_when_asked
from capfuzz.targets.base import TargetError
from capfuzz.targets.planted import sweep, temporary
from capfuzz.targets.processes import end_with_parent

_CONTEXT = multiprocessing.get_context("spawn")
_PATIENCE = 900.0  # seconds between two messages of a process that asks nothing
_LAST = 5.0  # seconds after which a process that hangs ends itself
Say = Callable[[object], None]


@dataclass(frozen=True, slots=True)
class Asking:
    """The next message comes within so many ``seconds``, or the target hangs on ``what``."""

    what: Any
    seconds: float


class StuckError(Exception):
    """A process hung where it could not be interrupted, and was ended."""

    def __init__(self, what: Any) -> None:
        super().__init__(what)
        self.what = what  # of the last `Asking`


@dataclass(frozen=True, slots=True)
class _Last:
    """The end of what a process says; ``fault`` is why it could not go on."""

    fault: str = ""


def alone(work: Callable[..., None], errand: Any, spec: str) -> Iterator[Any]:
    """
    Yield what ``work(errand, say)`` says in a new process, but for each `Asking`.

    Raises `TargetError` with the reason where it came to no end, and `StuckError`.
    """
    receiver, sender = _CONTEXT.Pipe(duplex=False)
    given = (sender, work, errand, spec, temporary())
    process = _CONTEXT.Process(target=_work, args=given, daemon=True)
    process.start()
    sender.close()  # so that the connection ends when the process does
    try:
        yield from _messages(receiver, spec)
    finally:
        process.kill()
        process.join()
        assert process.pid is not None
        sweep(process.pid)


def _messages(receiver: Connection, spec: str) -> Iterator[Any]:
    asking: Asking | None = None
    with receiver:
        while True:
            if not receiver.poll(_PATIENCE if asking is None else asking.seconds):
                if asking is None:
                    raise TargetError(f"{spec}: hung while it was timed")
                raise StuckError(asking.what)
            try:
                message = receiver.recv()
            except EOFError:
                raise TargetError(f"{spec}: ended the process in which it was timed") from None
            asking = message if isinstance(message, Asking) else None
            if isinstance(message, _Last):
                if message.fault:
                    raise TargetError(message.fault)
                return
            if asking is None and message is not None:
                yield message


def _work(
    sender: Connection, work: Callable[..., None], errand: Any, spec: str, found: str
) -> None:
    """Do the work in the new process; the last message says how it ended."""
    own = os.getpid()
    vanish_when_asked(found)
    end_with_parent(signal.SIGTERM)
    os.dup2(2, 1)  # standard output is for the reports

    def say(message: object) -> None:
        if os.getpid() != own:  # a copy of this process that the target made
            os._exit(0)
        faulthandler.cancel_dump_traceback_later()
        if isinstance(message, Asking):  # should nobody be left to end it, where no signal helps
            faulthandler.dump_traceback_later(message.seconds + _LAST, exit=True, file=nowhere)
        sender.send(message)

    with open(os.devnull, "w", encoding="ascii") as nowhere:
        say(_ended(lambda: work(errand, say), spec))
    sweep(own)


def _ended(work: Callable[[], None], spec: str) -> _Last:
    try:
        work()
    except TargetError as error:
        return _Last(str(error))
    except BaseException as error:  # noqa: BLE001 - the target may raise anything, an exit too
        said = traceback.format_exception_only(error)[-1].strip()
        *_, last = traceback.extract_tb(error.__traceback__)
        return _Last(f"{spec}: raised while it was timed: {said} ({last.filename}:{last.lineno})")
    return _Last()

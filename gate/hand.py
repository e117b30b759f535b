"""
A process that does one job after the other, and whoever hands them to it.

Code that is not ours may end or stop it. It is then ended for good, a new one tries the job once
more, and what becomes of that is told.
"""

import contextlib
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from multiprocessing.connection import Pipe
from typing import Any, Generic, Protocol, TypeVar, cast

from capfuzz.attacks.vectors import Vector, load
from capfuzz.gate.plan import Plan
from capfuzz.gate.supervise import Heart
from capfuzz.gate.tasks import Ground
from capfuzz.targets.base import TargetError
from capfuzz.targets.options import Options
from capfuzz.targets.planted import sweep, temporary

_Result = TypeVar("_Result")
_Made_co = TypeVar("_Made_co", covariant=True)
_TICK = 0.1  # seconds between two looks at whether the process still answers
_PROGRAM = (
    "import sys; from capfuzz.gate.hand_process import main; "
    "main(*map(int, sys.argv[1:3]), sys.argv[3])"
)


class Job(Protocol[_Made_co]):
    """Something to do on the ground of a campaign; it and its result can be pickled."""

    def done(self, ground: Ground) -> _Made_co:
        """Do it; raises `TargetError`."""

    def lost(self, how: str, *, hung: bool) -> _Made_co:
        """Return the result where the process ended that did it, and how it ended."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[_Result]):
    """What came of a job, and what was out of the ordinary."""

    result: _Result
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setup:
    """What a process must know to stand on the same ground: a plan without the shipped vectors."""

    spec: str
    options: Options
    profile: str
    seed: int
    families: tuple[str, ...]
    own: tuple[Vector, ...]
    folder: str  # where the command was given
    path: tuple[str, ...]  # where modules are looked for
    unproven: frozenset[str] = frozenset()

    def plan(self) -> Plan:
        """Return the whole plan."""
        return Plan((*load(), *self.own), self.profile, self.seed, self.families, self.unproven)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a process sends: a result, or why there is none."""

    result: Any = None
    unmeasured: str = ""  # the sentence of a `TargetError`
    fault: str = ""  # a traceback


@dataclass(frozen=True, slots=True)
class _End:
    """How a process ended in the middle of a job."""

    how: str
    hung: bool = False


class Closed(Exception):  # noqa: N818 - nothing went wrong
    """Raised by a job under way when its hand is closed."""


class Hand:
    """One process at a time, started when there is something to do."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lock = threading.Lock()
        self._closed = False
        self._process: _Process | None = None

    def do(self, job: Job[_Result]) -> Answer[_Result]:
        """Do a job, once more where the process ends; raises `TargetError` and `Closed`."""
        first = self._attempt(job)
        if isinstance(first, Outcome):
            return Answer(_result(first))
        notices = (f"{job}: the process {first.how}; tried again in a new one",)
        second = self._attempt(job)
        if isinstance(second, Outcome):
            return Answer(_result(second), notices)
        return Answer(job.lost(f"{second.how}, twice", hung=second.hung), notices)

    def start(self) -> None:
        """Have a process load what it needs, before there is something to do."""
        self._ready()

    def close(self) -> None:
        """End the process, whatever it does."""
        with self._lock:
            self._closed = True
            self._end()

    def _attempt(self, job: Job[_Result]) -> Outcome | _End:
        process = self._ready()
        got = process.asked(job)
        if isinstance(got, _End):
            with self._lock:
                if self._closed:
                    raise Closed
                self._end()
        return got

    def _ready(self) -> "_Process":
        with self._lock:
            if self._closed:
                raise Closed
            if self._process is not None and self._process.ended:  # it had nothing to do for long
                self._end()
            if self._process is None:
                self._process = _Process(self._setup)
            return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


def _result(outcome: Outcome) -> Any:
    if outcome.unmeasured:
        raise TargetError(outcome.unmeasured)
    if outcome.fault:
        raise RuntimeError(f"in the process of a task:\n{outcome.fault}")
    return outcome.result


class _Process:
    """A process, the connection to it and the heart that it beats."""

    def __init__(self, setup: Setup) -> None:
        self._connection, theirs = Pipe()
        with theirs, tempfile.TemporaryFile() as beats:
            self._heart = Heart(beats.fileno())
            passed = (theirs.fileno(), beats.fileno())
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", "-c", _PROGRAM, *map(str, passed), temporary()],
                stdin=subprocess.DEVNULL,
                pass_fds=passed,
                start_new_session=True,  # Ctrl-C is for the parent, who ends it
            )
        with contextlib.suppress(OSError):  # it has ended already, which the first job finds out
            self._connection.send(setup)

    @property
    def ended(self) -> bool:
        """Whether it ended."""
        return self._process.poll() is not None

    def asked(self, job: Job[_Result]) -> Outcome | _End:
        """Hand a job over and return what comes back, or how the process ended."""
        connection = self._connection
        try:
            connection.send(job)
            while not connection.poll(_TICK):
                if self._heart.overdue:
                    return _End("hung where it could not be interrupted", hung=True)
                if self.ended and not connection.poll():
                    return _End(self._how())
            return cast("Outcome", connection.recv())
        except (EOFError, OSError):
            return _End(self._how())

    def end(self) -> None:
        """End it, whatever it does, and remove what it has left behind."""
        self._process.kill()
        self._process.wait()
        self._connection.close()
        sweep(self._process.pid)

    def _how(self) -> str:
        code = self._process.wait()
        if code < 0:
            return f"was ended by {signal.Signals(-code).name}"
        return "ended by itself"

"""
One question to a function in a child process of its own: what may escape ends with it.

The child has a session, a working folder, limits of the kernel and planted canaries of its own; it
and all that it started are ended afterwards, whatever happened. Limits are on processor time, on
what is written, on data: address space alone would stop runtimes that reserve much and use little.
"""

import contextlib
import json
import os
import resource
import select
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from capfuzz.targets.processes import end_with_parent, prctl

_LENGTH = struct.Struct("!Q")
_MOST_REPORT = 1 << 20  # bytes; what is longer is no report of ours
_DATA, _FILE, _PROCESSES = 2 << 30, 8 << 20, 4096  # bytes, bytes, count
_POLL = 0.02  # seconds between two looks whether the child has ended
_PR_SET_NO_NEW_PRIVS = 38
_MOST_CAUSES = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    What came of one question.

    ``how``: ``value``, ``nothing`` (None or False), ``exception``, ``base`` (a BaseException that
    is none), ``hung`` or ``died``. ``name``: the class or the signal. ``shown``: the names of the
    canaries whose bytes came back, in the answer, in an exception or printed. ``text``: the
    beginning of the answer.
    """

    how: str
    name: str = ""
    shown: frozenset[str] = frozenset()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a child works: its folder, the canaries to look for, and what plants them in it."""

    folder: str
    canaries: Mapping[str, bytes]
    plant: Callable[[], None]


def asked(function: Callable[[str], Any], source: str, stage: Stage, seconds: float) -> Outcome:
    """Call the function in a child, within ``seconds``; it has ended when this returns."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0), tempfile.TemporaryFile() as printed:
        sys.stdout.flush()
        sys.stderr.flush()
        parent, child = os.getpid(), os.fork()
        if child == 0:
            _in_child(function, source, stage, _Ways(parent, writing, printed.fileno(), seconds))
        os.close(writing)
        try:
            outcome = _heard(child, reading, seconds)
        finally:
            _end(child)
        return _with_printed(outcome, printed, stage.canaries)


@dataclass(frozen=True, slots=True)
class _Ways:
    """What a child needs to know: its parent, where to report and to print, its seconds."""

    parent: int
    report: int
    printed: int
    seconds: float


def _in_child(function: Callable[[str], Any], source: str, stage: Stage, ways: _Ways) -> None:
    """Become a process that can do no harm, ask, report and end; never returns."""
    try:
        _detach(ways)
        os.chdir(stage.folder)
        stage.plant()
        report = json.dumps(_answer(function, source, stage.canaries)).encode()
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(ways.report, _LENGTH.pack(len(report)) + report)
    except BaseException:  # noqa: BLE001 - no report: the parent says that the child died
        traceback.print_exc()
    finally:
        os._exit(0)


def _detach(ways: _Ways) -> None:
    os.setsid()
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(one, signal.SIG_DFL)
    end_with_parent()
    prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getppid() != ways.parent:  # ended before it was asked
        os._exit(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for there, here in ((nothing, 0), (ways.printed, 1), (ways.printed, 2)):
        os.dup2(there, here)
    # Whatever captures what this process prints must not keep it from being looked at.
    sys.stdout, sys.stderr = (open(1, "w", closefd=False), open(2, "w", closefd=False))  # noqa: SIM115
    _limit(resource.RLIMIT_CPU, int(ways.seconds) + 2)
    _limit(resource.RLIMIT_DATA, _DATA)
    _limit(resource.RLIMIT_FSIZE, _FILE)
    _limit(resource.RLIMIT_NPROC, _PROCESSES)
    _limit(resource.RLIMIT_CORE, 0)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _limit(what: int, most: int) -> None:
    """Lower a limit; one that is lower already stays."""
    soft, hard = resource.getrlimit(what)
    wanted = min([most, *(one for one in (soft, hard) if one != resource.RLIM_INFINITY)])
    resource.setrlimit(what, (wanted, wanted))


def _answer(
    function: Callable[[str], Any], source: str, canaries: Mapping[str, bytes]
) -> dict[str, Any]:
    """Ask, and say what came back, canaries looked for in all of it."""
    how, name, said = "value", "", ""
    try:
        result = function(source)
        how = "nothing" if result is None or result is False else "value"
        said = _text(result)
    except Exception as error:  # noqa: BLE001 - an exception refuses
        how, name, said = "exception", type(error).__name__, _told(error)
    except BaseException as error:  # noqa: BLE001 - not our code
        how, name, said = "base", type(error).__name__, _told(error)
    shown = [key for key, canary in canaries.items() if canary.decode() in said]
    plain = said[:200].encode("utf-8", "replace").decode()
    return {"how": how, "name": name, "shown": shown, "text": plain}


def _text(thing: object) -> str:
    """Return what a caller could learn from an answer; one that cannot be shown says nothing."""
    if isinstance(thing, bytes | bytearray):
        return bytes(thing).decode("utf-8", "replace")
    try:
        return thing if type(thing) is str else f"{thing!r} {thing}"
    except BaseException:  # noqa: BLE001 - not our code
        return ""


def _told(error: BaseException) -> str:
    """Return the texts and the arguments of an exception and of those behind it."""
    return " ".join(f"{type(one).__name__} {_text(one)} {_text(one.args)}" for one in _chain(error))


def _chain(error: BaseException) -> Iterator[BaseException]:
    waiting, seen = [error], set[int]()
    while waiting and len(seen) < _MOST_CAUSES:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [behind for behind in (one.__cause__, one.__context__) if behind]


def _heard(child: int, reading: int, seconds: float) -> Outcome:
    """Wait for the report, for the child's end or for the end of its time."""
    deadline, heard, closed = time.monotonic() + seconds, b"", False
    while not _whole(heard):
        ended = _ending(child)  # looked at first, so that no report is missed
        if not closed and select.select([reading], [], [], 0 if ended else _POLL)[0]:
            got = os.read(reading, 1 << 16)
            heard += got
            closed = not got or len(heard) > _MOST_REPORT
        elif ended:
            return _lost(ended)
        elif time.monotonic() > deadline:
            return Outcome("hung")
        elif closed:
            time.sleep(_POLL)
    return _read(heard[_LENGTH.size :])


def _ending(child: int) -> Any:
    """Return how the child has ended, None while it runs; it stays to be waited for."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)


def _whole(heard: bytes) -> bool:
    size = _LENGTH.size
    return len(heard) >= size and len(heard) - size >= _LENGTH.unpack(heard[:size])[0]


def _read(report: bytes) -> Outcome:
    try:
        said = json.loads(report)
        return Outcome(said["how"], said["name"], frozenset(said["shown"]), said["text"])
    except (ValueError, KeyError, TypeError):  # written by code that got hold of the pipe
        return Outcome("died", "Nonsense")


def _lost(ended: Any) -> Outcome:
    """Say how a child ended that gave no report."""
    if ended.si_code == os.CLD_EXITED:
        return Outcome("died", "SystemExit")
    name = signal.Signals(ended.si_status).name
    return Outcome("hung") if name == "SIGXCPU" else Outcome("died", name)


def _end(child: int) -> None:
    """End the child and whatever it started, in its group or in its session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)


def _with_printed(outcome: Outcome, printed: Any, canaries: Mapping[str, bytes]) -> Outcome:
    """Add the canaries that stand in what was printed."""
    printed.seek(0)
    said = printed.read(_FILE)
    found = {name for name, canary in canaries.items() if canary in said}
    if not found and outcome.how != "nothing":
        return outcome
    text = outcome.text if outcome.how != "nothing" else said[:200].decode("utf-8", "replace")
    return Outcome(outcome.how, outcome.name, outcome.shown | found, text)

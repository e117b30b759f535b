"""
Server processes under attack: started in a session of their own, ended with all they started.

Every process is marked with the folder of its owner in its environment, which what it starts
inherits. So `end_marked` finds whatever left the process group, and `capfuzz.targets.planted`
can call it for the folder of a campaign that was killed outright.
"""

import contextlib
import ctypes
import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

MARK = "CAPFUZZ_GROUND"  # in the environment of all that was started
NOTE = "processes"  # in the owner's folder: something was started
_PR_SET_PDEATHSIG = 1
_PIPE = 1024 * 1024  # bytes that it may print before somebody reads
_MOST_READS = 16  # at once, of one that floods
_KEPT = 2_000  # bytes of what it printed, for a message
_POLITE = 0.3  # seconds between the request to end and the end
_ROUNDS = 20  # of the search for what is left: a process may start another meanwhile


# The first line of a frame, which may have been cut off at its beginning.
_FRAME = re.compile(r'^.*", line \d+, in .*\n', re.MULTILINE)


class Child:
    """One process with pipes at its standard streams; ``base`` is the folder of its owner."""

    def __init__(
        self,
        command: Sequence[str],
        base: str,
        cwd: str,
        env: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        Path(base, NOTE).touch()
        self._base = base
        self.process = subprocess.Popen(  # noqa: S603 - the command under attack
            list(command),
            cwd=cwd,
            env={**os.environ, **(env or {}), MARK: base},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
            preexec_fn=_dies_with(os.getpid()),  # noqa: PLW1509 - no thread runs here
        )
        self._said = b""
        for stream in self._outputs():
            os.set_blocking(stream, False)
            with contextlib.suppress(OSError):  # beyond what an ordinary user may have
                fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, _PIPE)

    @property
    def alive(self) -> bool:
        """Whether the process itself still runs."""
        return self.process.poll() is None

    def drain(self) -> str:
        """Read away what it printed, which would stop it once a pipe is full; return the last."""
        for stream in self._outputs():
            self._drain(stream)
        said = _reason(self._said.decode("utf-8", "replace"))
        return " ".join(said.split()) or "it printed nothing"

    def keep(self, piece: bytes) -> None:
        """Keep what somebody else has read of its output for `drain` to tell."""
        self._said = (self._said + piece + b"\n")[-_KEPT:]

    def drain_errors(self) -> bool:
        """Read away what it printed to standard error alone; return whether more may come."""
        return self._drain(self._outputs()[1])

    def _drain(self, stream: int) -> bool:
        with contextlib.suppress(OSError):
            for _ in range(_MOST_READS):
                piece = os.read(stream, _PIPE)
                if not piece:
                    return False
                self._said = (self._said + piece)[-_KEPT:]
        return True

    def _outputs(self) -> tuple[int, int]:
        out, err = self.process.stdout, self.process.stderr
        assert out is not None
        assert err is not None
        return out.fileno(), err.fileno()

    def close(self) -> None:
        """End the process and whatever it started."""
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                assert stream is not None
                stream.close()
        self._ask_to_end()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        end_marked(self._base)

    def _ask_to_end(self) -> None:
        """Let a server remove what it holds; without an answer it is ended all the same."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_POLITE)


def _reason(said: str) -> str:
    """Return what stands below the last frame of a traceback of Python's; all where there is none."""
    *above, below = _FRAME.split(said)
    lines = below.splitlines()
    told = [number for number, line in enumerate(lines) if line[:1].strip()]
    return "\n".join(lines[told[0] :]) if above and told else said


def note(base: str | Path) -> None:
    """Say that something was started for the owner of a folder, so that `end_marked` looks."""
    Path(base, NOTE).touch()


def end_marked(base: str | Path) -> None:
    """End every process that carries the mark of ``base``, if one was ever started there."""
    if not Path(base, NOTE).exists():
        return
    for _ in range(_ROUNDS):
        left = marked_by(base)
        if not left:
            return
        kill_all(left)
        time.sleep(0.01)


def kill_all(processes: Iterable[int]) -> None:
    """Kill processes; one that has ended meanwhile, or is somebody else's, is left alone."""
    for pid in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def marked_by(base: str | Path) -> list[int]:
    """Return the numbers of the processes that carry the mark of ``base`` in their environment."""
    mark = f"{MARK}={base}".encode()
    return [
        int(entry.name)
        for entry in Path("/proc").glob("[0-9]*")
        if int(entry.name) != os.getpid() and mark in _environment(entry)
    ]


def _environment(entry: Path) -> list[bytes]:
    try:
        return (entry / "environ").read_bytes().split(b"\0")  # empty for one that has ended
    except OSError:  # ended meanwhile, or somebody else's
        return []


def end_with_parent(how: int = signal.SIGKILL) -> None:
    """Have the kernel signal this process when its parent ends (prctl(2), Linux alone)."""
    prctl(_PR_SET_PDEATHSIG, how)


def prctl(option: int, *values: int) -> None:
    """Set an attribute of this process (prctl(2)), where that can be done."""
    if _PRCTL is not None:
        _PRCTL(option, *values)


# Looked up here: a process that has just been forked should look for no library.
_PRCTL = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def _dies_with(parent: int) -> Callable[[], None]:
    """Return what makes a process end with its parent, be it that the parent is gone already."""

    def ask() -> None:
        end_with_parent()
        if os.getppid() != parent:
            os._exit(1)

    return ask


def program(module: str, name: str, arguments: str) -> str:
    """Return a program that calls a function, found as it is found from here."""
    path = [*dict.fromkeys([os.getcwd(), *filter(None, sys.path)])]
    return _RUN.format(path=path, module=module, name=name, arguments=arguments)


_RUN = """
import importlib, socket, sys
sys.path[:0] = {path!r}
function = importlib.import_module({module!r})
for part in {name!r}.split("."):
    function = getattr(function, part)
function({arguments})
"""

"""Programs that a run starts, each with a time limit, and none left behind."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

CLEANING_SECONDS = 20  # between the polite request to end and the end


class RoomError(RuntimeError):
    """Something could not be set up or run; the text says what, with its last output."""


class Programs:
    """What runs at the moment, from several threads; `close` ends it all and lets nothing start."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._closed = False

    def close(self) -> None:
        """End every program that still runs."""
        with self._lock:
            self._closed = True
            running = tuple(self._running)
        for process in running:
            _end(process)

    def run(
        self,
        command: Sequence[str | Path],
        *,
        cwd: Path,
        seconds: float,
        env: Mapping[str, str] | None = None,
        statuses: tuple[int, ...] = (0,),
    ) -> str:
        """Return what a program printed, to either stream; raises `RoomError`."""
        shown = " ".join([Path(command[0]).name, *(str(part) for part in command[1:])])
        process = self._start(command, cwd, env or {})
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise RoomError(f"{shown} took more than {seconds:.0f} s") from late
        finally:
            _end(process)
            process.communicate()  # closes the pipe
            with self._lock:
                self._running.discard(process)
        if process.returncode not in statuses:
            raise RoomError(f"{shown} ended with {process.returncode}: {said[-300:]}")
        return said

    def _start(
        self, command: Sequence[str | Path], cwd: Path, env: Mapping[str, str]
    ) -> subprocess.Popen[str]:
        with self._lock:
            if self._closed:
                raise RoomError("the run is over")
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=cwd,
                env={**_environment(), **env},
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # so that ending it ends what it started
            )
            self._running.add(process)
            return process


def _end(process: subprocess.Popen[str]) -> None:
    """End a program and what it started; it may clean up first, as an attack removes its trees."""
    if process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.killpg(process.pid, signal.SIGTERM)
        _await(process.pid, CLEANING_SECONDS)
        os.killpg(process.pid, signal.SIGKILL)  # what it started may be less polite
    process.wait()


def _await(pid: int, seconds: float) -> None:
    """Wait for an end without taking note of it, so that the id stays with its group."""
    deadline = time.monotonic() + seconds
    ended = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while os.waitid(os.P_PID, pid, ended) is None and time.monotonic() < deadline:
        time.sleep(0.02)


def _environment() -> dict[str, str]:
    # Whatever points this Python at its own modules would mislead the others.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1"}

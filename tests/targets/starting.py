"""What really reaches a process that the suite starts, read of the kernel before its first instruction."""

import contextlib
import ctypes
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from capfuzz.targets import processes

_TRACED, _LET_GO = 0, 17  # ptrace(2): PTRACE_TRACEME, PTRACE_DETACH
_PTRACE = ctypes.CDLL(None, use_errno=True).ptrace
_PTRACE.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_PTRACE.restype = ctypes.c_long


@dataclass(frozen=True, slots=True)
class Started:
    """One process, as it was started; ``files`` are those of its folder, by name."""

    words: tuple[str, ...]
    folder: str
    environment: dict[str, str]
    descriptors: frozenset[str]
    files: dict[str, str]


@contextlib.contextmanager
def watched(monkeypatch):
    """
    Note each process that is started as a `Child`, and each command that is run to its end.

    A process is stopped as soon as its program is loaded (ptrace(2): the stop after execve), looked
    at in ``/proc`` and let go, so what it is seen with is what the kernel was handed.
    """
    started, ran = [], []
    begin, dies_with, run = processes.Child.__init__, processes._dies_with, subprocess.run

    def traced(parent):
        ask = dies_with(parent)

        def both():
            ask()
            _PTRACE(_TRACED, 0, None, None)

        return both

    def begun(child, *arguments, **more):
        begin(child, *arguments, **more)
        _, status = os.waitpid(child.process.pid, 0)
        assert os.WIFSTOPPED(status)
        try:
            started.append(_seen(Path(f"/proc/{child.process.pid}")))
        finally:
            _PTRACE(_LET_GO, child.process.pid, None, None)

    def noted(command, *arguments, **more):
        ran.append(tuple(command))
        return run(command, *arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(processes.Child, "__init__", begun)
        patch.setattr(processes, "_dies_with", traced)
        patch.setattr(subprocess, "run", noted)
        yield started, ran


def _seen(process):
    folder = Path(os.readlink(process / "cwd"))
    pairs = (one.split("=", 1) for one in _texts(process / "environ"))
    return Started(
        _texts(process / "cmdline"),
        str(folder),
        dict(pairs),
        frozenset(os.listdir(process / "fd")),
        {str(one.relative_to(folder)): one.read_text() for one in _files(folder)},
    )


def _files(folder):
    return [one for one in folder.rglob("*") if one.is_file()] if _is_own(folder) else []


def _is_own(folder):
    """Tell whether a folder is a configuration's; others, such as a victim's, are not looked into."""
    return folder.name == "configuration"


def _texts(place):
    return tuple(place.read_bytes().decode(errors="surrogateescape").split("\0")[:-1])

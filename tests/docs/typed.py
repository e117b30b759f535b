"""What a page shows, written and typed by one bash in a folder of its own."""

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .pages import PORT, Command, File


def typed(steps: Sequence[File | Command], folder: Path) -> list[tuple[Command, str, int]]:
    """Do all steps; return each command with what it printed and its exit status."""
    outputs, work = folder / "outputs", folder / "work"
    outputs.mkdir()
    work.mkdir()
    stems = [outputs / str(number) for number in range(len(steps))]
    _bash("\n".join(map(_line, steps, stems)).replace(PORT, str(_free_port())), work)
    return [(step, *_read(stem)) for step, stem in zip(steps, stems, strict=True) if _ran(step)]


def _ran(step: File | Command) -> bool:
    return isinstance(step, Command)


def _line(step: File | Command, stem: Path) -> str:
    if isinstance(step, File):
        stem.write_text(step.text, encoding="utf-8")
        name = shlex.quote(step.name)
        return f"mkdir -p $(dirname {name}) && cp {stem} {name}"
    return f"{{ {step.line}\n}} >{stem}.output 2>&1\necho $? >{stem}.status"


def _read(stem: Path) -> tuple[str, int]:
    output = Path(f"{stem}.output").read_text(encoding="utf-8", errors="replace")
    return output, int(Path(f"{stem}.status").read_text())


def _bash(script: str, work: Path) -> None:
    scripts = str(Path(sys.executable).parent)
    changed = {
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "HOME": str(work.parent),
        "COLUMNS": "80",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    shell = subprocess.Popen(
        ["bash", "-c", script],
        cwd=work,
        env=os.environ | changed,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        shell.wait()
    finally:
        with suppress(ProcessLookupError):  # servers that the page has started
            os.killpg(shell.pid, signal.SIGTERM)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

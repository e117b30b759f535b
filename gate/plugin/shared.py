"""
An attack is made once a run, in a process of its own, whichever tests and workers ask for it.

Once, since two at a time would plant in each other's folder where a target serves a fixed one, and
cost twice. In a process of its own, since a target may exit, crash or hang, and must not take pytest
with it; `capfuzz attack` watches over that.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from capfuzz.gate.events import Report
from capfuzz.gate.report import from_json
from capfuzz.targets.planted import is_alive

if TYPE_CHECKING:
    from capfuzz.gate.plugin.asked import Asked

_REPORT, _PROBLEM = ".json", ".problem"


class NotMeasuredError(Exception):
    """An attack that came to no verdict, and why."""


def measured(attack: "Asked", folder: str) -> Report:
    """Return the report of an attack, made by whoever asks first; raises `NotMeasuredError`."""
    _make(folder)
    name = hashlib.sha256(json.dumps([attack.root, attack.words]).encode()).hexdigest()[:16]
    path = Path(folder, name + _REPORT)
    problem = path.with_suffix(_PROBLEM)
    with open(path.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (path.exists() or problem.exists()):
            said = _run(attack, path)
            if not path.exists():
                problem.write_text(said, encoding="utf-8")
    if problem.exists():
        raise NotMeasuredError(problem.read_text(encoding="utf-8"))
    return from_json.read(str(path))


def reports(folder: str) -> list[Report]:
    """Return what was measured in this run."""
    return [from_json.read(str(path)) for path in sorted(Path(folder).glob(f"*{_REPORT}"))]


def _run(attack: "Asked", path: Path) -> str:
    """Attack and have the report written to ``path``; return what was said if there is none."""
    done = subprocess.run(  # noqa: S603 - our own command
        [
            *(sys.executable, "-P", "-m", "capfuzz.gate.plugin.child"),
            *("attack", f"--json={path}", *attack.words),
        ],
        cwd=attack.root,
        # What the tests can import, the attack can.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    told = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    return "\n".join(told).removeprefix("Error: ") or done.stderr


def _make(folder: str) -> None:
    """Make the shared folder, private; remove those of runs that were killed."""
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
        for left in Path(tempfile.gettempdir()).glob("capfuzz-[0-9]*-" + "[0-9a-f]" * 16):
            if left.stat().st_uid == os.getuid() and not is_alive(int(left.name.split("-")[1])):
                shutil.rmtree(left, ignore_errors=True)

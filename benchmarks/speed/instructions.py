"""
How many instructions an op of an engine takes, counted by valgrind's callgrind.

They are not time, but the same number each time, whatever else the machine does.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import deque
from pathlib import Path

from engines import Engine

_OPS = 5_000


class CountError(Exception):
    """Instructions could not be counted; the text says why."""


def instructions_an_op(folder: Path) -> float:
    """Return instructions of a mixed op of the engine in ``folder``; raises `CountError`."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise CountError("there is no valgrind on this machine to count instructions")
    _count(valgrind, folder, 1)  # warms the compiled files
    return (_count(valgrind, folder, _OPS) - _count(valgrind, folder, 1)) / (_OPS - 1)


def _count(valgrind: str, folder: Path, ops: int) -> int:
    command = [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable]
    done = subprocess.run(
        [*command, "-S", "-s", __file__, str(folder), str(ops)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or found is None:
        raise CountError(f"valgrind ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return int(found[1])


if __name__ == "__main__":
    engine = Engine(Path(sys.argv[1]))
    ops = engine.mixed(1, 1, _OPS)[: int(sys.argv[2])]  # made alike, however many are run
    deque(map(engine.run(1, 1), ops), maxlen=0)

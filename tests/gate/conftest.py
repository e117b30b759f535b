"""What the tests of the gate share: the corpus, and a command line run as a person runs it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from capfuzz.attacks.vectors import Vector, load

CAPFUZZ = Path(sys.executable).parent / "capfuzz"


@pytest.fixture(scope="session")
def vectors() -> tuple[Vector, ...]:
    """Return the shipped corpus, loaded once."""
    return load()


@pytest.fixture
def run(tmp_path):
    """Return a function that runs ``capfuzz`` in an empty folder; targets are written there."""

    def capfuzz(*arguments, **environment):
        return subprocess.run(
            [CAPFUZZ, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "200", **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return capfuzz


@pytest.fixture
def target(tmp_path):
    """Return a function that writes a module ``target`` for `run` to attack."""

    def write(source):
        (tmp_path / "target.py").write_text(source)

    return write

"""The comparison of engines of discovery: each finds a plain fault, and none finds what is not there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "detection"
ENGINES = ("corpus", "strategies", "atheris", "atheris through Hypothesis")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_each_engine_finds_a_plain_fault(engine):
    """An engine that finds nothing at all would be told as the weaker one."""
    spec = "py:capfuzz.targets.broken.session:no_halt_after_hard"
    words = [engine, spec, "session", "20", "0"]
    done = subprocess.run(
        [sys.executable, FOLDER / "engine_run.py", *words], capture_output=True, check=True
    )
    assert 0 < json.loads(done.stdout)["seconds"] < 20


@pytest.mark.slow
def test_the_table_counts_what_was_found(tmp_path):
    """Figures would be published that no command printed."""
    words = ["--only", "no_halt_after_hard", "--markdown", tmp_path / "ENGINES.md"]
    done = subprocess.run(
        [sys.executable, FOLDER / "engines.py", *words], capture_output=True, text=True, check=True
    )
    rows = [
        line
        for line in done.stdout.splitlines()
        if line.startswith(tuple(f"| {one} |" for one in ENGINES))
    ]
    assert ["1 of 1"] * 4 == [row.split(" | ")[3] for row in rows]
    assert done.stdout.strip() in (tmp_path / "ENGINES.md").read_text()

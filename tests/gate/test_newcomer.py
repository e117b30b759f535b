"""A newcomer's path, from the built wheel to a finding that was accepted for too long."""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # builds, installs and attacks for real

ROOT = Path(__file__).parents[2]
NOT_SOURCES = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
RIGHT = """
import os


def inside(root, path):
    root = os.path.realpath(root)
    place = os.path.realpath(os.path.join(root, path), strict=True)
    if os.path.commonpath([root, place]) != root:
        raise PermissionError(path)
    with open(place, "rb") as file:
        return file.read()
"""
WRONG = RIGHT.replace(
    "if os.path.commonpath([root, place]) != root:", "if not place.startswith(root):"
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the programs of a fresh environment with the built wheel in it, and pytest."""
    base = tmp_path_factory.mktemp("installed")
    shutil.copytree(ROOT, base / "sources", ignore=NOT_SOURCES)
    call(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", base, base / "sources")
    (wheel,) = base.glob("capfuzz-*.whl")
    venv.create(base / "env", with_pip=True)
    programs = base / "env" / "bin"
    call(programs / "python", "-m", "pip", "install", "-q", wheel, "pytest")
    return programs


def call(*words):
    """Run what must succeed."""
    subprocess.run([*map(str, words)], check=True, capture_output=True, timeout=600)


@pytest.fixture
def project(installed, tmp_path):
    """Return a function that runs a program of the environment in a newcomer's project."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "newcomer"  # mine\n')
    (tmp_path / "sandbox.py").write_text(RIGHT)

    def run(program, *words):
        return subprocess.run(
            [installed / program, *words],
            cwd=tmp_path,
            env={**os.environ, "PATH": f"{installed}:{os.environ['PATH']}", "PYTHONPATH": ""},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    return run


def test_install_init_test_break_accept_expire(project, tmp_path):
    """Whoever tries capfuzz would be stuck somewhere on the way to a gate."""
    made = project("capfuzz", "init", "--target", "py:sandbox:inside", "--as", "path", "--yes")
    assert made.returncode == 0, made.stderr
    assert len((tmp_path / "test_capfuzz.py").read_text().splitlines()) == 5
    green = project("pytest", "-q")
    assert green.returncode == 0, green.stdout
    assert " passed" in green.stdout

    (tmp_path / "sandbox.py").write_text(WRONG)
    red = project("pytest", "-q")
    assert red.returncode == 1
    assert re.search(r"^error CF-\w+: confined by sibling", red.stdout, re.MULTILINE), red.stdout
    assert re.search(r"^capfuzz replay '.*' py:sandbox:inside", red.stdout, re.MULTILINE)

    terms = ("--reason", "fixed in 2.0", "--owner", "me")
    accepted = project("capfuzz", "baseline", "update", "known.toml", *terms)
    assert accepted.returncode == 0, accepted.stderr
    config = tmp_path / "pyproject.toml"
    config.write_text(config.read_text() + 'baseline = "known.toml"\n')
    known = project("pytest", "-q", "-rx")
    assert known.returncode == 0, known.stdout
    assert "by me: fixed in 2.0" in known.stdout

    baseline = tmp_path / "known.toml"
    baseline.write_text(re.sub("(owner = .*)", r"\1\nexpires = 2001-01-01", baseline.read_text()))
    expired = project("pytest", "-q")
    assert expired.returncode == 1
    assert re.search(r"baseline  expired: accepted CF-\w+ until 2001-01-01", expired.stdout)

    (tmp_path / "sandbox.py").write_text(RIGHT)
    fixed = project("pytest", "-q")
    assert fixed.returncode == 0
    assert "its entry can go from the baseline" in fixed.stdout
    assert config.read_text().startswith('[project]\nname = "newcomer"  # mine\n')

"""What the tests of fuzzing share: the engine as a target, and the command as a person runs it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from capfuzz.targets.spec import Options, load

CAPFUZZ = Path(sys.executable).parent / "capfuzz"
SANDBOX = """
import ctypes, os, re
from dataclasses import dataclass

@dataclass
class Result:
    ok: bool
    output: object = None
    violation: object = None

class Box:
    def __init__(self, caps, world):
        self.caps, self.world = caps, world

    def run(self, op):
        match op:
            case ("fs_read", str(path)):
                self.look(path)
                return self.reached(path, self.caps.fs_read, self.world.vfs.read)
            case ("fs_write", str(path), data):
                return self.reached(path, self.caps.fs_write, lambda at: self.world.vfs.write(at, data))
        return Result(False, violation="denied")

    def reached(self, path, roots, act):
        if path.startswith("/") and ".." not in path.split("/") and path.isprintable():
            try:
                place = self.world.vfs.resolve(path)
                if any(f"{place}/".startswith(root.rstrip("/") + "/") for root in roots):
                    return Result(True, act(path))
            except OSError:
                pass
        return Result(False, violation="denied")

    def look(self, path):
        pass

class Dies(Box):
    def look(self, path):
        if "%2e%2e%2fetc" in path:
            ctypes.string_at(0)

class Leaves(Box):
    def look(self, path):
        if "%2e%2e%2fetc" in path:
            os._exit(0)

class Opens(Box):
    def look(self, path):
        if "%2e%2e%2fetc" in path:
            self.world.vfs.read("/etc/passwd")
            self.world.vfs.write("/etc/passwd", b"x")

class Tires(Box):
    asked = 0

    def run(self, op):
        Tires.asked += 1
        return super().run(op) if Tires.asked < 1000 else Result(False, violation="denied")

class Refuses(Box):
    def run(self, op):
        return Result(False, violation="denied")
"""


@pytest.fixture(scope="session")
def engine():
    """Return the reference engine."""
    return load("engine", Options())


@pytest.fixture
def home(tmp_path):
    """Return a folder with a module ``sandbox`` in it."""
    (tmp_path / "sandbox.py").write_text(SANDBOX)
    return tmp_path


@pytest.fixture
def run(home):
    """Return a function that runs ``capfuzz`` there."""

    def capfuzz(*arguments, **environment):
        return subprocess.run(
            [CAPFUZZ, *map(str, arguments)],
            cwd=home,
            env={**os.environ, "COLUMNS": "200", **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return capfuzz

"""The interpreters of this machine."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from programs import RoomError

OLDEST = (3, 11)  # what capfuzz itself needs


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter and its version."""

    path: Path
    version: tuple[int, ...]

    @property
    def runs_capfuzz(self) -> bool:
        """Whether capfuzz can be installed into it."""
        return self.version >= OLDEST


def this_python() -> Python:
    """Return the interpreter that is running."""
    return Python(Path(sys.executable), sys.version_info[:3])


def find_python(wanted: str, installed: tuple[Python, ...] | None = None) -> Python:
    """
    Return the newest interpreter whose version begins with ``wanted`` ("3.11", "3.7.16").

    Raises `RoomError` where there is none among pyenv's and the one running.
    """
    numbers = tuple(int(part) for part in wanted.split("."))
    known = pythons() if installed is None else installed
    fitting = [each for each in known if each.version[: len(numbers)] == numbers]
    if not fitting:
        have = ", ".join(sorted({".".join(map(str, each.version)) for each in known}))
        raise RoomError(f"there is no Python {wanted} here; there are {have}")
    return max(fitting, key=lambda each: each.version)


def pythons() -> tuple[Python, ...]:
    """Return pyenv's interpreters and the one running."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    numbered = [
        (folder / "bin" / "python", folder.name.split("."))
        for folder in root.glob("versions/*")
        if folder.name.replace(".", "").isdigit() and (folder / "bin" / "python").exists()
    ]
    found = [Python(path, tuple(int(part) for part in parts)) for path, parts in numbered]
    return (*found, this_python())

"""Where a target is written, as far as that lies in the project from which it is attacked."""

import inspect
import os
from pathlib import Path

from capfuzz.gate.events import Source
from capfuzz.targets.spec import function_of


def source_of(spec: str) -> Source | None:
    """Return the file, relative to the current folder, and the lines of a Python target; or None."""
    if not spec.startswith("py:"):
        return None
    try:
        function = inspect.unwrap(function_of(spec))
        file = inspect.getsourcefile(function)
        lines, first = inspect.getsourcelines(function)
    except (TypeError, OSError, ValueError):  # not written in Python, or in a file that is gone
        return None
    if file is None or not Path(os.path.realpath(file)).is_relative_to(os.path.realpath(".")):
        return None
    path = Path(os.path.relpath(os.path.realpath(file), os.path.realpath(".")))
    return Source(path.as_posix(), first, first + len(lines) - 1)

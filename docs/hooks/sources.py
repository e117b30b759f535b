"""
The rooms laid out as the package that they are installed as, for whoever reads sources.

A hook of MkDocs: an editable install says only at run time that ``engine/`` is ``capfuzz.engine``.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

_ROOMS = ("engine", "attacks", "strategies", "targets")


_ROOT = Path(__file__).parents[2]


def on_startup(**_: Any) -> None:
    """Link the rooms into build/sources/capfuzz, where mkdocs.yml lets them be looked for."""
    package = _ROOT / "build" / "sources" / "capfuzz"
    package.mkdir(parents=True, exist_ok=True)
    for room in _ROOMS:
        with suppress(FileExistsError):
            (package / room).symlink_to(_ROOT / room)

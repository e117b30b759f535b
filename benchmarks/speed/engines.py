"""An engine out of any folder, beside others in one process: each with the workloads bound to it."""

import importlib
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Run = Callable[[object], object]
_BOUND = ("capfuzz.engine", "workloads", "shapes")  # imported anew for each engine
_HERE = str(Path(__file__).parent)


class Engine:
    """
    The engine whose sources are in ``folder``; its modules stay out of ``sys.modules``.

    Only what is public is asked of it, but for the check of a path.
    """

    def __init__(self, folder: Path) -> None:
        with _fresh(folder):
            engine = importlib.import_module("capfuzz.engine")
            assert Path(str(engine.__file__)).parent.samefile(folder), f"{folder}: another came"
            self._sandbox = engine.Sandbox
            self._workloads = importlib.import_module("workloads")

    def run(self, roots: int, hosts: int) -> Run:
        """Return the ``run`` of a fresh sandbox whose effects cost next to nothing."""
        return self._made(roots, hosts).run

    def path_check(self, roots: int, _hosts: int) -> Run:
        """Return the check of a read as ``run`` makes it."""
        return self._made(roots, 1)._readable.locate  # noqa: SLF001 - it has no public name

    def paths(self, roots: int, count: int) -> list[object]:
        """Return paths, 70 % of them granted."""
        return [path for path, _ in self._workloads.paths(roots, count)]

    def mixed(self, roots: int, hosts: int, count: int) -> list[object]:
        """Return ops of all kinds, 70 % of them allowed."""
        return [op for op, _ in self._workloads.mixed(roots, hosts, count)]

    def allowed(self, kind: str, count: int, roots: int) -> list[object]:
        """Return honest ops of one kind."""
        return list(self._workloads.allowed(kind, count, roots))

    def refused(self, kind: str, count: int, roots: int) -> list[object]:
        """Return ops of one kind, each of them refused, of every spelling in turn."""
        spellings = self._workloads.refused(kind, count, roots).values()
        return [op for several in zip(*spellings, strict=True) for op in several][:count]

    def _made(self, roots: int, hosts: int) -> Any:
        made = self._workloads
        return self._sandbox(made.grant(roots, hosts), made.Shelf(), made.Line(), made.tools())


@contextmanager
def _fresh(folder: Path) -> Iterator[None]:
    """Let ``capfuzz.engine`` be the one in ``folder`` while something is imported."""
    before = dict(sys.modules)
    for name in [name for name in sys.modules if name.startswith(_BOUND)]:
        del sys.modules[name]
    parent = types.ModuleType("capfuzz")
    parent.__path__ = [str(folder.parent)]
    sys.modules["capfuzz"] = parent
    sys.path.insert(0, _HERE)
    try:
        yield
    finally:
        sys.path.remove(_HERE)
        sys.modules.clear()
        sys.modules.update(before)

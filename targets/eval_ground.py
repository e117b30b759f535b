"""What stands around evaluated code: planted canaries, a folder for markers, a listener."""

import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from capfuzz.attacks.evaluators import (
    ENVIRONMENT,
    FILE,
    FILES,
    GLOBALS,
    LISTENER,
    MARKER,
    PORT,
    SECRET_FILE,
    SECRET_NAME,
)
from capfuzz.attacks.trace import Effect
from capfuzz.targets.forked import Outcome, Stage, asked
from capfuzz.targets.planted import scratch
from capfuzz.targets.processes import MARK, end_marked, note

_CANARIES = {place: text.encode() for place, text in FILES.items()}
_KEPT = frozenset({SECRET_FILE})


class Ground:
    """A folder of its own with a secret in it, and a port on loopback that nobody should find."""

    def __init__(self) -> None:
        self.base = scratch()
        note(self.base)
        self.folder = Path(self.base, "here")
        self.folder.mkdir()
        self._fill()
        self._listener = socket.create_server((LISTENER, 0))
        self._listener.setblocking(False)  # noqa: FBT003 - the only form there is
        self._port = str(self._listener.getsockname()[1])

    def ask(
        self, function: Callable[[str], Any], source: str, seconds: float
    ) -> tuple[Outcome, tuple[Effect, ...]]:
        """Have a source evaluated in a child, and return what was seen of it."""
        stage = Stage(str(self.folder), _CANARIES, lambda: self._plant(function))
        outcome = asked(function, source.replace(PORT, self._port), stage, seconds)
        if outcome.how in {"hung", "died"}:
            end_marked(self.base)
        seen = [*_read(outcome), *self._written(), *self._contacted()]
        return outcome, tuple(seen)

    def close(self) -> None:
        """End what still runs and remove everything."""
        self._listener.close()
        end_marked(self.base)
        shutil.rmtree(self.base, ignore_errors=True)

    def _fill(self) -> None:
        (self.folder / SECRET_FILE).write_bytes(_CANARIES[FILE])

    def _plant(self, function: Callable[[str], Any]) -> None:
        """Plant the canaries that live in a process; called in the child, which ends with them."""
        self._listener.close()
        os.environ[MARK] = self.base  # what the code starts inherits it
        os.environ[SECRET_NAME] = FILES[ENVIRONMENT]
        for names in _namespaces(function):
            names[SECRET_NAME] = FILES[GLOBALS]

    def _written(self) -> Iterator[Effect]:
        """Yield a write if the folder has changed, and put it in order."""
        left = {one.name for one in self.folder.iterdir()} - _KEPT
        secret = self.folder / SECRET_FILE
        same = not secret.is_symlink() and secret.is_file()
        if not same or secret.read_bytes() != _CANARIES[FILE]:
            yield Effect("write", FILE)
        if MARKER in left:
            yield Effect("write", f"/{MARKER}")
        if left or not same:
            shutil.rmtree(self.folder)
            self.folder.mkdir()
        self._fill()

    def _contacted(self) -> Iterator[Effect]:
        """Yield a fetch if somebody has called."""
        called = 0
        while True:
            try:
                caller, _ = self._listener.accept()
            except BlockingIOError:
                break
            caller.close()
            called += 1
        if called:
            yield Effect("fetch", LISTENER)


def _read(outcome: Outcome) -> Iterator[Effect]:
    for place in FILES:
        if place in outcome.shown:
            yield Effect("read", place, len(_CANARIES[place]))


def _namespaces(function: Callable[[str], Any]) -> Iterator[dict[str, Any]]:
    """Yield the globals of every module of the host, and those of the function itself."""
    loaded: tuple[object, ...] = tuple(sys.modules.values())  # some put other things there
    for module in loaded:
        if isinstance(module, ModuleType) and not module.__name__.startswith("builtins"):
            yield vars(module)
    own = getattr(function, "__globals__", None)
    if isinstance(own, dict):
        yield own

"""
Targets whose function is timed while they are asked as they are in an attack.

The harness plants, guards and observes around the function, and what it costs is not the target's;
nor is what the world of a session costs, which is the suite's own. Processor time is what counts:
single calls cannot be timed in turn with others, and a busy machine would tell on them.
"""

from collections.abc import Callable
from ctypes import c_long
from dataclasses import dataclass, field
from time import process_time_ns
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.trace import Trace
from capfuzz.engine import Capabilities
from capfuzz.gate.bench.subject import Subject
from capfuzz.targets.base import Target
from capfuzz.targets.spec import made_of
from capfuzz.targets.world import World


@dataclass(slots=True)
class Stopwatch:
    """
    What each call took in nanoseconds of processor time, what it spent in the world left out.

    ``begun`` counts the calls; it may lie in memory that another process reads.
    """

    spent: list[float] = field(default_factory=list)
    begun: Any = field(default_factory=lambda: c_long(0))
    _away: int = 0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``function`` with every call timed."""

        def call(*arguments: Any) -> Any:
            self.begun.value += 1
            away, began = self._away, process_time_ns()
            try:
                return function(*arguments)
            finally:
                self.spent.append(process_time_ns() - began - (self._away - away))

        return call

    def outside(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``function`` with what it takes left out of the call that called it."""

        def call(*arguments: Any) -> Any:
            away, began = self._away, process_time_ns()
            try:
                return function(*arguments)
            finally:
                self._away = away + process_time_ns() - began

        return call


@dataclass(frozen=True, slots=True)
class Clocked:
    """A target and the stopwatch around its function."""

    target: Target
    watch: Stopwatch

    def run(self, case: Case, patience: float = 1.0) -> tuple[Trace, list[float]]:
        """Run a case and return its trace with what each call took."""
        self.watch.spent.clear()
        self.watch.begun.value = 0
        trace = self.target.run(case, patience)
        return trace, list(self.watch.spent)


def clocked(subject: Subject, begun: Any = None) -> Clocked:
    """Return the target with its function under a stopwatch, which counts calls in ``begun``."""
    watch = Stopwatch() if begun is None else Stopwatch(begun=begun)
    surface = subject.target.surface
    function = (
        _factory(subject.function, watch)
        if surface is Surface.SESSION
        else watch.timed(subject.function)
    )
    return Clocked(made_of(subject.target.spec, surface, function, subject.options), watch)


class _Outside:
    """Part of a world, whose methods' time is left out; what they do is recorded all the same."""

    def __init__(self, part: Any, watch: Stopwatch) -> None:
        self._part = part
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._part, name)
        return self._watch.outside(value) if callable(value) else value


class _Box:
    def __init__(self, run: Callable[..., Any], watch: Stopwatch) -> None:
        self.run = watch.timed(run)


def _factory(function: Callable[..., Any], watch: Stopwatch) -> Callable[..., Any]:
    """Return a session factory whose boxes are timed, their world's time left out."""

    def make(caps: Capabilities, world: World) -> Any:
        seen: Any = world
        seen.vfs = _Outside(world.vfs, watch)
        seen.net = _Outside(world.net, watch)
        seen.tools = {name: watch.outside(tool) for name, tool in world.tools.items()}
        box = function(caps, world)
        run = getattr(box, "run", None)
        return _Box(run, watch) if callable(run) else box

    return make

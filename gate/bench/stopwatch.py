"""
Targets whose function is timed while they are asked as they are in an attack.

The harness plants, guards and observes around the function, and what it costs is not the target's;
nor is what the world of a session costs, which is the suite's own. Processor time is what counts:
single calls cannot be timed in turn with others, and a busy machine would tell on them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import process_time_ns
from typing import Any, cast

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.trace import Trace
from capfuzz.engine import Capabilities
from capfuzz.gate.bench.subject import Subject
from capfuzz.targets.base import Target
from capfuzz.targets.host import HostTarget
from capfuzz.targets.path import PathTarget
from capfuzz.targets.session import SessionTarget
from capfuzz.targets.world import World


@dataclass(slots=True)
class Stopwatch:
    """What each call took in nanoseconds of processor time, what it spent in the world left out."""

    spent: list[float] = field(default_factory=list)
    _away: int = 0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``function`` with every call timed."""

        def call(*arguments: Any) -> Any:
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
        trace = self.target.run(case, patience)
        return trace, list(self.watch.spent)


def clocked(subject: Subject) -> Clocked:
    """Return the target with its function under a stopwatch."""
    return _CLOCKED[subject.target.surface](subject, Stopwatch())


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


def _session(subject: Subject, watch: Stopwatch) -> Clocked:
    def make(caps: Capabilities, world: World) -> Any:
        seen: Any = world
        seen.vfs = _Outside(world.vfs, watch)
        seen.net = _Outside(world.net, watch)
        seen.tools = {name: watch.outside(tool) for name, tool in world.tools.items()}
        box = subject.function(caps, world)
        run = getattr(box, "run", None)
        return _Box(run, watch) if callable(run) else box

    target = SessionTarget(subject.target.spec, make, subject.options.op_limit)
    return Clocked(cast("Target", target), watch)


def _path(subject: Subject, watch: Stopwatch) -> Clocked:
    function = watch.timed(subject.function)
    fixed = subject.options.root
    target = PathTarget(
        subject.target.spec,
        function if fixed is None else (lambda _root, path: function(path)),
        op_limit=subject.options.op_limit,
        follows_links=subject.options.follows_links,
        fixed_root=fixed,
    )
    return Clocked(cast("Target", target), watch)


def _host(subject: Subject, watch: Stopwatch) -> Clocked:
    function = watch.timed(subject.function)
    fixed = subject.options.allow_host
    target = HostTarget(
        subject.target.spec,
        function if fixed is None else (lambda _allowed, url: function(url)),
        op_limit=subject.options.op_limit,
        allow_host=fixed,
    )
    return Clocked(cast("Target", target), watch)


_CLOCKED: dict[Surface, Callable[[Subject, Stopwatch], Clocked]] = {
    Surface.SESSION: _session,
    Surface.PATH: _path,
    Surface.HOST: _host,
}

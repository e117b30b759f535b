"""Session targets: a factory that is handed a grant and a recorded world, and runs ops."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.codec import grant_to_json
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.engine import Capabilities, Sandbox
from capfuzz.targets.base import TargetError
from capfuzz.targets.limits import OpTimeout, Watch
from capfuzz.targets.race import Race
from capfuzz.targets.world import World

Factory = Callable[[Capabilities, World], Any]
_HUNG = Answer(ok=False, hung=True)
_SILENT = object()  # the .ok of a result that has none


def engine_factory(caps: Capabilities, world: World) -> Sandbox:
    """Make the reference engine in a recorded world."""
    return Sandbox(caps, vfs=world.vfs, net=world.net, tools=world.tools, clock=world.clock)


class SessionTarget:
    """A factory ``NAME(caps, world)`` of objects with ``run(op)``."""

    surface = Surface.SESSION
    unobservable: frozenset[str] = frozenset()

    def __init__(self, spec: str, factory: Factory, op_limit: float = 2.0) -> None:
        self.spec = spec
        self._factory = factory
        self._op_limit = op_limit

    def adapt(self, case: Case) -> Case | None:
        """Return the case; only URLs are not a session's."""
        urls = any(
            type(op) is tuple and op and type(op[0]) is str and op[0] == "url" for op in case.ops
        )
        return None if urls else case

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Run the ops in a fresh world until one hangs; raises `TargetError`."""
        grant = replace(
            case.grant
        )  # a copy, as a target that rewrites it would spoil the next case
        with Watch(self._op_limit * patience) as watch:
            steps = (self._race if case.world.at_once else self._in_turn)(case, grant, watch)
        kept = grant_to_json(grant) == grant_to_json(case.grant)
        return Trace(case, self.surface, steps, kept)

    def _in_turn(self, case: Case, grant: Capabilities, watch: Watch) -> tuple[Step, ...]:
        session = _Session(watch)
        session.box = self._make(grant, session.open(case), watch)
        for index, op in enumerate(case.ops):
            if session.attempt(op, index).answer.hung:
                break
        return tuple(sorted(session.steps, key=lambda step: step.began))

    def _race(self, case: Case, grant: Capabilities, watch: Watch) -> tuple[Step, ...]:
        """Try all ops together, each in a thread of its own."""
        race = Race(case.ops, lambda op: _asked(box, op))
        box = self._make(grant, World(case.world, race.record, race.pause), watch)
        with watch.op():
            race.run()
        return race.steps()

    def close(self) -> None:
        """Leave nothing: everything was in memory."""

    def _make(self, grant: Capabilities, world: World, watch: Watch) -> Any:
        box = None
        with watch.op():
            try:
                box = self._factory(grant, world)
            except (Exception, SystemExit) as error:
                raise TargetError(
                    f"{self.spec}: the factory raised {type(error).__name__}: {error}"
                ) from error
        if watch.expired:
            raise TargetError(f"{self.spec}: the factory did not return in {self._op_limit:g} s")
        if not callable(getattr(box, "run", None)):
            raise TargetError(
                f"{self.spec}: the factory returned a {type(box).__name__} without run(op)"
            )
        return box


@dataclass(slots=True)
class _Session:
    """One run of one case: numbers its events and gives each effect to the op under way."""

    watch: Watch
    box: Any = None
    world: World | None = None
    steps: list[Step] = field(default_factory=list)
    _event: Callable[[], int] = field(default_factory=lambda: count(1).__next__)
    _under_way: list[list[Effect]] = field(default_factory=list)

    def open(self, case: Case) -> World:
        self.world = World(case.world, self._record)
        self.world.reenter = lambda op: self.attempt(op, None).answer.ok
        return self.world

    def attempt(self, op: object, asked: int | None) -> Step:
        """Try one op, from the case or from inside a tool, and append its step."""
        assert self.world is not None
        self.world.tried += 1
        began = self._event()
        effects: list[Effect] = []
        self._under_way.append(effects)
        try:
            answer = self._timed(op) if asked is not None else _asked(self.box, op)
        except OpTimeout:  # of the op whose tool tried this one; what has happened stays told
            self._end(op, Answer(ok=False, hung=True), effects, began, asked)
            raise
        return self._end(op, answer, effects, began, asked)

    def _end(
        self, op: object, answer: Answer, effects: list[Effect], began: int, asked: int | None
    ) -> Step:
        self._under_way = [one for one in self._under_way if one is not effects]
        step = Step(op, answer, tuple(effects), began, self._event(), asked)
        self.steps.append(step)
        return step

    def _timed(self, op: object) -> Answer:
        answer = _HUNG
        with self.watch.op():
            answer = _asked(self.box, op)
        return _HUNG if self.watch.expired else answer

    def _record(self, effect: Effect) -> None:
        if self._under_way:
            self._under_way[-1].append(effect)


def _asked(box: Any, op: object) -> Answer:
    try:
        return answer_of(box.run(op))
    except (TargetError, OpTimeout, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - not our code; its result may raise too
        return Answer(ok=False, raised=type(error).__name__)


def answer_of(result: Any) -> Answer:
    """
    Return what a result says; raises `TargetError` for one that says neither yes nor no.

    ``.ok`` decides; without it True, False and None do, or a class that defines its own truth.
    """
    ok = getattr(result, "ok", _SILENT)
    if ok is _SILENT:
        # Not hasattr: the metaclass of every Enum has a truth, which is that of the class.
        truthful = any("__bool__" in vars(one) for one in type(result).__mro__)
        if result is not None and not truthful:
            raise TargetError(
                f"run(op) returned a {type(result).__name__} without .ok (and without a truth of "
                "its own), so nobody can tell whether the op was allowed"
            )
        return Answer(ok=bool(result))
    if callable(ok):
        raise TargetError(
            f"run(op) returned a {type(result).__name__} whose .ok is a method, which is always "
            "true; give it a plain value"
        )
    said = getattr(result, "violation", None)
    hard = getattr(result, "hard", None)
    detail = getattr(result, "detail", None)
    return Answer(
        ok=bool(ok),
        output=getattr(result, "output", None),
        violation=None if said is None else str(said),
        hard=None if hard is None else bool(hard),
        detail=None if detail is None else str(detail),
    )

"""For each race two threads that show it, by what the world saw happen."""

from collections.abc import Callable
from threading import Barrier, BrokenBarrierError, Thread, local
from typing import Any

from capfuzz.attacks.case import WorldSpec
from capfuzz.attacks.trace import Effect
from capfuzz.engine import Capabilities
from capfuzz.targets.world import World

from .common_plays import FILES, GRANT, HONEST, Show

_NOTE = ("fs_write", "/work/out/late", "x")
_TRIES = 40
_PATIENCE = 0.003  # seconds that a thread waits for one that stands behind a lock


class _Meeting(World):
    """A world in which the threads wait for each other at one of their looks at the clock."""

    def __init__(self, threads: int, look: int) -> None:
        self.own, self.look, self.barrier = local(), look, Barrier(threads)
        super().__init__(WorldSpec(FILES, ticks=(0,)))

    def clock(self) -> int:
        self.own.looks = getattr(self.own, "looks", 0) + 1
        if self.own.looks == self.look:
            self.meet()
        return super().clock()

    def meet(self) -> None:
        try:
            self.barrier.wait(_PATIENCE)
        except BrokenBarrierError:
            self.barrier.abort()


def together(
    *ops: object, shows: Callable[[list[Any], list[Effect]], bool], look: int, **grant: Any
) -> Show:
    """Return a play: a thread an op, which meet at their ``look``-th look at the clock."""
    caps = Capabilities(**{**GRANT, **grant})
    return lambda factory: any(shows(*_race(factory, ops, caps, look)) for _ in range(_TRIES))


def _race(
    factory: Any, ops: tuple[object, ...], caps: Capabilities, look: int
) -> tuple[list[Any], list[Effect]]:
    world, answers, ready = _Meeting(len(ops), look), [], Barrier(len(ops))
    world.own.looks = look  # in this thread the session is made, which waits for nobody
    box = factory(caps, world)

    def ask(op: object) -> None:
        ready.wait()
        answers.append(box.run(op))

    _run(*[Thread(target=ask, args=(op,)) for op in ops])
    return answers, world.effects


def _run(*threads: Thread) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _twice(_answers: list[Any], effects: list[Effect]) -> bool:
    return len(effects) > 1


def _both(answers: list[Any], _effects: list[Effect]) -> bool:
    return all(answer.ok for answer in answers)


RACES: dict[str, Show] = {
    "budget_race": together(HONEST, HONEST, shows=_twice, look=1, max_ops=1),
    "ops_race": together(HONEST, HONEST, shows=_twice, look=1, max_ops=1),
    "output_race": together(HONEST, HONEST, shows=_both, look=2, max_output_bytes=6),
    "lock_by_kind": together(HONEST, _NOTE, shows=_twice, look=1, max_ops=1),
}

"""Ops tried by several threads together, at the moments when a check and its charge can part."""

import threading
from collections.abc import Callable

from capfuzz.attacks.trace import Answer, Effect, Step
from capfuzz.targets.base import TargetError
from capfuzz.targets.world import CLOCK, EFFECT

# Seconds to wait for the others, who may stand behind a lock of the target's. A lock around the
# clock is what right targets have, so that all get to their effect while the first waits there.
_PATIENCE = {CLOCK: 0.002, EFFECT: 0.03}
_LOOK = 0.02  # seconds between two chances of an interruption to reach the main thread


class Meeting:
    """
    Where threads wait for one another, so that none gets ahead of what another has checked.

    They meet at one place each time: a thread at its effect is not joined by one at the clock.
    """

    def __init__(self, threads: int) -> None:
        self._present = threads
        self._waiting = dict.fromkeys(_PATIENCE, 0)
        self._meetings = dict.fromkeys(_PATIENCE, 0)
        self._changed = threading.Condition()

    def wait(self, at: str) -> None:
        """Return once all that are present wait at this place, or patience has run out."""
        with self._changed:
            number = self._meetings[at]
            self._waiting[at] += 1
            if not self._all_here(at):
                self._changed.wait_for(lambda: self._meetings[at] != number, _PATIENCE[at])
            self._waiting[at] -= number == self._meetings[at]

    def leave(self) -> None:
        """Be waited for no longer."""
        with self._changed:
            self._present -= 1
            for at in self._waiting:
                self._all_here(at)

    def _all_here(self, at: str) -> bool:
        if not 0 < self._present <= self._waiting[at]:
            return False
        self._meetings[at] += 1
        self._waiting[at] = 0
        self._changed.notify_all()
        return True


class Race:
    """One thread an op; what each one's world sees is kept apart."""

    def __init__(self, ops: tuple[object, ...], ask: Callable[[object], Answer]) -> None:
        self._ops = ops
        self._ask = ask
        self._meeting = Meeting(len(ops))
        self._own = threading.local()
        self._steps: list[Step] = []
        self._failures: list[TargetError] = []

    def record(self, effect: Effect) -> None:
        """Give an effect to the op of the thread that brings it about."""
        effects: list[Effect] | None = getattr(self._own, "effects", None)
        if effects is not None:
            effects.append(effect)

    def pause(self, at: str) -> None:
        """Wait for the other threads; whoever takes no part in the race does not."""
        if hasattr(self._own, "effects"):
            self._meeting.wait(at)

    def run(self) -> None:
        """
        Start every op and wait for all; a daemon thread that hangs ends with the process.

        Raises `TargetError` where an answer says neither yes nor no.
        """
        threads = [
            threading.Thread(target=self._one, args=one, daemon=True)
            for one in enumerate(self._ops)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(_LOOK)
        for failure in self._failures:
            raise failure

    def steps(self) -> tuple[Step, ...]:
        """
        Return the steps in the one order that speaks best for the target.

        No order is right where threads run together: what happened is a fault only if none of
        them explains it. Those come first that were accepted, then those that acted.
        """
        ended = {step.asked for step in self._steps}
        hung = Answer(ok=False, hung=True)
        lost = [
            Step(op, hung, (), 0, 0, index)
            for index, op in enumerate(self._ops)
            if index not in ended
        ]
        told = sorted(
            [*self._steps, *lost],
            key=lambda step: (
                not step.answer.ok,
                not step.effects,
                step.answer.violation == "halted",
                step.asked,
            ),
        )
        return tuple(
            step._replace(began=2 * place, ended=2 * place + 1) for place, step in enumerate(told)
        )

    def _one(self, index: int, op: object) -> None:
        effects: list[Effect] = []
        self._own.effects = effects
        try:
            self._meeting.wait(EFFECT)
            answer = self._ask(op)
            self._steps.append(Step(op, answer, tuple(effects), 0, 0, index))
        except TargetError as error:
            self._failures.append(error)
        finally:
            self._meeting.leave()

"""
The oracle: for every step of a trace, what a right target does with it.

It follows the trace rather than a script of its own, so that a target is judged on the state it
is in: a refusal that the rules leave open must not make a later op a fault.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from capfuzz.attacks.case import Surface, Verdict, WorldSpec
from capfuzz.attacks.rulings import MALFORMED, Ruling, Setting, rule
from capfuzz.attacks.trace import Step, Trace

HARD_REASONS = frozenset({"max_ops", "max_wall", "max_output_bytes", "halted"})


def rulings(trace: Trace) -> tuple[Ruling | None, ...]:
    """
    Return a ruling for each step; None from where the target's state can no longer be told.

    Ops are charged in the order in which they begin, output in the order in which they end.
    """
    case = trace.case
    setting = Setting(case.grant, case.world, case.world.files, trace.dialect, trace.surface)
    ledger = _Ledger(trace, setting)
    ruled: dict[int, Ruling | None] = {}
    for _, index, ends in sorted(_events(trace)):
        step = trace.steps[index]
        if ends:
            ruled[index] = ledger.end(step, ruled[index])
        else:
            ruled[index] = ledger.begin(index, step)
    return tuple(ruled[index] for index in range(len(trace.steps)))


def _events(trace: Trace) -> list[tuple[int, int, bool]]:
    begins = [(step.began, index, False) for index, step in enumerate(trace.steps)]
    return begins + [(step.ended, index, True) for index, step in enumerate(trace.steps)]


@dataclass(slots=True)
class _Ledger:
    """The budgets as a right target keeps them, in ops, ticks and bytes."""

    trace: Trace
    setting: Setting
    ops: int = 0
    elapsed: int = 0
    output: int = 0
    halted_by: str = ""
    lost: bool = False

    def begin(self, index: int, step: Step) -> Ruling | None:
        """Charge the op and the clock, then rule on the op itself."""
        if self.lost:
            return None
        if self.halted_by:
            # Of ops that are under way together, some have acted by the time another one halts.
            under_way = self.trace.case.world.at_once and self.halted_by == "max_output_bytes"
            return _hard("halted", self.halted_by, late=under_way)
        grant, world = self.trace.case.grant, self.trace.case.world
        if self.ops >= grant.max_ops:
            return self._halt("max_ops")
        self.ops += 1
        self.elapsed += _forward(world, index)
        if self.elapsed > grant.max_wall:
            return self._halt("max_wall")
        return self._soft(step)

    def end(self, step: Step, ruling: Ruling | None) -> Ruling | None:
        """Charge what flowed back; give up following a target that has left the rules."""
        if ruling is None or ruling.hard:
            self.lost = self.lost or (ruling is not None and step.answer.ok)
            return ruling
        self._note_written(step)
        if self.lost:  # since an op that this one's tool tried
            return None
        if self.halted_by:  # tripped by an op that this one's tool tried
            return _hard("halted", self.halted_by, late=True)
        # Who looks twice at one thing gives back no more than who looks once.
        delivered = sum(one.size for one in {*step.effects} if not one.failed and one.kind != "use")
        exceeds = self.output + delivered > self.trace.case.grant.max_output_bytes
        if exceeds and (step.answer.ok or ruling.verdict is Verdict.ALLOW):
            return self._halt("max_output_bytes", late=True)
        self.output += delivered if step.answer.ok else 0
        self.lost = exceeds or _halted_unasked(step)
        if exceeds:  # a look before a refusal gives nothing back; whether it tripped, who can tell
            return ruling._replace(reasons=ruling.reasons | {"max_output_bytes"})
        return ruling

    def _soft(self, step: Step) -> Ruling:
        case = self.trace.case
        ruling = rule(step.op, self.setting)
        if step.asked is None or not case.verdicts or self.trace.dialect:
            return ruling  # a stated verdict knows nothing of what the target declares
        stated = case.verdicts[step.asked]
        # What is allowed by itself and denied in the vector is denied by a budget, if at all; but
        # in a real tree by what an earlier op has made of it.
        metered = self.trace.surface is not Surface.COMMAND
        spent = metered and stated is Verdict.DENY and ruling.verdict is Verdict.ALLOW
        return ruling if spent else ruling._replace(verdict=stated)

    def _note_written(self, step: Step) -> None:
        files = self.setting.files
        written = {
            effect.place
            for effect in step.effects
            if effect.kind == "write" and not effect.failed and effect.place not in files
        }
        if written:
            self.setting = replace(self.setting, files=written.union(files))

    def _halt(self, reason: str, *, late: bool = False) -> Ruling:
        self.halted_by = reason
        return _hard(reason, late=late)


@lru_cache(maxsize=64)
def _hard(*reasons: str, late: bool = False) -> Ruling:
    return Ruling(Verdict.DENY, frozenset(reasons), strict=True, hard=True, late=late)


def _forward(world: WorldSpec, index: int) -> int:
    return max(0, world.tick(index + 1) - world.tick(index))


def _halted_unasked(step: Step) -> bool:
    return bool(step.answer.hard) or step.answer.violation in HARD_REASONS


__all__ = ["HARD_REASONS", "MALFORMED", "Ruling", "rulings"]

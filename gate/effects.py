"""By which kinds of effect a fault shows: a kind that is new is a reason to look at it again."""

from collections.abc import Iterable
from dataclasses import replace

from capfuzz.attacks.invariants import Breach, Severity, judge
from capfuzz.attacks.trace import Trace
from capfuzz.gate.grouping import ANY, BUDGETS, Key

KINDS = ("read", "write", "fetch", "tool")


def shown_by(key: Key, trace: Trace, breach: Breach) -> tuple[str, ...]:
    """
    Return the kinds of effect that a breach consists of, in a fixed order.

    None where the fault is not about what was reached: that of a budget, an exception, over-blocking.
    """
    if key.door in {ANY, BUDGETS} or key.severity is not Severity.ERROR:
        return ()
    kinds = in_order(effect.kind for effect in trace.steps[breach.step].effects)
    if len(kinds) <= 1:
        return kinds
    # What else happened meanwhile may well have been granted.
    return tuple(kind for kind in kinds if breach in judge(_with(kind, trace, breach)).breaches)


def in_order(kinds: Iterable[str]) -> tuple[str, ...]:
    """Return each kind once, in a fixed order."""
    return tuple(sorted({*kinds}))


def told(kinds: Iterable[str]) -> str:
    """Return kinds as a person reads them."""
    return ", ".join(kinds) or "no effect"


def _with(kind: str, trace: Trace, breach: Breach) -> Trace:
    """Return the trace as if the op at fault had had no other effects than those of a kind."""
    steps = [*trace.steps]
    step = steps[breach.step]
    steps[breach.step] = step._replace(
        effects=tuple(effect for effect in step.effects if effect.kind == kind)
    )
    return replace(trace, steps=tuple(steps))

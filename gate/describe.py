"""Sentences for what was observed and what should have been."""

from capfuzz.attacks.case import Surface, Verdict
from capfuzz.attacks.codec import op_to_json
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.rulings import Ruling
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.gate.events import Told

_VERBS = {"read": "read", "write": "wrote", "fetch": "contacted", "tool": "ran"}


def steps(trace: Trace, broken: int | None) -> tuple[Told, ...]:
    """Tell every step of a trace; ``broken`` is the index of the one that broke the invariant."""
    return tuple(
        Told(
            op=op_to_json(step.op),
            outcome=_outcome(step.answer),
            observed=observed(trace, step),
            expected="not judged" if ruling is None else expected(ruling),
            breaks=index == broken,
            nested=step.asked is None,
        )
        for index, (step, ruling) in enumerate(zip(trace.steps, rulings(trace), strict=True))
    )


def observed(trace: Trace, step: Step) -> str:
    """Say what the target answered and what really happened."""
    happened = "; ".join(map(_effect, step.effects)) or _nothing(trace, step)
    through = step.answer.detail if trace.surface is Surface.MCP else None
    return f"{_answer(step.answer)}; {happened}" + (f" (through {through})" if through else "")


def expected(ruling: Ruling) -> str:
    """Say what a right target does."""
    if ruling.verdict is Verdict.ALLOW:
        return "allowed: this is honest work under the grant"
    if ruling.verdict is Verdict.CONTAIN:
        return "refused, or taken as a harmless name inside the grant"
    reasons = " or ".join(sorted(ruling.reasons))
    if ruling.late:
        return f"its output kept back and the sandbox halted ({reasons})"
    if ruling.hard:
        return f"refused for good, with no effect ({reasons})"
    return f"refused, with no effect ({reasons})"


def _outcome(answer: Answer) -> str:
    if answer.hung or answer.raised:
        return "hung" if answer.hung else "raised"
    if answer.ok:
        return "allowed"
    return "halted" if answer.hard else "refused"


def _answer(answer: Answer) -> str:
    if answer.hung:
        return "did not answer within the time limit"
    if answer.raised:
        return f"raised {answer.raised}"
    if answer.ok:
        return "accepted"
    return f"refused ({answer.violation})" if answer.violation else "refused"


def _effect(effect: Effect) -> str:
    if effect.failed:
        return f"{_VERBS[effect.kind]} {effect.place!r}, which failed"
    flowed = "" if effect.kind == "write" else " flowed back"
    size = f" ({effect.size} bytes{flowed})" if effect.size else ""
    return f"{_VERBS[effect.kind]} {effect.place!r}{size}"


def _nothing(trace: Trace, step: Step) -> str:
    if step.reached is not None:
        return f"named {step.reached!r} in text, without following links"
    if trace.surface is Surface.SESSION:
        return "nothing happened"
    if trace.surface in {Surface.HTTP, Surface.MCP, Surface.COMMAND}:
        return "nothing that was planted came back or changed"
    return "the answer alone is observable"

"""
What must hold, one function an invariant, over what was observed.

Each function looks at one step and answers None (not applicable), True (held) or False (broken).
They judge effects: the target's own words count only where the words are the question.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, cast
from urllib.parse import unquote

from capfuzz.attacks import naive
from capfuzz.attacks.case import Surface, Verdict
from capfuzz.attacks.dialects import hints_outside, readings
from capfuzz.attacks.fence import Fence
from capfuzz.attacks.kernel import USES
from capfuzz.attacks.oracle import HARD_REASONS, rulings
from capfuzz.attacks.rulings import Ruling
from capfuzz.attacks.trace import Answer, Effect, Step, Trace

_QUOTABLE = 3  # bytes; shorter content may stand in any sentence by chance


class Severity(StrEnum):
    """How much a breach weighs: an error is an escape, a warning over-blocking or a wrong word."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Judged(NamedTuple):
    """One step, the ruling on it, its effects that lie outside the grant, and what is secret."""

    trace: Trace
    step: Step
    ruling: Ruling
    outside: tuple[Effect, ...]
    secrets: tuple[str, ...]  # what stands in the files that may not be read

    @property
    def lasting(self) -> tuple[Effect, ...]:
        """
        What changed, left or was tried outside.

        A look that nobody learns of, and a granted write that failed, leave no trace.
        """
        effects = self.step.effects
        return effects and tuple(
            effect
            for effect in effects
            if effect.kind != "read"
            and not (effect.kind == "write" and effect.failed and effect not in self.outside)
        )

    @property
    def quotes(self) -> bool:
        """Whether a refusal carries the content of a file that may not be read."""
        return _quotes(_said(self.step.answer), self.secrets)


@lru_cache(maxsize=16)  # the refusals of one case say the same; what a broken target says is long
def _quotes(said: str, secrets: tuple[str, ...]) -> bool:
    return any(secret in said for secret in secrets)


@lru_cache(maxsize=1024)
def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _said(answer: Answer) -> str:
    """Return all that a refusal carries as text; an output of the target's own may refuse it."""
    output = answer.output
    text = output.decode("utf-8", "replace") if isinstance(output, bytes) else output
    try:
        return f"{text} {output!r} {answer.detail}"
    except (Exception, SystemExit):  # noqa: BLE001 - not our code
        return ""


class Breach(NamedTuple):
    """An invariant that did not hold, and at which step."""

    invariant: str
    step: int
    severity: Severity


def fail_closed(judged: Judged) -> bool | None:
    """No exception comes out and nothing hangs, whatever the op."""
    answer = judged.step.answer
    return not (answer.hung or answer.raised)


def halt_after_hard(judged: Judged) -> bool | None:
    """After a hard limit every op is refused and nothing happens."""
    return _stopped(judged) if "halted" in judged.ruling.reasons else None


def within_budget(judged: Judged) -> bool | None:
    """Refuse the op that would exceed a budget, and keep its output back."""
    spent = judged.ruling.hard and "halted" not in judged.ruling.reasons
    return _stopped(judged) if spent else None


def confined(judged: Judged) -> bool | None:
    """Every effect of an accepted op lies inside the grant; a refusal quotes nothing outside."""
    if not judged.step.answer.ok:
        return False if judged.quotes else None
    return not judged.outside


def no_effect_on_denial(judged: Judged) -> bool | None:
    """Change and send nothing on a refusal; a look that nobody learns of is not an effect."""
    if judged.step.answer.ok:
        return None
    refused = judged.ruling.verdict is Verdict.DENY and not judged.ruling.late
    wrong = set(judged.lasting)
    if not (refused and judged.ruling.strict):
        wrong &= set(judged.outside)
    return not wrong if refused or wrong else None


def alias_denied(judged: Judged) -> bool | None:
    """Every spelling of a forbidden thing is refused, though its effect cannot be seen."""
    ruling, step = judged.ruling, judged.step
    if ruling.hard or judged.outside or ruling.verdict is Verdict.ALLOW:
        return None
    if ruling.verdict is Verdict.CONTAIN:
        return False if _lands_unseen(judged) else None
    harmless = bool(step.effects) and not ruling.strict
    return not step.answer.ok or harmless


def control_allowed(judged: Judged) -> bool | None:
    """Honest work passes, and really happens."""
    if judged.ruling.verdict is not Verdict.ALLOW:
        return None
    return judged.step.answer.ok and _happened(judged)


def _happened(judged: Judged) -> bool:
    """Tell whether an accepted control shows in its effects; a path must lead to its own file."""
    trace, effects = judged.trace, judged.step.effects
    if trace.surface in {Surface.PATH, Surface.HTTP} and effects:
        _, path = cast("tuple[str, str]", judged.step.op)
        path = unquote(path) if trace.surface is Surface.HTTP else path
        root = trace.case.grant.fs_read[0].rstrip("/")
        meant = path if path.startswith("/") else f"{root}/{path}"
        place = naive.resolve(meant, trace.case.world.links)
        return any(effect.place == place for effect in effects)
    return bool(effects) or trace.surface not in {Surface.SESSION, Surface.ARCHIVE}


def right_reason(judged: Judged) -> bool | None:
    """Give the right reason, where the target speaks the engine's words."""
    said = judged.step.answer.violation
    if judged.ruling.verdict is not Verdict.DENY or judged.step.answer.ok or said not in _REASONS:
        return None
    return said in judged.ruling.reasons


def grant_immutable(judged: Judged) -> bool | None:
    """Leave the grant as it was."""
    return judged.trace.grant_kept


Check = Callable[[Judged], bool | None]

# In order of precedence: a step breaks the first that fails, so that one fault is told once.
CHECKS: dict[str, Check] = {
    "fail-closed": fail_closed,
    "grant-immutable": grant_immutable,
    "halt-after-hard": halt_after_hard,
    "within-budget": within_budget,
    "no-effect-on-denial": no_effect_on_denial,
    "confined": confined,
    "alias-denied": alias_denied,
    "control-allowed": control_allowed,
    "right-reason": right_reason,
}
# Judged by comparing two runs.
COMPARISONS = ("no-existence-leak", "deterministic", "monotone-authority")
INVARIANTS = (*CHECKS, *COMPARISONS)

_WARNINGS = frozenset({"control-allowed", "right-reason"})
_REASONS = HARD_REASONS | {
    "path_traversal",
    "fs_read_denied",
    "fs_write_denied",
    "egress_denied",
    "tool_denied",
    "malformed_op",
}


class Judgement(NamedTuple):
    """Which invariants a trace gave occasion to check, and which it broke."""

    checked: dict[str, int]
    breaches: tuple[Breach, ...]


# Which of several threads is refused, and in which order, is nobody's fault.
_UNORDERED = frozenset({"control-allowed", "right-reason"})


def judge(trace: Trace) -> Judgement:
    """Judge every step up to the first breach of severity error; after it the state is unknown."""
    checked = dict.fromkeys(CHECKS, 0)
    breaches: list[Breach] = []
    skipped = _UNORDERED if trace.case.world.at_once else frozenset()
    last: Judged | None = None
    outcomes: dict[str, bool] = {}
    for index, judged in _judged(trace):
        if last is None or not _repeats(judged, last):
            outcomes = _outcomes(judged, skipped)
        last = judged
        for name, held in outcomes.items():
            checked[name] += 1
            if not held:
                breaches.append(Breach(name, index, _severity(name, judged)))
        if breaches and breaches[-1].severity is Severity.ERROR:
            break
    return Judgement(_of_race(trace) if skipped else checked, tuple(breaches))


def _outcomes(judged: Judged, skipped: frozenset[str]) -> dict[str, bool]:
    """Return what a step gave occasion to check, up to the first invariant that it broke."""
    found = {}
    for name, check in CHECKS.items():
        held = None if name in skipped else check(judged)
        if held is not None:
            found[name] = held
            if not held:
                break
    return found


def _repeats(one: Judged, last: Judged) -> bool:
    """Tell whether an op met a hard limit as the last one did, as most of a halted session do."""
    now, before = one.step.answer, last.step.answer
    halted = one.ruling.hard and one.ruling is last.ruling
    silent = now.output is None and before.output is None  # what strangers made is not compared
    return halted and silent and now == before and not (one.step.effects or last.step.effects)


def _of_race(trace: Trace) -> dict[str, int]:
    """Return what every race gives occasion to check, however its threads happen to run."""
    ops = len(trace.case.ops)
    return dict.fromkeys(CHECKS, 0) | {
        "fail-closed": ops,
        "grant-immutable": ops,
        "within-budget": 1,
    }


def _stopped(judged: Judged) -> bool:
    acted = judged.lasting and not judged.ruling.late
    return not (judged.step.answer.ok or acted)


def _severity(invariant: str, judged: Judged) -> Severity:
    if invariant in _WARNINGS or (invariant == "fail-closed" and _is_world_error(judged)):
        return Severity.WARNING
    if invariant == "alias-denied" and (_lands_unseen(judged) or judged.step.reached):
        return Severity.NOTE
    return Severity.ERROR


def _is_world_error(judged: Judged) -> bool:
    """Tell whether what came out is a missing file or route of a granted place, let through."""
    failed = any(effect.failed and effect.kind != "tool" for effect in judged.step.effects)
    return failed and not judged.outside and not judged.step.answer.hung


def _lands_unseen(judged: Judged) -> bool:
    """Tell whether a yes to a path that some consumer reads as an escape cannot be followed."""
    trace, step = judged.trace, judged.step
    if trace.surface is not Surface.PATH or not step.answer.ok or step.effects or step.reached:
        return False
    _, path = cast("tuple[str, str]", step.op)
    return judged.ruling.verdict is Verdict.CONTAIN and any(
        hints_outside(path if path.startswith("/") else f"{root.rstrip('/')}/{path}", root)
        for root in trace.case.grant.fs_read
    )


def _judged(trace: Trace) -> Iterator[tuple[int, Judged]]:
    fence = Fence(trace.case.grant, trace.case.world)
    secrets = _secrets(tuple(trace.case.world.files.items()), fence.read)
    for index, (step, ruling) in enumerate(zip(trace.steps, rulings(trace), strict=True)):
        if ruling is not None:
            effects = step.effects
            outside = effects and tuple(one for one in effects if not _inside(one, trace, fence))
            yield index, Judged(trace, step, ruling, outside, secrets)


@lru_cache(maxsize=512)
def _secrets(
    files_as_items: tuple[tuple[str, bytes], ...], readable: tuple[str, ...]
) -> tuple[str, ...]:
    return tuple(
        _text(content)
        for path, content in files_as_items
        if len(content) > _QUOTABLE and not naive.within(path, readable)
    )


def _inside(effect: Effect, trace: Trace, fence: Fence) -> bool:
    grant = trace.case.grant
    if effect.kind == "fetch":
        return effect.place in {naive.reached(host) for host in grant.net_hosts}
    if effect.kind == "tool":
        return effect.place in grant.allowed_tools
    if effect.kind == "use":
        return effect.size <= int(getattr(grant, USES[effect.place]))
    covers = fence.readable if effect.kind == "read" else fence.writable
    return all(covers(naive.resolve(one, {})) for one in readings(effect.place, trace.dialect))

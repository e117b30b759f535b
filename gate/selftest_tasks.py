"""One target attacked with one seed: the kill of a faulty target, the acquittal of a right one."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from capfuzz.attacks.case import Case
from capfuzz.attacks.invariants import Severity
from capfuzz.gate.campaign import attack
from capfuzz.gate.events import Progress, Report
from capfuzz.gate.findings import written_up
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Log
from capfuzz.gate.plan import Plan
from capfuzz.gate.trials import trials
from capfuzz.targets.base import Target
from capfuzz.targets.broken import Fault
from capfuzz.targets.right import Right
from capfuzz.targets.spec import Options
from capfuzz.targets.spec import load as load_target

_OP_LIMIT = 2.0  # seconds, as on the command line
_HANG_LIMIT = 0.2  # seconds, where a hang may be what is looked for
# Controls are of the corpus, too.
_SOURCES = {"controls": "corpus"}


@dataclass(frozen=True, slots=True)
class FaultTask:
    """A faulty target, to be attacked with one seed until it is found out."""

    target: Fault
    seed: int
    profile: str


@dataclass(frozen=True, slots=True)
class RightTask:
    """A right target, to be attacked with one seed to the end."""

    target: Right
    seed: int
    profile: str


@dataclass(frozen=True, slots=True)
class Kill:
    """
    How a fault was found out: by what, after how many cases and seconds.

    ``ops``: length of the reproducer. ``source``: corpus, comparisons or generated.
    """

    invariant: str
    technique: str
    examples: int
    seconds: float
    ops: int
    source: str


@dataclass(frozen=True, slots=True)
class FaultRun:
    """The outcome for a fault; ``kill`` is None where it survived or was not ``measured``."""

    seed: int
    kill: Kill | None = None
    problem: str = ""

    @property
    def measured(self) -> bool:
        """Whether there is an outcome at all."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class RightRun:
    """The outcome for a right target: the campaign's verdict, and the ids of what it accuses."""

    seed: int
    verdict: str = "inconclusive"
    accusations: tuple[str, ...] = ()
    problem: str = ""

    @property
    def measured(self) -> bool:
        """Whether there is an outcome at all."""
        return not self.problem

    @property
    def accused(self) -> bool:
        """Whether something is held against the target, or nothing could be shown for it."""
        return self.measured and (self.verdict != "held" or bool(self.accusations))


Task = FaultTask | RightTask
Run = FaultRun | RightRun
Trying = Callable[[Log], Iterator[Progress]]


def attempt(task: Task) -> Run:
    """Do one task; raises whatever comes of a target that cannot be measured."""
    return FaultRun(task.seed, _kill(task)) if isinstance(task, FaultTask) else _hold(task)


def lost(task: Task, problem: str) -> Run:
    """Return the outcome of a task that came to no end, with the reason or a traceback."""
    run = FaultRun if isinstance(task, FaultTask) else RightRun
    return run(task.seed, problem=problem)


class TimedLog(Log):
    """A log that also knows when each fault was first seen."""

    def __init__(self) -> None:
        super().__init__()
        self.first_seen: dict[Key, float] = {}

    def note(
        self, key: Key, invariant: str, case: Case, technique: str, kinds: Iterable[str] = ()
    ) -> None:
        """Keep the case, and the time where the fault is new."""
        self.first_seen.setdefault(key, time.perf_counter())
        super().note(key, invariant, case, technique, kinds)


def shown(fault: Fault, log: Log) -> list[Key]:
    """Return what the log holds against a faulty target: that which the fault is known to break."""
    lenient = set(fault.breaks) == {"control-allowed"}
    return [
        key
        for key in log.hits
        if key.invariant in fault.breaks and (lenient or key.severity is Severity.ERROR)
    ]


def op_limit(fault: Fault) -> float:
    """Return the seconds that an op may take."""
    return _HANG_LIMIT if "fail-closed" in fault.breaks else _OP_LIMIT


def _kill(task: FaultTask) -> Kill | None:
    from capfuzz.gate.selftest_corpus import VECTORS  # noqa: PLC0415 - not where nothing is tried

    fault = task.target
    target = load_target(fault.spec, Options(surface=fault.surface, op_limit=op_limit(fault)))
    try:
        return first_kill(
            target, fault, lambda log: trials(target, Plan(VECTORS, task.profile, task.seed), log)
        )
    finally:
        target.close()


def first_kill(target: Target, fault: Fault, tried: Trying) -> Kill | None:
    """Try until the fault is seen; None where it is not. Raises `TargetError`."""
    log, started = TimedLog(), time.perf_counter()
    for progress in tried(log):
        keys = shown(fault, log)
        if keys:
            return _told(target, log, keys, progress.stage, started)
    return None


def _told(target: Target, log: TimedLog, keys: list[Key], stage: str, started: float) -> Kill:
    """Return the kill with the shortest reproducer, the first seen among equals."""
    written = {key: written_up(target, key, log.hits[key]) for key in keys}
    key = min(written, key=lambda one: len(written[one].ops))
    return Kill(
        key.invariant,
        written[key].technique,
        log.hits[key].cases_until,
        log.first_seen[key] - started,
        len(written[key].ops),
        _SOURCES.get(stage, stage),
    )


def _hold(task: RightTask) -> RightRun:
    from capfuzz.gate.selftest_corpus import VECTORS  # noqa: PLC0415 - not where nothing is tried

    right = task.target
    target = load_target(right.spec, Options(surface=right.surface, op_limit=_OP_LIMIT))
    try:
        *_, report = attack(target, Plan(VECTORS, task.profile, task.seed))
    finally:
        target.close()
    assert isinstance(report, Report)
    accusations = [one.id for one in report.findings if one.severity is Severity.ERROR]
    return RightRun(task.seed, report.verdict, tuple(accusations))

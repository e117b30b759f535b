"""
The suite shows its own credentials: faulty targets must be found out, right ones acquitted.

It yields events and prints nothing. The same seeds on the same tree give the same outcome, but
for times.
"""

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from statistics import median

from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Progress
from capfuzz.gate.selftest_tasks import (
    FaultRun,
    FaultTask,
    Kill,
    RightRun,
    RightTask,
    Run,
    Task,
    attempt,
    lost,
)
from capfuzz.gate.workers import done, preload
from capfuzz.targets.broken import FAULTS, Fault
from capfuzz.targets.right import RIGHT, Right
from capfuzz.targets.right.registry import Known
from capfuzz.targets.suggest import nearest

# Asked in the process itself, thousands of times a second; the others take a process or a server.
IN_PROCESS = ("session", "path", "host")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to show: the targets, the seeds, how much is tried, in how many processes."""

    faults: Sequence[Fault] = FAULTS
    rights: Sequence[Right] = RIGHT
    seeds: Sequence[int] = range(10)
    profile: str = "standard"
    jobs: int = 1

    def tasks(self) -> list[Task]:
        """Return every target with every seed."""
        faults = [FaultTask(one, seed, self.profile) for one in self.faults for seed in self.seeds]
        rights = [RightTask(one, seed, self.profile) for one in self.rights for seed in self.seeds]
        return [*faults, *rights]


@dataclass(frozen=True, slots=True)
class FaultResult:
    """What was seen of a faulty target, one run a seed."""

    fault: Fault
    runs: tuple[FaultRun, ...]

    @property
    def kills(self) -> list[Kill]:
        """The runs in which it was found out."""
        return [run.kill for run in self.runs if run.kill is not None]

    @property
    def killed(self) -> bool:
        """Whether it was found out with every seed."""
        return all(run.kill for run in self.runs)

    @property
    def survived(self) -> bool:
        """Whether it got through with some seed."""
        return any(run.measured and run.kill is None for run in self.runs)

    @property
    def longest(self) -> int:
        """The ops of the longest reproducer."""
        return max((kill.ops for kill in self.kills), default=0)

    @property
    def longer_than_needed(self) -> bool:
        """Whether a reproducer has more ops than the fault needs."""
        return self.longest > self.fault.max_ops_in_reproducer


@dataclass(frozen=True, slots=True)
class RightResult:
    """What was seen of a right target, one run a seed."""

    right: Right
    runs: tuple[RightRun, ...]

    @property
    def accused(self) -> bool:
        """Whether it was accused with some seed."""
        return any(run.accused for run in self.runs)

    @property
    def held(self) -> int:
        """With how many seeds nothing was held against it."""
        return sum(run.measured and not run.accused for run in self.runs)


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a self-test, in the order of the registries."""

    profile: str
    seeds: tuple[int, ...]
    faults: tuple[FaultResult, ...]
    rights: tuple[RightResult, ...]
    duration_s: float

    @property
    def results(self) -> tuple[FaultResult | RightResult, ...]:
        """The results of all targets."""
        return (*self.faults, *self.rights)

    @property
    def verdict(self) -> str:
        """``broken`` after a survivor or a false alarm, ``inconclusive`` without a measure."""
        if any(one.survived for one in self.faults) or any(one.accused for one in self.rights):
            return "broken"
        measured = self.seeds and (self.faults or self.rights) and not self.problems
        return "held" if measured else "inconclusive"

    @property
    def problems(self) -> tuple[str, ...]:
        """Why something was not measured, each reason once."""
        runs = [run for one in self.results for run in one.runs]
        return tuple(dict.fromkeys(run.problem for run in runs if not run.measured))

    @property
    def exit_status(self) -> int:
        """The exit status of the command."""
        return {"held": 0, "broken": 1, "inconclusive": 2}[self.verdict]

    @property
    def counts(self) -> dict[str, int]:
        """How many targets there are, and how many of each came out how."""
        return {
            "faults": len(self.faults),
            "killed": sum(one.killed for one in self.faults),
            "right": len(self.rights),
            "accused": sum(one.accused for one in self.rights),
            "longer_than_needed": sum(one.longer_than_needed for one in self.faults),
            "not_measured": sum(not all(run.measured for run in one.runs) for one in self.results),
        }

    @property
    def seconds_to_kill(self) -> tuple[float, float] | None:
        """The median and the worst of all kills; None where there is none."""
        seconds = [kill.seconds for one in self.faults for kill in one.kills]
        return (median(seconds), max(seconds)) if seconds else None


def label(target: Known) -> str:
    """Return the short name of a target, unique among those of its kind."""
    return f"{target.surface}:{target.name}"


def chosen(
    names: Sequence[str], surfaces: Collection[str] = IN_PROCESS
) -> tuple[tuple[Fault, ...], tuple[Right, ...]]:
    """
    Return the targets of these names, or without any those of the surfaces.

    Raises `UsageError` for an unknown name.
    """
    known = {name for one in (*FAULTS, *RIGHT) for name in _names(one)}
    for name in names:
        if name not in known:
            raise UsageError(f"--only {name}: no such target{_suggested(name)}")
    if not names:
        return (
            tuple(one for one in FAULTS if one.surface in surfaces),
            tuple(one for one in RIGHT if one.surface in surfaces),
        )
    wanted = set(names)
    return (
        tuple(one for one in FAULTS if wanted & _names(one)),
        tuple(one for one in RIGHT if wanted & _names(one)),
    )


def _names(target: Known) -> set[str]:
    """Return what a target may be called: its own name may stand for one of each surface."""
    return {target.name, label(target), target.spec}


def _suggested(name: str) -> str:
    """Return a clause that suggests a name, if one is close; all of them would be no line."""
    known = {label(one) if ":" in name else one.name for one in (*FAULTS, *RIGHT)}
    close = get_close_matches(name, known, n=1)
    return nearest(name, close) if close else ""


def selftest(plan: Plan) -> Iterator[Progress | Result]:
    """Attack every target with every seed; yield progress, at last the result."""
    preload("capfuzz.gate.selftest_tasks", "capfuzz.gate.selftest_corpus")
    started, tasks = time.perf_counter(), plan.tasks()
    totals, so_far = Counter(map(_stage, tasks)), Counter[str]()
    runs: dict[str, list[Run]] = {}
    for task, run in done(tasks, plan.jobs, attempt, lost):
        runs.setdefault(task.target.spec, []).append(run)
        stage = _stage(task)
        so_far[stage] += 1
        yield Progress(stage, so_far[stage], totals[stage])
    yield _result(plan, runs, time.perf_counter() - started)


def _stage(task: Task) -> str:
    kind = "faults" if isinstance(task, FaultTask) else "right"
    return f"{task.target.surface} {kind}"


def _result(plan: Plan, runs: Mapping[str, Iterable[Run]], seconds: float) -> Result:
    def of(target: Fault | Right) -> list[Run]:
        return sorted(runs.get(target.spec, ()), key=lambda run: run.seed)

    return Result(
        profile=plan.profile,
        seeds=tuple(plan.seeds),
        faults=tuple(
            FaultResult(one, tuple(run for run in of(one) if isinstance(run, FaultRun)))
            for one in plan.faults
        ),
        rights=tuple(
            RightResult(one, tuple(run for run in of(one) if isinstance(run, RightRun)))
            for one in plan.rights
        ),
        duration_s=seconds,
    )

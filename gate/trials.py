"""What is tried against a target: controls, corpus, comparisons, generated sequences."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing

from capfuzz.attacks.case import Surface
from capfuzz.attacks.invariants import judge
from capfuzz.gate.crew import Crew
from capfuzz.gate.events import Progress
from capfuzz.gate.log import Log, hung
from capfuzz.gate.plan import GENERATED, Plan
from capfuzz.gate.tasks import CORPUS, MOST_HANGS, Ground, Task, kind, run, waves
from capfuzz.targets.base import Target, TargetError


def trials(target: Target, plan: Plan, log: Log, crew: Crew | None = None) -> Iterator[Progress]:
    """
    Try everything that was asked for and note what is seen in ``log``.

    Without a crew it is all done in this process, and yields after every case or batch of cases,
    so that whoever has seen enough can stop. Raises `TargetError` where nothing can be measured.
    """
    ground = Ground(target, plan)
    honest = yield from _controls(ground, log)
    for tasks in waves(ground, honest, log):
        if log.hangs < MOST_HANGS:
            yield from _here(ground, tasks, log) if crew is None else _by(crew, ground, tasks, log)
    if log.checked["control-allowed"] == log.broken["control-allowed"]:
        log.remark("no honest op was allowed, so nothing that is refused proves anything")
    if log.hangs >= MOST_HANGS:
        log.remark(*_left_out(ground, log))


def _here(ground: Ground, tasks: list[Task], log: Log) -> Iterator[Progress]:
    for task in tasks:
        if log.hangs >= MOST_HANGS:
            return
        for done in task.perform(ground, log):
            yield Progress(task.stage, task.start + done, ground.totals[task.stage])


def _by(crew: Crew, ground: Ground, tasks: list[Task], log: Log) -> Iterator[Progress]:
    """Have tasks done elsewhere and merge what they found, in their order."""
    with closing(crew.each(tasks)) as answers:
        for task, answer in zip(tasks, answers, strict=True):
            log.merge(answer.result)
            log.notices += answer.notices
            yield Progress(task.stage, task.stop, ground.totals[task.stage])
            if log.hangs >= MOST_HANGS:
                return


def _left_out(ground: Ground, log: Log) -> Iterator[str]:
    """Yield a remark on what was not tried of a target that hung too often."""
    left = {
        "attacks": ground.totals[CORPUS] - log.tried["attacks"],
        "generated cases": ground.totals[GENERATED] - log.tried[GENERATED],
    }
    totals = (ground.totals[CORPUS], ground.totals[GENERATED])
    parts = [
        f"{count} of {total} {what}"
        for (what, count), total in zip(left.items(), totals, strict=True)
        if count
    ]
    if parts:
        yield f"{' and '.join(parts)}: left out, since {log.hangs} ops ran into the time limit"


def _controls(ground: Ground, log: Log) -> Generator[Progress, None, tuple[int, ...]]:
    """
    Try honest work first; remark for which kinds of op nothing can be measured.

    Returns the numbers of those controls that were the first of their kind to pass.
    """
    honest: dict[str, int | None] = {}
    for number, (vector, case) in enumerate(ground.controls):
        trace = run(ground.target, case)
        if hung(trace):
            raise TargetError(
                f"{ground.target.spec}: hung on {case.ops[0]!r}, an honest op ({vector.id}); "
                "raise --op-timeout if it is only slow"
            )
        judgement = judge(trace)
        log.add(trace, judgement)
        if honest.get(kind(case)) is None:
            honest[kind(case)] = None if judgement.breaches else number
        log.tried["controls"] += 1
        yield Progress("controls", number + 1, len(ground.controls))
    _judge_controls(ground, honest, log)
    return tuple(number for number in honest.values() if number is not None)


def _asked_back(surface: Surface) -> str:
    """Return what to look at where no honest op of a surface was answered rightly."""
    if surface is Surface.COMMAND:
        return "does the sandbox run the probe, and open to it what it is granted?"
    return "does the function take these arguments, and serve this root or host?"


def _judge_controls(ground: Ground, honest: Mapping[str, int | None], log: Log) -> None:
    passed = [number for number in honest.values() if number is not None]
    if not honest and ground.target.surface is Surface.COMMAND:
        raise TargetError(
            f"{ground.target.spec}: of what was chosen nothing can be asked of it; "
            "name another family, or none for all of them"
        )
    if ground.target.surface is not Surface.SESSION and not passed:
        raise TargetError(
            f"{ground.target.spec}: no honest {ground.target.surface} was answered rightly, so "
            f"nothing can be measured; {_asked_back(ground.target.surface)}"
        )
    log.remark(
        *(
            f"{kind}: every control was refused, so nothing that is refused proves anything"
            for kind, number in sorted(honest.items())
            if number is None
        )
    )

"""
What finds the faults: the corpus and the strategies beside what people would use without them.

Every shipped faulty session, path and host target is attacked by plain text, by a traversal list,
by a host list, by the strategies alone, and by corpus and strategies. All have the same number of
cases, the same world and the same judge. Exit status: 0, or 2 where something could not be measured.
"""

import argparse
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from capfuzz.attacks.invariants import judge
from capfuzz.gate.comparisons import RELATIONS, base_of, compare_once
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Progress
from capfuzz.gate.explore import explore
from capfuzz.gate.log import Log
from capfuzz.gate.plan import PROFILES, Plan
from capfuzz.gate.selftest import chosen
from capfuzz.gate.selftest_tasks import Kill, Trying, first_kill, op_limit
from capfuzz.gate.trials import trials
from capfuzz.gate.workers import cores, done, preload
from capfuzz.targets.base import Target
from capfuzz.targets.broken import Fault
from capfuzz.targets.spec import Options, load
from discovery_tables import markdown, text
from pythons import this_python
from rivals import SURFACES, Drawn, drawn, rivals
from rooms import suite
from tables import machine

STRATEGIES, EVERYTHING = "strategies", "corpus and strategies"
_COMPARED = 5  # one comparison in so many cases of a rival: twice as often as the strategies do
_MOST_HANGS = 2


@dataclass(frozen=True, slots=True)
class Task:
    """
    A faulty target, and by what it is attacked; ``drawn`` holds the cases of a rival.

    They are handed over: drawing them takes longer than trying them.
    """

    fault: Fault
    approach: str
    profile: str
    seed: int
    drawn: tuple[Drawn, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a task; ``tried`` is False where the approach has nothing for the surface."""

    kill: Kill | None = None
    tried: bool = True
    problem: str = ""


Keyed = tuple[tuple[str, str], Found]  # by spec and approach


def approaches() -> tuple[str, ...]:
    """Return what is compared, in the order of the table."""
    return (*rivals(), STRATEGIES, EVERYTHING)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    asked = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        faults = [one for one in chosen(asked.only)[0] if one.surface in SURFACES]
        found = dict(_attacked(faults, asked))
    except UsageError as error:
        return _say(f"cannot measure: {error}")
    except KeyboardInterrupt:
        return _say("interrupted; every process that was started has ended")
    print(text(faults, approaches(), found), end="")
    if asked.markdown:
        asked.markdown.write_text(
            markdown(faults, approaches(), found, _about(asked)), encoding="utf-8"
        )
    return 2 if any(one.problem for one in found.values()) else 0


def _attacked(faults: Sequence[Fault], asked: argparse.Namespace) -> Iterator[Keyed]:
    preload("capfuzz.gate.selftest_tasks", "capfuzz.gate.selftest_corpus")
    tasks = [
        task_for(fault, approach, asked.profile, asked.seed)
        for approach in approaches()
        for fault in faults
    ]
    for number, (task, found) in enumerate(done(tasks, asked.jobs, attempt, _lost), 1):
        if found.problem or number % 50 == 0:
            _say(f"[{number}/{len(tasks)}] {task.approach}: {task.fault.spec} {found.problem}")
        yield (task.fault.spec, task.approach), found


def task_for(fault: Fault, approach: str, profile: str, seed: int) -> Task:
    """Return a task with what it needs."""
    if approach not in rivals():
        return Task(fault, approach, profile, seed)
    cases = drawn(approach, fault.surface, PROFILES[profile].examples, seed)
    return Task(fault, approach, profile, seed, cases)


def attempt(task: Task) -> Found:
    """Attack until the fault is seen or everything was tried; raises `TargetError`."""
    fault = task.fault
    target = load(fault.spec, Options(surface=fault.surface, op_limit=op_limit(fault)))
    try:
        return _attempt(target, task)
    finally:
        target.close()


def _attempt(target: Target, task: Task) -> Found:
    if task.approach not in rivals():
        return Found(first_kill(target, task.fault, _ours(target, task)))
    adapted = [replace(one, case=case) for one in task.drawn if (case := target.adapt(one.case))]
    kill = first_kill(target, task.fault, _theirs(target, adapted))
    if kill is not None:  # the strategies draw while the clock runs
        kill = replace(kill, seconds=kill.seconds + adapted[kill.examples - 1].seconds)
    return Found(kill, tried=bool(adapted))


def _ours(target: Target, task: Task) -> Trying:
    if task.approach == EVERYTHING:
        from capfuzz.gate.selftest_corpus import VECTORS  # noqa: PLC0415 - not for the rivals

        return lambda log: trials(target, Plan(VECTORS, task.profile, task.seed), log)
    profile = PROFILES[task.profile]

    def strategies(log: Log) -> Iterator[Progress]:
        for count in explore(target, profile.examples, profile.max_ops, task.seed, log):
            yield Progress("generated", count, profile.examples)

    return strategies


def _theirs(target: Target, cases: Sequence[Drawn]) -> Callable[[Log], Iterator[Progress]]:
    def listed(log: Log) -> Iterator[Progress]:
        names = tuple(RELATIONS)
        for index, one in enumerate(cases):
            if log.hangs >= _MOST_HANGS:
                return
            trace = target.run(one.case)
            judgement = judge(trace)
            log.add(trace, judgement)
            turn, rest = divmod(index, _COMPARED)
            base = None if rest else base_of(target, trace, judgement)
            if base is not None:
                compare_once(base, names[turn % len(names)], turn, log)
            yield Progress("generated", index + 1, len(cases))

    return listed


def _lost(_task: Task, problem: str) -> Found:
    return Found(problem=problem)


def _about(asked: argparse.Namespace) -> dict[str, str]:
    examples = PROFILES[asked.profile].examples
    options = [f"--only {name}" for name in asked.only]
    options += [f"--profile {asked.profile}"] if asked.profile != "standard" else []
    options += [f"--seed {asked.seed}"] if asked.seed else []
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "suite": f"{suite()} on Python {'.'.join(map(str, this_python().version))}",
        "command": " ".join(["python benchmarks/detection/discovery.py", *options]),
        "cases": f"{examples} each (the corpus comes on top), seed {asked.seed}",
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="one fault")
    parser.add_argument("--profile", choices=["quick", "standard"], default="standard")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("-j", "--jobs", type=int, default=cores(), metavar="N")
    parser.add_argument("--markdown", type=Path, metavar="F", help="write the table as Markdown")
    return parser


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _say(line: str) -> int:
    print(line, file=sys.stderr, flush=True)
    return 2


if __name__ == "__main__":
    sys.exit(main())

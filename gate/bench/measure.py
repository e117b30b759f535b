"""One process's share of a measurement: every workload, timed in turn with the calibration."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from time import perf_counter_ns

from capfuzz.attacks.case import Case
from capfuzz.gate.bench.alone import Asking, Say
from capfuzz.gate.bench.paired import ratios
from capfuzz.gate.bench.subject import Opened, Subject, opened, subject
from capfuzz.gate.bench.timing import (
    UNITS,
    calls_for,
    feeding,
    first_look,
    interleaved,
    rounds_for,
)
from capfuzz.gate.bench.workload import Workload, workloads
from capfuzz.gate.tasks import PATIENCE
from capfuzz.targets.base import TargetError
from capfuzz.targets.limits import time_limit
from capfuzz.targets.options import Options

_SAID = 120  # characters of an op in a remark
_FEWEST = 4  # ops in a block: enough to be spread over the grants
_SLOW = 100_000_000  # nanoseconds an op; a block of those would take too long
_OVER = f"over {_SLOW / 1e6:g} ms an op"
_GRACE = 10.0  # seconds beyond the time limit of an op, until it counts as stuck
_LONG = 5.0  # seconds that making a target may take, or it is given no larger grant


@dataclass(frozen=True, slots=True)
class Task:
    """
    What one process is to time.

    ``against`` names a second target, timed in turn with the first. ``calls`` says how many
    calls make a block of a workload, where that has been settled before. ``only`` is a set of
    names of workloads, empty for all, and ``skipped`` one of those that are left out.
    """

    spec: str
    options: Options
    sizes: tuple[int, ...]
    rounds: int
    against: str | None = None
    only: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    calls: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    """
    One workload in one process, a value a round.

    ``nanoseconds`` an op, ``units``: the same by the calibration's unit in the same round, and
    ``paired``: by the op of the other target, where there is one.
    """

    name: str
    kind: str
    group: str
    size: int
    allowed: bool
    calls: int
    nanoseconds: tuple[float, ...]
    units: tuple[float, ...]
    paired: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Hung:
    """
    An op that was not answered: its workload, and its place among the ops of that.

    ``hostile``: a near miss, asked of the target itself, not of the one that it is compared with.
    """

    workload: str
    index: int
    hostile: bool


@dataclass(frozen=True, slots=True)
class Share:
    """What one process measured, what it could not, and the hostile ops that hang."""

    samples: tuple[Sample, ...]
    remarks: tuple[str, ...]
    hung: tuple[Hung, ...] = ()


def measure(task: Task, say: Say) -> None:
    """Say what is measured of a task in this process."""
    say(measured(task, say))


def measured(task: Task, say: Say = lambda _: None) -> Share:
    """Time everything that the task names; raises `TargetError` where numbers would be wrong."""
    with ExitStack() as stack:
        subjects = [_loaded(task.spec, task.options, stack)]
        if task.against is not None:
            subjects.append(_loaded(task.against, task.options, stack))
        bench = _Bench(task, subjects, say)
        samples = tuple(bench.samples())
        return Share(samples, tuple(dict.fromkeys(bench.remarks)), tuple(bench.hung))


def _loaded(spec: str, options: Options, stack: ExitStack) -> Subject:
    loaded = subject(spec, options)
    stack.callback(loaded.target.close)
    return loaded


class _UnsuitableError(Exception):
    """A workload that the target cannot be timed on; says why, unless that has been said."""


class _Bench:
    def __init__(self, task: Task, subjects: list[Subject], say: Say) -> None:
        self._task = task
        self._subjects = subjects
        self._say = say
        self._refused: set[str] = set()  # kinds of which no honest op is allowed
        self._open: set[str] = set()  # kinds of which a near miss is allowed
        self._too_slow: set[tuple[str, bool, str]] = set()  # kind, allowed, group
        self._process = os.getpid()
        self.remarks: list[str] = []
        self.hung: list[Hung] = []

    def samples(self) -> Iterator[Sample]:
        for workload in workloads(self._task.sizes):
            if not self._is_wanted(workload.name) or self._is_left_out(workload):
                continue
            try:
                sample = self._timed(workload)
            except _UnsuitableError as why:
                self.remarks += filter(None, why.args)
            else:
                if sample is not None:
                    yield sample

    def _is_wanted(self, name: str) -> bool:
        return name not in self._task.skipped and (not self._task.only or name in self._task.only)

    def _is_left_out(self, workload: Workload) -> bool:
        """Tell whether what this one is like was refused, or took too long for one more try."""
        groups = ("kind", workload.group)
        slow = any((workload.kind, workload.allowed, one) in self._too_slow for one in groups)
        return slow or workload.kind in self._refused

    def _timed(self, workload: Workload) -> Sample | None:
        case = workload.case
        cases = [one.target.adapt(case) for one in self._subjects]
        adapted = [case for case in cases if case is not None]
        if len(adapted) < len(cases):
            return None
        with ExitStack() as stack:
            ready = self._opened(workload, adapted, stack)
            asked = [
                self._warm(workload, *pair) for pair in zip(self._subjects, ready, strict=True)
            ]
            calls = self._task.calls.get(workload.name) or calls_for(min(asked), _FEWEST)
            blocks = [feeding(one.ask, one.inputs, calls) for one in ready]
            rounds = rounds_for(calls * sum(asked), self._task.rounds)
            unit, *times = interleaved(blocks, rounds)
            for one, target in zip(ready, self._subjects, strict=True):
                self._check(workload, target, one)
        return _sample(workload, calls, unit, times)

    def _opened(self, workload: Workload, cases: list[Case], stack: ExitStack) -> list[Opened]:
        pairs = zip(self._subjects, cases, strict=True)
        began = perf_counter_ns()
        ready = [stack.enter_context(opened(one, case)) for one, case in pairs]
        took = (perf_counter_ns() - began) / 1e9
        if took > _LONG:
            self._too_slow.add((workload.kind, workload.allowed, workload.group))
            self.remarks.append(
                f"{workload.name}: took {took:.0f} s to make, so none larger is tried"
            )
        return ready

    def _warm(self, workload: Workload, subject: Subject, ready: Opened) -> float:
        """Ask each op once and return what one took; raises where the answers are wrong."""
        self._look_for_hangs(workload, subject, ready)
        limit = subject.options.op_limit * len(ready.inputs)  # so slow that it is not timed
        nanoseconds = float(_SLOW)
        with time_limit(limit) as watch:
            self._begin(workload, ready)
            self._check(workload, subject, ready)
            nanoseconds = first_look(ready.ask, ready.inputs)
        if watch.expired or nanoseconds >= _SLOW:
            raise _UnsuitableError(f"{workload.name}: {_OVER}")
        return nanoseconds

    def _look_for_hangs(self, workload: Workload, subject: Subject, ready: Opened) -> None:
        """Ask every op under the time limit of one, the control first; raises where that is long."""
        began, ops = perf_counter_ns(), (*ready.inputs, ready.control)
        last = len(ready.inputs)
        for index in (last, *range(last)):
            hostile = index < last and not workload.allowed and subject is self._subjects[0]
            asked = Hung(workload.name, index, hostile)
            if not self._is_answered(asked, ops[index], subject, ready):
                raise self._unsuitable(workload, ops[index], ready, f"hangs on {_said(ops[index])}")
            if perf_counter_ns() - began > _SLOW * len(ops):
                raise self._unsuitable(workload, ops[index], ready, _OVER)

    def _is_answered(self, asked: Hung, op: object, subject: Subject, ready: Opened) -> bool:
        """Ask an op, a hostile one with more patience a second time; remember such a one that hangs."""
        for patience in (1.0, PATIENCE) if asked.hostile else (1.0,):
            limit = patience * subject.options.op_limit
            self._say(Asking(asked, limit + _GRACE))
            with time_limit(limit) as watch:
                _asked(ready, op)
            if os.getpid() != self._process:  # a copy of this process that the target made
                os._exit(0)
            self._say(None)
            if not watch.expired:
                return True
        if asked.hostile:
            self.hung.append(asked)
        return False

    def _unsuitable(
        self, workload: Workload, op: object, ready: Opened, why: str
    ) -> _UnsuitableError:
        """Remember what took too long; where the control did, nothing of its kind is tried."""
        self._too_slow.add((workload.kind, workload.allowed, workload.group))
        if op is ready.control and workload.group == "kind":
            self._refused.add(workload.kind)
        return _UnsuitableError(f"{workload.name}: {why}")

    def _check(self, workload: Workload, subject: Subject, ready: Opened) -> None:
        """Raise where an op, or the control after them, is not answered as it should be."""
        wrong = next((op for op in ready.inputs if _asked(ready, op) is not workload.allowed), None)
        if wrong is not None and not workload.allowed:
            raise _UnsuitableError(self._near_miss(workload, wrong))
        if wrong is None and _asked(ready, ready.control):
            return
        raise TargetError(
            f"{subject.target.spec}: {workload.name}: an honest op was refused, or is by now "
            f"({_said(ready.control if wrong is None else wrong)}); does it halt? Timed like this, "
            "the numbers would mean nothing"
        )

    def _begin(self, workload: Workload, ready: Opened) -> None:
        """Leave a kind out of which not even the first honest op is allowed."""
        if workload.group == "kind" and not _asked(ready, ready.control):
            self._refused.add(workload.kind)
            raise _UnsuitableError(f"{workload.kind}: every honest op was refused")

    def _near_miss(self, workload: Workload, op: object) -> str | None:
        if workload.kind in self._open:
            return None
        self._open.add(workload.kind)
        return f"{workload.kind}: {_said(op)} was allowed, so a denial like it cannot be timed"


def _said(op: object) -> str:
    text = repr(op)
    return text if len(text) <= _SAID else f"{text[:_SAID]}..."


def _asked(ready: Opened, op: object) -> bool:
    try:
        return ready.allows(ready.ask(op))
    except Exception:  # noqa: BLE001 - a session must not raise, and if it does it refuses
        return False


def _sample(workload: Workload, calls: int, unit: list[int], times: list[list[int]]) -> Sample:
    head, *base = times
    each = [spent / calls for spent in head]
    return Sample(
        name=workload.name,
        kind=workload.kind,
        group=workload.group,
        size=workload.size,
        allowed=workload.allowed,
        calls=calls,
        nanoseconds=tuple(each),
        units=tuple(ratios([spent / UNITS for spent in unit], each)),
        paired=tuple(ratios(base[0], head)) if base else (),
    )

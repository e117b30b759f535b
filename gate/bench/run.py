"""``capfuzz bench``: time a target, hunt for what costs too much, and compare with before."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import IO

from capfuzz.attacks.vectors import load as load_vectors
from capfuzz.gate.bench import before as saved_before
from capfuzz.gate.bench import report, saved
from capfuzz.gate.bench.alone import StuckError, alone
from capfuzz.gate.bench.before import Saved
from capfuzz.gate.bench.faults import INVARIANT, findings
from capfuzz.gate.bench.hunt import Fault, hang
from capfuzz.gate.bench.interpreter import this_build
from capfuzz.gate.bench.measure import Hung, Share, Task, measure
from capfuzz.gate.bench.paired import Paired, across, middle
from capfuzz.gate.bench.report import Outcomes
from capfuzz.gate.bench.results import Change, Outcome, Row, judged, merged
from capfuzz.gate.bench.search import Errand, searched
from capfuzz.gate.bench.stretch import stretches
from capfuzz.gate.bench.subject import subject
from capfuzz.gate.bench.workload import MOST, sizes_to, workloads
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Progress, Report, Tally
from capfuzz.gate.report import files
from capfuzz.gate.report.out import own_stdout
from capfuzz.gate.report.terminal import Ticker
from capfuzz.gate.supervise import COULD_NOT_MEASURE, LOADING, Heart
from capfuzz.gate.tasks import PATIENCE
from capfuzz.targets.base import TargetError
from capfuzz.targets.options import Options
from capfuzz.targets.suggest import nearest
from rich.console import Console

_ROUNDS, _QUICK_ROUNDS = 101, 25
_PROCESSES = 3
_MORE = 2  # times as many processes again for what is undecided
_QUICK_MOST = 1_000  # granted roots or hosts
_STATUS = {"held": 0, "broken": 1, "inconclusive": COULD_NOT_MEASURE}


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line; ``fail_above`` is a fraction."""

    spec: str
    options: Options
    quick: bool = False
    only: tuple[str, ...] = ()
    save: str | None = None
    against: str | None = None
    fail_above: float = 0.05
    allow_other_build: bool = False
    json: str | None = None
    grants_up_to: int | None = None
    hunt: bool = True

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of granted roots and hosts that are tried."""
        return sizes_to(self.grants_up_to or (_QUICK_MOST if self.quick else MOST))

    @property
    def other(self) -> str | None:
        """The target to compare with; None where it is a file or nothing."""
        named = self.against is not None and (
            self.against == "engine" or self.against.startswith("py:")
        )
        return self.against if named else None


def check(request: Request) -> Saved | None:
    """Return the measurement of before, if one was named; raises `UsageError` before anything runs."""
    _check_names(request)
    for path in (request.json, request.save):
        if path is not None:
            files.check_writable(path)
    if request.against is None or request.other is not None:
        return None
    before = saved_before.load(request.against)
    differing = this_build().differs_from(before.build)
    if differing and not request.allow_other_build:
        raise UsageError(
            f"{request.against}: was measured by another build or machine, so nothing can be said "
            f"({'; '.join(differing)}); --allow-other-build compares all the same"
        )
    return before


def _check_names(request: Request) -> None:
    """Raise `UsageError` for names of files that would be taken for something else."""
    for option, name in (("--save", request.save), ("--against", request.against)):
        if name == "":
            raise UsageError(f"{option} is empty; name a file")
    if request.save == files.STDOUT:
        raise UsageError("--save -: the times go to a file; --json - writes to standard output")


def work(request: Request, before: Saved | None, heart: Heart) -> int:
    """Measure, report and return the exit status; raises `UsageError` and `TargetError`."""
    began = time.perf_counter()
    with own_stdout() as out, Ticker(Console(stderr=True)) as ticker:
        bench = _Bench(request, before, heart, ticker.show)
        outcomes = bench.outcomes()
        took = time.perf_counter() - began
        outcomes = replace(outcomes, hunt=replace(outcomes.hunt, duration_s=took))
        _publish(outcomes, request, out)
    return _STATUS[outcomes.verdict]


class _Bench:
    def __init__(
        self,
        request: Request,
        before: Saved | None,
        heart: Heart,
        tell: Callable[[Progress], None],
    ) -> None:
        self._request = request
        self._before = before
        self._heart = heart
        self._tell = tell
        heart.beat(LOADING)
        self._subject = subject(request.spec, request.options)
        heart.rest()
        self._surface = self._subject.target.surface
        self._vectors = load_vectors()
        self._timed, self._hunted = self._wanted()
        self._skipped: set[str] = set()  # workloads of which an op hung
        self._faults: list[Fault] = []

    def outcomes(self) -> Outcomes:
        request = self._request
        shares = self._measured() if self._timed is not None else []
        rows = merged(shares)
        if self._timed is not None and not rows and not self._faults:
            raise TargetError(f"{request.spec}: {'; '.join(_remarks(shares)) or 'nothing to time'}")
        changes = self._compared(rows)
        hunt = self._hunt(_remarks(shares))
        return Outcomes(
            hunt=hunt,
            build=this_build(),
            processes=len(shares),
            rows=rows,
            against=request.against,
            limit=request.fail_above,
            changes=changes,
        )

    def _wanted(self) -> tuple[frozenset[str] | None, frozenset[str] | None]:
        """Return which workloads and which techniques were asked for; empty is all, None none."""
        only = frozenset(self._request.only)
        if not only:
            return only, only if self._request.hunt else None
        timed = only & {one.name for one in workloads(self._request.sizes)}
        spelt = {one.technique for one in self._vectors} | {
            one.name for one in stretches(self._vectors)
        }
        for name in sorted(only - timed - spelt):
            known = {one.name for one in workloads(self._request.sizes)} | spelt
            raise UsageError(f"--only {name}: no such benchmark{nearest(name, known)[:200]}")
        if not timed and (self._request.against or self._request.save):
            raise UsageError(
                f"no benchmark is timed by --only {', '.join(sorted(only))}, "
                "so there is nothing to compare or save"
            )
        if only & spelt and not self._request.hunt:
            raise UsageError(
                f"--no-hunt leaves out what --only {', '.join(sorted(only & spelt))} asks for"
            )
        return timed or None, (only & spelt) or None

    def _measured(self) -> list[Share]:
        """Time everything in several processes, and what stays undecided in some more."""
        task = self._task()
        compares = self._request.against is not None
        once = self._request.quick and not compares and self._request.save is None
        processes = 1 if once else _PROCESSES
        shares = self._batch(task, processes, "timing")
        for _ in range(_MORE if compares else 0):
            changes = self._compared(merged(shares))
            open_ = {one.name for one in changes if one.outcome is Outcome.UNDECIDED}
            if not open_:
                break
            again = replace(self._settled(task, shares), only=frozenset(open_))
            shares += self._batch(again, processes, "again")
        return shares

    def _task(self) -> Task:
        return Task(
            spec=self._request.spec,
            options=self._request.options,
            sizes=self._request.sizes,
            rounds=_QUICK_ROUNDS if self._request.quick else _ROUNDS,
            against=self._request.other,
            only=self._timed or frozenset(),
            calls={} if self._before is None else self._before.calls,
        )

    def _batch(self, task: Task, processes: int, stage: str) -> list[Share]:
        shares: list[Share] = []
        for number in range(processes):
            shares.append(self._share(self._settled(task, shares)))
            self._tell(Progress(stage, number + 1, processes))
            if not shares[-1].samples:  # another process could time no more
                break
        return shares

    def _share(self, task: Task) -> Share:
        """Measure in a new process; in one more without it where an op could not be interrupted."""
        while True:
            task = replace(task, skipped=frozenset(self._skipped))
            try:
                share: Share
                (share,) = alone(measure, task, task.spec)
            except StuckError as stuck:
                asked: Hung = stuck.what
                if not asked.hostile:
                    raise TargetError(
                        f"{task.spec}: {asked.workload}: hung on an honest op, and was ended"
                    ) from stuck
                self._hang(asked, "nor could it be interrupted")
            else:
                for asked in share.hung:
                    self._hang(asked, f"nor within {PATIENCE:g} times that")
                return share

    def _hang(self, asked: Hung, more: str) -> None:
        """Count an op as a fault, and ask no process again for what is like its workload."""
        every = workloads(self._request.sizes)
        (mine,) = [one for one in every if one.name == asked.workload]
        like = [one for one in every if (one.kind, one.allowed) == (mine.kind, mine.allowed)]
        self._skipped |= {one.name for one in like if mine.group in {"kind", one.group}}
        limit, case = self._request.options.op_limit, mine.case
        case = replace(case, ops=(case.ops[asked.index],), techniques=(mine.name,))
        waited = f"within the limit of {limit:g} s, {more}"
        self._faults.append(hang(case, 0, 1e9 * limit, waited))

    def _settled(self, task: Task, shares: Sequence[Share]) -> Task:
        """Return the task with as many calls a block as before: a number that flips is noise."""
        found = {one.name: one.calls for share in shares for one in share.samples}
        return replace(task, calls={**found, **task.calls})

    def _compared(self, rows: Sequence[Row]) -> tuple[Change, ...]:
        """Return what has changed; raises `UsageError` where nothing can be compared."""
        if self._request.against is None or self._timed is None:
            return ()
        pairs = {row.name: self._paired(row) for row in rows}
        known = {name: pair for name, pair in pairs.items() if pair is not None}
        if not known:
            raise UsageError(f"{self._request.against}: has no benchmark that was timed now")
        limit = self._request.fail_above
        return tuple(judged(name, pair, limit) for name, pair in known.items())

    def _paired(self, row: Row) -> Paired | None:
        if self._before is None:
            return middle(row.paired) if row.paired else None
        then = self._before.ratios.get(row.name)
        return None if then is None else across(then, row.ratio)

    def _hunt(self, remarks: tuple[str, ...]) -> Report:
        counts = {"attacks": 0, "controls": 0, "generated": 0, "ops": 0}
        faults = self._faults
        request = self._request
        self._subject.target.close()
        if self._hunted is not None:
            errand = Errand(request.spec, request.options, request.quick, self._hunted)
            catch = searched(errand, self._tell)
            counts, faults = catch.counts, [*faults, *catch.faults]
        found = findings(faults, request.spec, self._surface, request.options)
        tried = counts["attacks"] + counts["controls"] + counts["generated"] + len(self._faults)
        return Report(
            spec=request.spec,
            surface=str(self._surface),
            seed=0,
            profile="quick" if request.quick else "standard",
            verdict="broken" if found else "held",
            counts=counts,
            invariants={INVARIANT: Tally(tried, len(faults), observable=tried > 0)},
            findings=found,
            duration_s=0.0,
            remarks=remarks,
        )


def _remarks(shares: Sequence[Share]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for share in shares for one in share.remarks))


def _publish(outcomes: Outcomes, request: Request, out: IO[str]) -> None:
    table_goes_out = request.json != files.STDOUT
    report.show(outcomes, Console(file=out) if table_goes_out else Console(stderr=True))
    if request.save is not None and outcomes.rows:
        files.write(request.save, saved.to_text(outcomes.rows, outcomes.build, request.spec))
    if request.json is not None and table_goes_out:
        files.write(request.json, report.to_text(outcomes))
    elif request.json is not None:
        out.write(report.to_text(outcomes))

"""``capfuzz fuzz``: controls first, then workers until the time is over or something is found."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from capfuzz.attacks.invariants import INVARIANTS
from capfuzz.attacks.vectors import load as load_vectors
from capfuzz.fuzz import corpus_files, outcome, saved, seeds
from capfuzz.fuzz.harness import HARNESSES, Harness
from capfuzz.fuzz.order import Order
from capfuzz.fuzz.pool import Pool
from capfuzz.fuzz.progress import Ticker
from capfuzz.gate.attack import replayable
from capfuzz.gate.campaign import Attacked, report
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Report
from capfuzz.gate.log import Log
from capfuzz.gate.plan import GENERATED, Plan
from capfuzz.gate.report import formats, terminal
from capfuzz.gate.report.out import own_stdout
from capfuzz.gate.supervise import LOADING, Heart
from capfuzz.gate.trials import trials
from capfuzz.gate.watched import Watched
from capfuzz.targets.base import Target, TargetError
from capfuzz.targets.options import Options
from capfuzz.targets.planted import scratch
from capfuzz.targets.spec import load
from rich.console import Console
from rich.text import Text

_POLL = 0.05  # seconds
_GRACE = 30.0  # seconds beyond the time, for a worker's start and end


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line; ``seconds`` of fuzzing in each worker."""

    harness: str
    spec: str
    options: Options
    seconds: float
    workers: int
    seed: int
    collect_all: bool
    seeded: bool
    corpus: Path | None
    findings: Path
    outputs: formats.Outputs


@dataclass(frozen=True, slots=True)
class Nothing:
    """What a harness attacks that asks no target: the suite's own reading of files."""

    spec: str
    surface: str = "files"
    unobservable: frozenset[str] = frozenset(INVARIANTS) - {"fail-closed", "deterministic"}


def check(request: Request) -> None:
    """Raise `UsageError` for what can be known to fail before anything runs."""
    formats.check(request.outputs)
    saved.prepare(request.findings)
    if request.corpus is not None and not request.corpus.is_dir():
        raise UsageError(f"--corpus {request.corpus}: is not a folder")
    if request.options.root is not None and request.workers > 1:
        raise UsageError("--root: only one worker can plant beside a folder; add --workers 1")


def work(request: Request, heart: Heart) -> int:
    """Fuzz, report, save; return the exit status. Raises `UsageError` and `TargetError`."""
    harness = HARNESSES[request.harness]
    with own_stdout() as out:
        heart.beat(LOADING)
        target = _target(request, harness)
        heart.rest()
        try:
            whole, inputs = _Campaign(request, harness, target, heart).run()
        finally:
            if target is not None:
                target.close()
        _publish(request, whole, saved.save(whole, harness.name, request.findings, inputs), out)
    return whole.exit_status


def _target(request: Request, harness: Harness) -> Target | None:
    if not harness.surfaces:
        return None
    target = load(request.spec, request.options)
    if target.surface not in harness.surfaces:
        known = " or ".join(harness.surfaces)
        raise UsageError(
            f"{request.spec}: the {harness.name} harness asks {known} targets, "
            f"and this is asked as {target.surface}; add --as {known}"
        )
    return target


def _publish(request: Request, whole: Report, files: list[Path], out: IO[str]) -> None:
    console = Console(stderr=True) if formats.goes_out(request.outputs) else Console(file=out)
    terminal.show(whole, console)
    for file in files:
        console.print(Text(f"saved: {file}"), soft_wrap=True)
    formats.publish(whole, request.outputs, out)


class _Campaign:
    """One run of the command."""

    def __init__(
        self, request: Request, harness: Harness, bare: Target | None, heart: Heart
    ) -> None:
        self._request = request
        self._harness = harness
        self._bare = bare
        self._target = bare and Watched(bare, heart, request.options.op_limit)
        self._base = scratch()
        self._started = time.perf_counter()

    def run(self) -> tuple[Report, dict[str, bytes]]:
        """Return the report, and the inputs that showed its findings."""
        seen = outcome.Seen(self._harness.name, self._target, self._bare, Log())
        self._try_controls(seen.log)
        with Pool(self._orders(), self._base) as pool, Ticker(Console(stderr=True)) as ticker:
            self._watch(pool, seen, ticker)
            ticker.show(pool.runs, pool.coverage, seen.faults, last=True)
        if seen.problems:
            raise TargetError(seen.problems[0].strip())
        seen.add_counts(pool)
        if not (pool.runs or seen.stops):
            seen.log.remarks.append(f"no input was tried: {pool.last_words()}")
        found = seen.findings(self._request.options.op_limit + _GRACE)
        attacked: Attacked = self._target or Nothing(self._harness.name)
        plan = Plan((), f"fuzz {self._harness.name}", self._request.seed, (GENERATED,))
        whole = report(attacked, seen.log, found, plan, self._started)
        return replayable(whole, self._request.options), seen.inputs

    def _try_controls(self, log: Log) -> None:
        """Show that honest work passes, without which nothing that is refused proves anything."""
        if self._target is None:
            if list(_faults_of_example()):
                log.remarks.append("an honest corpus file cannot be read")
            return
        vectors = [
            vector
            for vector in load_vectors()
            if vector.is_control and self._harness.tries(vector.case)
        ]
        families = tuple({vector.case.family for vector in vectors})
        for _ in trials(self._target, Plan(vectors, families=families), log):
            pass

    def _orders(self) -> list[Order]:
        request, surface = self._request, self._bare.surface if self._bare else None
        corpus, words = seeds.write(self._harness.name, surface, Path(self._base))
        if not request.seeded:
            for seed in corpus.iterdir():
                seed.unlink()
        return [
            Order(
                request.harness,
                request.spec,
                request.options,
                request.seconds,
                1 + request.seed * 1_009 + number,  # libFuzzer takes 0 for "by chance"
                f"{self._base}/{number}",
                tuple(map(str, filter(None, (request.corpus, corpus)))),
                str(words),
                request.collect_all,
            )
            for number in range(request.workers)
        ]

    def _watch(self, pool: Pool, seen: outcome.Seen, ticker: Ticker) -> None:
        limit = time.monotonic() + self._request.seconds + LOADING + _GRACE
        while not pool.over and time.monotonic() < limit:
            for event in pool.look():
                seen.take(event)
            if seen.problems or (seen.stops and not self._request.collect_all):
                return
            if ticker.due():
                ticker.show(pool.runs, pool.coverage, seen.faults)
            time.sleep(_POLL)
        if not pool.over:
            seen.log.remarks.append("a worker did not come to its end, and was ended")


def _faults_of_example() -> Iterator[object]:
    look = corpus_files.FileLook()
    for seed in seeds.seeds("corpus-file", None)[:2]:
        yield from look(seed)

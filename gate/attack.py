"""``capfuzz attack``: one target, one campaign, any number of reports."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from capfuzz.attacks.case import Case
from capfuzz.attacks.invariants import Severity
from capfuzz.attacks.trace import Trace
from capfuzz.attacks.vectors import CorpusError, Vector, load
from capfuzz.gate.baseline import Entry, applied, today
from capfuzz.gate.campaign import attack
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Progress, Report
from capfuzz.gate.report import formats, terminal
from capfuzz.gate.report.out import own_stdout
from capfuzz.gate.source import source_of
from capfuzz.gate.suggest import nearest
from capfuzz.gate.supervise import LOADING, Heart
from capfuzz.gate.trials import GENERATED, Plan
from capfuzz.strategies.cases import is_asked, is_generated
from capfuzz.targets.base import Target, limits_of
from capfuzz.targets.options import Options, as_words
from capfuzz.targets.planted import scratch
from capfuzz.targets.spec import load as load_target
from capfuzz.targets.spec import surface_of
from hypothesis.configuration import set_hypothesis_home_dir
from rich.console import Console

_GRACE = 30.0  # seconds beyond the time limits, planting included, until the parent steps in


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    spec: str
    options: Options
    profile: str
    seed: int
    families: tuple[str, ...]
    corpus: tuple[Path, ...]
    outputs: formats.Outputs
    fail_on: Severity
    baseline: tuple[Entry, ...] = ()


class Watched:
    """A target whose every run is announced to the supervising process."""

    def __init__(self, target: Target, heart: Heart, op_limit: float) -> None:
        self._target = target
        self._heart = heart
        self._op_limit = op_limit
        self.spec = target.spec
        self.surface = target.surface
        self.unobservable = target.unobservable
        self.limits = limits_of(target)
        self.adapt = target.adapt
        self.close = target.close

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Run the case; the promise covers the making of the target and every op's limit."""
        self._heart.beat(self._op_limit * patience * (len(case.ops) + 1) + _GRACE)
        trace = self._target.run(case, patience)
        self._heart.rest()
        return trace


def check(request: Request) -> None:
    """Raise `UsageError` for what can be known to fail before anything runs."""
    formats.check(request.outputs)


def work(request: Request, heart: Heart) -> int:
    """
    Run the campaign, write the reports and return the exit status.

    Raises `UsageError` and `capfuzz.targets.TargetError`.
    """
    set_hypothesis_home_dir(scratch())  # it would leave a folder where the user stands
    with own_stdout() as out:
        vectors = _vectors(request)
        heart.beat(LOADING)
        target = load_target(request.spec, request.options)
        heart.rest()
        try:
            report = _campaign(Watched(target, heart, request.options.op_limit), request, vectors)
        finally:
            target.close()
        _publish(report, request, out)
    return report.exit_status


def families_of(request: Request) -> list[str]:
    """Return the families that an attack will try; raises `UsageError` and `TargetError`."""
    surface = surface_of(request.spec, request.options)
    asked = {one.case.family for one in _vectors(request) if is_asked(surface, one.surfaces)}
    if is_generated(surface):
        asked.add(GENERATED)
    return sorted(asked & set(request.families) if request.families else asked)


def _vectors(request: Request) -> Sequence[Vector]:
    try:
        vectors = (*load(), *load(request.corpus)) if request.corpus else load()
    except CorpusError as error:
        raise UsageError(str(error)) from error
    known = {vector.case.family for vector in vectors} | {GENERATED}
    for family in request.families:
        if family not in known:
            raise UsageError(f"--family {family}: no such family{nearest(family, known)}")
    return vectors


def _campaign(target: Target, request: Request, vectors: Sequence[Vector]) -> Report:
    plan = Plan(vectors, request.profile, request.seed, request.families)
    console = Console(stderr=True)
    with terminal.Ticker(console) as ticker:
        for event in attack(target, plan):
            if isinstance(event, Progress):
                ticker.show(event)
            else:
                report = event
    report = replace(report, fail_on=request.fail_on, source=source_of(request.spec))
    return replayable(applied(report, request.baseline, today()), request.options)


def replayable(report: Report, options: Options) -> Report:
    """Add to each replay line the options without which the target would be asked otherwise."""
    words = as_words(options)
    findings = tuple(
        replace(one, replay=f"{one.replay} {shlex.join(words)}") for one in report.findings
    )
    return replace(report, findings=findings) if words else report


def _publish(report: Report, request: Request, out: IO[str]) -> None:
    table = Console(stderr=True) if formats.goes_out(request.outputs) else Console(file=out)
    terminal.show(report, table)
    formats.publish(report, request.outputs, out)

"""``capfuzz attack``: one target, one campaign, any number of reports."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from capfuzz.attacks.case import Surface
from capfuzz.attacks.invariants import Severity
from capfuzz.attacks.vectors import CorpusError, Vector, load
from capfuzz.gate.baseline import Entry, applied, kinds_accepted, today
from capfuzz.gate.campaign import attack
from capfuzz.gate.crew import Hands, crew_of
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Progress, Report
from capfuzz.gate.hand import Setup
from capfuzz.gate.plan import GENERATED
from capfuzz.gate.proof import control_of, told
from capfuzz.gate.report import formats, terminal
from capfuzz.gate.report.out import own_stdout
from capfuzz.gate.source import source_of
from capfuzz.gate.supervise import Heart
from capfuzz.gate.watched import load as load_target
from capfuzz.strategies.cases import is_asked, is_generated
from capfuzz.targets.base import Target
from capfuzz.targets.options import Options, as_words
from capfuzz.targets.planted import scratch
from capfuzz.targets.spec import surface_of
from capfuzz.targets.suggest import nearest
from hypothesis.configuration import set_hypothesis_home_dir
from rich.console import Console


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
    hands: Hands
    baseline: tuple[Entry, ...] = ()


def check(request: Request) -> None:
    """Raise `UsageError` for what can be known to fail before anything runs."""
    formats.check(request.outputs)


def work(request: Request, heart: Heart) -> int:
    """
    Run the campaign, write the reports and return the exit status.

    Raises `UsageError` and `capfuzz.targets.TargetError`.
    """
    with own_stdout() as out, attacked(request, heart) as (_, report):
        _publish(report, request, out)
    return report.exit_status


@contextmanager
def attacked(request: Request, heart: Heart) -> Iterator[tuple[Target, Report]]:
    """
    Run the campaign, and yield the target, which is closed afterwards, and the report.

    Raises `UsageError` and `capfuzz.targets.TargetError`.
    """
    set_hypothesis_home_dir(scratch())  # it would leave a folder where the user stands
    request.hands.check(request.options)
    setup = _setup(request)
    target = load_target(request.spec, request.options, heart)
    try:
        shown = control_of(target, heart)
        setup = replace(setup, unproven=shown.missed)
        yield target, told(_campaign(target, request, setup), shown)
    finally:
        target.close()


def families_of(request: Request) -> list[str]:
    """Return the families that an attack will try; raises `UsageError` and `TargetError`."""
    surface = surface_of(request.spec, request.options)
    asked = {one.case.family for one in vectors_of(request, surface)}
    if is_generated(surface) and (GENERATED in request.families or not request.families):
        asked.add(GENERATED)
    return sorted(asked)


def vectors_of(request: Request, surface: Surface) -> list[Vector]:
    """Return the vectors that were asked for and are about a surface; raises `UsageError`."""
    plan = _setup(request).plan()
    return [
        one
        for one in plan.vectors
        if is_asked(surface, one.surfaces) and plan.wants(one.case.family)
    ]


def _setup(request: Request) -> Setup:
    try:
        own = load(request.corpus) if request.corpus else ()
        shipped = load()
    except CorpusError as error:
        raise UsageError(str(error)) from error
    known = {vector.case.family for vector in (*shipped, *own)} | {GENERATED}
    for family in request.families:
        if family not in known:
            raise UsageError(f"--family {family}: no such family{nearest(family, known)}")
    return Setup(
        spec=request.spec,
        options=request.options,
        profile=request.profile,
        seed=request.seed,
        families=request.families,
        own=own,
        folder=os.getcwd(),
        path=tuple(sys.path),
    )


def _campaign(target: Target, request: Request, setup: Setup) -> Report:
    console = Console(stderr=True)
    plan = replace(setup.plan(), accepted=kinds_accepted(request.baseline, request.spec))
    with crew_of(request.hands, setup) as crew, terminal.Ticker(console) as ticker:
        for event in attack(target, plan, crew):
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

"""Attack one system after the other, and tell what became of each family."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from capfuzz.attacks.case import Surface
from capfuzz.attacks.vectors import Vector
from capfuzz.gate import attack
from capfuzz.gate.bench.interpreter import this_build
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Report
from capfuzz.gate.matrix import shown, writing
from capfuzz.gate.matrix.results import Cell, Matrix, Outcome, System
from capfuzz.gate.report import formats
from capfuzz.gate.report.out import own_stdout
from capfuzz.gate.supervise import Heart
from capfuzz.targets.base import AbsentError, Target, TargetError
from capfuzz.targets.sandboxes.registry import ADAPTERS, adapter_of
from capfuzz.targets.suggest import nearest
from capfuzz.targets.times import times_of
from rich.console import Console

_NAMES = "write one or more of capfuzz targets, with commas between"


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for: ``campaign`` is the attack on each; no ``specs`` mean every adapter."""

    specs: tuple[str, ...]
    campaign: attack.Request
    outputs: Sequence[tuple[str, str]]


def specs_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return each system that was named once; raises `UsageError` for one that nobody knows."""
    specs = tuple(dict.fromkeys(one.strip() for name in names for one in name.split(",")))
    if "" in specs:
        raise UsageError(f"--targets {','.join(names)!r}: a name is empty; {_NAMES}")
    for one in specs:
        try:
            known = adapter_of(one) is not None
        except TargetError as error:
            raise UsageError(f"--targets {one}: {error}") from None
        if not known:
            raise UsageError(f"--targets {one}: no such sandbox{nearest(one, ADAPTERS)}")
    return specs


def check(request: Request) -> None:
    """Raise `UsageError` for what can be known to fail before anything runs."""
    formats.check(request.outputs, "the matrix")
    attack.vectors_of(request.campaign, Surface.COMMAND)


def work(request: Request, heart: Heart) -> int:
    """Attack all, show and write the table, and return the exit status."""
    with own_stdout() as out:
        made = _matrix(request, heart, Console(stderr=True))
        texts = [(path, writing.FORMATS[name](made)) for name, path in request.outputs]
        shown.show(made, None if formats.goes_out(request.outputs) else out)
        formats.written(texts, out, "the matrix")
    return made.exit_status


def _matrix(request: Request, heart: Heart, console: Console) -> Matrix:
    names = request.specs or tuple(ADAPTERS)
    vectors = attack.vectors_of(request.campaign, Surface.COMMAND)
    systems = []
    for number, name in enumerate(names, 1):
        console.print(f"{name} ({number} of {len(names)})", highlight=False, markup=False)
        systems.append(_system(name, request.campaign, vectors, heart))
        if systems[-1].report is None:
            console.print(f"  {systems[-1].why_not}", highlight=False, markup=False)
    build = this_build()
    return Matrix(
        tuple(systems),
        request.campaign.profile,
        request.campaign.seed,
        f"{build.processor}, {build.system}, Python {build.version}",
        datetime.now(UTC).date().isoformat(),
        frozenset(request.specs),
    )


def _system(name: str, campaign: attack.Request, vectors: Sequence[Vector], heart: Heart) -> System:
    adapter = adapter_of(name)
    assert adapter is not None
    made = System(name, adapter.meaning)
    try:
        with attack.attacked(replace(campaign, spec=name), heart) as (target, report):
            return replace(
                made,
                version=adapter.version(),
                report=report,
                cells=dict(_cells(target, vectors, report)),
                cold_start=times_of(target).cold_start,
                answer=times_of(target).answer,
            )
    except AbsentError as error:
        _, reason = error.args
        return replace(made, why_not=reason)
    except TargetError as error:
        return replace(made, version=adapter.version(), why_not=str(error))


def _cells(target: Target, vectors: Sequence[Vector], report: Report) -> Iterator[tuple[str, Cell]]:
    """Yield a cell for each family that has something to ask of the target's surface."""
    whole, asked = _counts(vectors), _counts([one for one in vectors if target.adapt(one.case)])
    for family in sorted(whole.keys() | report.matrix.keys()):
        yield family, _cell(family, report, asked[family], whole[family])


def _counts(vectors: Sequence[Vector]) -> Counter[str]:
    return Counter(one.case.family for one in vectors)


def _cell(family: str, report: Report, asked: int, whole: int) -> Cell:
    tallies = report.matrix.get(family, {}).values()
    broken = sum(one.broken for one in tallies)
    if broken:
        outcome = Outcome.BROKEN
    elif whole and not asked:
        outcome = Outcome.NOT_EXPRESSIBLE
    elif report.remarks or not any(one.checked for one in tallies):
        outcome = Outcome.INCONCLUSIVE
    else:
        outcome = Outcome.HELD
    return Cell(outcome, asked, whole, broken)

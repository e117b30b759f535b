"""What a self-test showed, as tables for a person and as JSON for programs."""

import json
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import version
from statistics import median
from typing import Any

from capfuzz.gate.report.terminal import COLOURS
from capfuzz.gate.selftest import FaultResult, Result, RightResult, label
from capfuzz.gate.selftest_tasks import FaultRun, RightRun
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDE = 140  # columns that the whole table takes


def to_text(result: Result) -> str:
    """Return the JSON report as the text of a file."""
    return json.dumps(to_dict(result), indent=2) + "\n"


def to_dict(result: Result) -> dict[str, Any]:
    """Return the report as JSON values; the names hold exactly."""
    middle, worst = result.seconds_to_kill or (None, None)
    return {
        "tool": {"name": "capfuzz", "version": version("capfuzz")},
        "profile": result.profile,
        "seeds": list(result.seeds),
        "verdict": result.verdict,
        "counts": result.counts,
        "time_to_kill_s": {"median": _rounded(middle), "worst": _rounded(worst)},
        "faults": [_fault(one) for one in result.faults],
        "right": [_right(one) for one in result.rights],
        "duration_s": _rounded(result.duration_s),
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)


def _fault(result: FaultResult) -> dict[str, Any]:
    fault = result.fault
    return {
        "name": fault.name,
        "spec": fault.spec,
        "surface": str(fault.surface),
        "style": fault.style,
        "modelled_on": fault.modelled_on,
        "breaks": list(fault.breaks),
        "in_sequence": fault.in_sequence,
        "runs": [_fault_run(run, fault.max_ops_in_reproducer) for run in result.runs],
    }


def _fault_run(run: FaultRun, needed: int) -> dict[str, Any]:
    kill = run.kill
    return {
        "seed": run.seed,
        "killed": kill is not None,
        "invariant": kill and kill.invariant,
        "technique": kill and kill.technique,
        "examples": kill and kill.examples,
        "seconds": kill and _rounded(kill.seconds),
        "ops": kill and kill.ops,
        "ops_needed": needed,
        "source": kill and kill.source,
        "not_measured": _reason(run),
    }


def _right(result: RightResult) -> dict[str, Any]:
    right = result.right
    return {
        "name": right.name,
        "spec": right.spec,
        "surface": str(right.surface),
        "style": right.style,
        "runs": [
            {
                "seed": run.seed,
                "verdict": run.verdict,
                "findings": list(run.accusations),
                "not_measured": _reason(run),
            }
            for run in result.runs
        ],
    }


def _reason(run: FaultRun | RightRun) -> str | None:
    """Return why there is no outcome, in one line: the last of a traceback says it."""
    return run.problem.strip().splitlines()[-1] if run.problem else None


def show(result: Result, console: Console) -> None:
    """Print both tables, what could not be measured, and the summary."""
    if result.faults:
        console.print(_faults(result.faults, wide=console.width >= _WIDE))
    if result.rights:
        console.print(_rights(result.rights))
    for reason, names in _unmeasured(result).items():
        line = f"not measured: {reason} ({', '.join(names)})"
        console.print(Text(line, style="yellow"), soft_wrap=True)
    console.print(summary(result), soft_wrap=True)


def _unmeasured(result: Result) -> dict[str, list[str]]:
    """Return the targets that could not be measured, by reason."""
    names: dict[str, list[str]] = {}
    for one in result.results:
        target = one.fault if isinstance(one, FaultResult) else one.right
        for reason in dict.fromkeys(filter(None, map(_reason, one.runs))):
            names.setdefault(reason, []).append(label(target))
    return names


def _faults(results: Iterable[FaultResult], *, wide: bool) -> Table:
    table = Table(title="faulty targets", title_justify="left")
    for heading in ("fault", "found by", "style", "modelled on") if wide else ("fault, found by",):
        table.add_column(heading, overflow="fold")
    for heading in ("killed", "examples", "s", "ops"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        fault = result.fault
        named = [label(fault), _found_by(result)]
        words = [*named, fault.style, fault.modelled_on] if wide else ["\n  by ".join(named)]
        table.add_row(*words, *_numbers(result))
    return table


def _found_by(result: FaultResult) -> str:
    """Return the invariant and the technique that found it most often."""
    counted = Counter(f"{kill.invariant}, {kill.technique}" for kill in result.kills)
    return counted.most_common(1)[0][0] if counted else "-"


def _numbers(result: FaultResult) -> list[Text | str]:
    kills = result.kills
    return [
        _share(len(kills), len(result.runs), bad="red" if result.survived else "yellow"),
        f"{median(kill.examples for kill in kills):g}" if kills else "-",
        f"{median(kill.seconds for kill in kills):.2f}" if kills else "-",
        _ops(result),
    ]


def _ops(result: FaultResult) -> Text:
    text = f"{result.longest or '-'}/{result.fault.max_ops_in_reproducer}"
    return Text(text, style="yellow" if result.longer_than_needed else "")


def _share(part: int, whole: int, bad: str) -> Text:
    return Text(f"{part}/{whole}", style="green" if part == whole else bad)


def _rights(results: Iterable[RightResult]) -> Table:
    table = Table("target", "style", title="right targets", title_justify="left")
    table.add_column("held", justify="right")
    table.add_column("accused of")
    for result in results:
        accused = dict.fromkeys(id_ for run in result.runs for id_ in run.accusations)
        share = _share(result.held, len(result.runs), bad="red" if result.accused else "yellow")
        table.add_row(label(result.right), result.right.style, share, " ".join(accused) or "-")
    return table


def summary(result: Result) -> Text:
    """Return one line that says all that counts."""
    counts, seeds = result.counts, len(result.seeds)
    each = "1 seed" if seeds == 1 else f"each of {seeds} seeds"
    parts = [f"{counts['killed']} of {counts['faults']} faults killed with {each}"]
    parts.append(
        f"{sum(one.held == seeds for one in result.rights)} of {counts['right']} right targets held"
    )
    if counts["longer_than_needed"]:
        parts.append(f"{counts['longer_than_needed']} reproducers longer than needed")
    if counts["not_measured"]:
        parts.append(f"{counts['not_measured']} not measured")
    line = ", ".join(parts)
    if result.seconds_to_kill is not None:
        middle, worst = map(_seconds, result.seconds_to_kill)
        line += f"; median time to kill {middle}, worst {worst}"
    colour = COLOURS[result.verdict]
    return Text.assemble(
        (result.verdict, f"bold {colour}"), f": {line} ({result.duration_s:.0f} s)"
    )


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value < 1 else f"{value:.1f} s"

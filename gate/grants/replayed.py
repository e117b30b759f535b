"""``capfuzz replay TRANSCRIPT``: would this grant have contained that run, and which one would?"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from capfuzz.attacks.codec import op_to_json
from capfuzz.gate.errors import UsageError
from capfuzz.gate.grants.calls import hidden, ops_of
from capfuzz.gate.grants.tightest import Suggestion, tightest
from capfuzz.gate.grants.transcript import Transcript, read
from capfuzz.gate.grants.trial import Asked, Judged, Trial, tried
from capfuzz.gate.report.files import STDOUT, check_writable, write
from capfuzz.targets import grant_file, tool_map
from capfuzz.targets.given import short
from rich.console import Console
from rich.table import Table
from rich.text import Text

_COLOURS = {"allowed": "green", "refused": "red", "halted": "red"}
_LONG = 100  # characters of an op in the table


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asks about a run; ``kept`` or ``out`` tell its honest calls, by number."""

    source: str
    grant: str | None = None
    suggest: bool = False
    tool_map: str | None = None
    cwd: str | None = None
    kept: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    json: str | None = None


def replay(request: Request) -> int:
    """
    Print what the grant says of the run, and the tightest one if that is asked for.

    Returns 0 where every call lies inside the grant (and each one that is marked, outside), else
    1; without a grant 0 where the suggested one allows every honest call. Raises `UsageError` and
    `TargetError`.
    """
    if request.json is not None:
        check_writable(request.json)
    run = read(request.source)
    asked = _asked(run, request)
    trial = None
    if request.grant is not None:
        trial = tried(asked, grant_file.read(request.grant).grant())
    suggestion = tightest(asked, request.source) if request.suggest else None
    _tell(request, run, asked, trial, suggestion)
    if trial is not None:
        return 0 if trial.contained else 1
    return 1 if suggestion is not None and suggestion.left_out else 0


def _asked(run: Transcript, request: Request) -> tuple[Asked, ...]:
    doors = tool_map.from_file(request.tool_map) if request.tool_map else None
    marked = _marked(request, len(run.calls))
    return tuple(
        Asked(number, call, ops_of(call, doors, request.cwd), number in marked)
        for number, call in enumerate(run.calls, 1)
    )


def _marked(request: Request, calls: int) -> frozenset[int]:
    """Return the numbers of the calls that should be refused."""
    if request.kept and request.out:
        raise UsageError("--legitimate and --except: say the one or the other, not both")
    everything = frozenset(range(1, calls + 1))
    if request.kept:
        return everything - _numbers("--legitimate", request.kept, calls)
    return _numbers("--except", request.out, calls)


def _numbers(option: str, words: tuple[str, ...], calls: int) -> frozenset[int]:
    found: set[int] = set()
    for word in (part for several in words for part in several.split(",")):
        first, dash, last = word.partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not dash)):
            raise UsageError(f"{option} {short(word)}: write numbers of calls, as in 3 or 5-8")
        numbers = range(int(first), int(last or first) + 1)
        if not numbers or numbers[0] < 1 or numbers[-1] > calls:
            raise UsageError(f"{option} {short(word)}: the run has the calls 1 to {calls}")
        found.update(numbers)
    return frozenset(found)


def _tell(
    request: Request,
    run: Transcript,
    asked: tuple[Asked, ...],
    trial: Trial | None,
    suggestion: Suggestion | None,
) -> None:
    """Print the table, or leave standard output to what a script reads."""
    for_scripts = suggestion is not None or request.json == STDOUT
    console = Console(stderr=for_scripts)
    if trial is not None:
        _show(request, trial, console)
    for line in _unseen(run, asked):
        console.print(Text(line), soft_wrap=True)
    if suggestion is not None and request.json != STDOUT:
        write(STDOUT, suggestion.text)
    if request.json is not None:
        write(request.json, json.dumps(_as_json(run, trial, suggestion), indent=2) + "\n")


def _show(request: Request, trial: Trial, console: Console) -> None:
    table = Table("call", "line", "tool", "op", "decision", "reason")
    for one in trial.judged:
        asked, style = one.asked, _COLOURS[one.decision]
        op = short(json.dumps(op_to_json(one.op), ensure_ascii=False), _LONG)
        decision = Text(one.decision + (" (expected)" if one.asked.marked else ""), style)
        tool = Text(short(asked.call.tool, _LONG))
        table.add_row(str(asked.number), str(asked.call.line), tool, Text(op), decision, _why(one))
    console.print(table)
    counts = Counter(one.decision for one in trial.judged)
    told = ", ".join(f"{counts[word]} {word}" for word in _COLOURS)
    verdict = "contained" if trial.contained else "not contained"
    line = f"{verdict}: {len(trial.judged)} calls under {request.grant}: {told}"
    console.print(Text(line, "green" if trial.contained else "red"), soft_wrap=True)


def _why(one: Judged) -> Text:
    if one.allowed:
        return Text("the grant allows what should be refused" if one.asked.marked else "")
    return Text(f"{one.result.violation}: {one.result.detail}")


def _unseen(run: Transcript, asked: tuple[Asked, ...]) -> Iterator[str]:
    """Yield what was not judged, so that nobody takes it for contained."""
    for method, times in run.unjudged.items():
        yield f"not judged: {short(method)}, asked {times} times, which no op stands for"
    if all(one.call.output is None for one in asked):
        yield "not judged: max_output_bytes, as no answer was recorded"
    if all(one.call.tick is None for one in asked):
        yield "not judged: max_wall, as no ticks were recorded"
    carried = {(one.call.tool, name) for one in asked if (name := hidden(one.call, one.ops))}
    for tool, name in sorted(carried):
        yield (
            f"not judged: the path or URL that {short(tool)} has in {short(name)}; if it touches "
            "that, say how in --tool-map"
        )


def _as_json(run: Transcript, trial: Trial | None, suggestion: Suggestion | None) -> dict[str, Any]:
    whole: dict[str, Any] = {"calls": len(run.calls), "unjudged": run.unjudged}
    if trial is not None:
        whole["contained"] = trial.contained
        whole["used"] = {
            "ops": trial.ops,
            "output_bytes": trial.output_bytes,
            "ticks": trial.elapsed,
        }
        whole["decisions"] = [*map(_decision, trial.judged)]
    if suggestion is not None:
        whole["suggestion"] = suggestion.text
        whole["left_out"] = {str(number): why for number, why in suggestion.left_out.items()}
    return whole


def _decision(one: Judged) -> dict[str, Any]:
    return {
        "call": one.asked.number,
        "line": one.asked.call.line,
        "tool": one.asked.call.tool,
        "ops": [op_to_json(op) for op in one.asked.ops],
        "decision": one.decision,
        "reason": None if one.allowed else str(one.result.violation),
        "expected": not one.unexpected,
    }

"""Replays of what no case can say, and of cases that end the process; no fuzzer is needed."""

from typing import Any

from capfuzz.fuzz import deaths
from capfuzz.fuzz.harness import HARNESSES
from capfuzz.gate.errors import UsageError
from capfuzz.gate.replay import case_from
from capfuzz.gate.write_up import id_of
from capfuzz.targets.base import Target
from rich.console import Console
from rich.text import Text

_GRACE = 30.0  # seconds beyond the time limit of an op


def replay(source: dict[str, Any], target: Target, seconds: float, console: Console) -> int:
    """Show a finding again; return 1 if it is still there, else 0. Raises `UsageError`."""
    if "harness" in source:
        return _input(source, target, seconds + _GRACE, console)
    case = target.adapt(case_from(source))
    if case is None:
        raise UsageError(f"{target.spec}: a {target.surface} target cannot be asked this")
    return _told(deaths.of_case(target, case, seconds + _GRACE), console)


def _told(how: str | None, console: Console) -> int:
    console.print(Text(f"the process {how}" if how else "held"))
    return 0 if how is None else 1


def _input(source: dict[str, Any], target: Target, seconds: float, console: Console) -> int:
    harness = HARNESSES.get(source["harness"])
    try:
        data = bytes.fromhex(source["input"])
    except (LookupError, TypeError, ValueError) as error:
        raise UsageError(f"not an input to replay: {type(error).__name__}: {error}") from error
    if harness is None:
        raise UsageError(f"{source['harness']}: no such harness; one of {', '.join(HARNESSES)}")
    look = harness.look(target if harness.surfaces else None)
    how = deaths.death(lambda: look(data), seconds)
    if how is not None:
        return _told(how, console)
    faults = look(data)
    for fault in faults:
        id_ = id_of(harness.name, *fault.key)
        console.print(Text(f"{id_}: {fault.key.invariant} broken: {fault.observed}", style="red"))
    return 1 if faults else _told(None, console)

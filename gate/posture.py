"""``capfuzz posture``: which ways out of a sandbox stand open, seen and not taken."""

import json
from importlib.metadata import version
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.attacks.escapes import ESCAPES, SIGNS, Escape
from capfuzz.gate.errors import UsageError
from capfuzz.gate.report import files
from capfuzz.gate.report.out import own_stdout
from capfuzz.gate.supervise import Heart
from capfuzz.targets.allowances import Allowance, allowances
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.options import Options
from capfuzz.targets.posture import posture
from capfuzz.targets.spec import load, surface_of
from rich.console import Console
from rich.table import Table

_LONGEST = 120.0  # seconds that looking may take, starts of a slow sandbox included
_OUTCOMES = {True: "open", False: "not seen", None: "out of scope"}


def check(spec: str, options: Options, json_path: str | None) -> None:
    """Raise `UsageError` for what can be known to fail before anything runs."""
    if surface_of(spec, options) is not Surface.COMMAND:
        raise UsageError(f"{spec}: not a sandbox of the system; capfuzz targets lists them")
    if json_path is not None:
        files.check_writable(json_path)


def work(spec: str, options: Options, json_path: str | None, heart: Heart) -> int:
    """Look, show and write what was seen, and return the exit status; raises `TargetError`."""
    heart.beat(_LONGEST)
    target = load(spec, options)
    assert isinstance(target, CommandTarget)
    try:
        found, limits = posture(target), allowances(target)
    finally:
        target.close()
        heart.rest()
    text = json.dumps(as_json(spec, found, limits), indent=2) + "\n"
    with own_stdout() as out:
        if json_path == files.STDOUT:
            out.write(text)
        else:
            show(spec, found, limits, Console(file=out))
    if json_path not in {None, files.STDOUT}:
        files.write(json_path, text)
    return int(bool(found))


def outcome(one: Escape, found: dict[str, str]) -> str:
    """Return what is known of a scenario by the signs that were found."""
    return _OUTCOMES[None if one.sign is None else one.sign in found]


def show(spec: str, found: dict[str, str], limits: tuple[Allowance, ...], console: Console) -> None:
    """Print the scenarios in a table, and below it all evidence."""
    table = Table(title=f"{spec}: {len(ESCAPES)} ways out", title_justify="left")
    for column in ("layer", "scenario", "outcome", "what is not told"):
        table.add_column(column)
    for one in ESCAPES:
        table.add_row(one.layer, one.name, outcome(one, found), one.note)
    console.print(table)
    for sign in SIGNS:
        if sign.name in found:
            console.print(f"{sign.name}: {sign.meaning} ({found[sign.name]})", markup=False)
    for limit in limits:
        least = ", ".join(limit.limits) or "nothing is seen that limits it"
        console.print(f"limit of {limit.name}: {least} ({limit.used})", markup=False)
    told = f"open: {', '.join(found)}" if found else "nothing stands open that was looked for"
    console.print(told, markup=False)


def as_json(spec: str, found: dict[str, str], limits: tuple[Allowance, ...]) -> dict[str, Any]:
    """Return all of it for a program."""
    return {
        "tool": {"name": "capfuzz", "version": version("capfuzz")},
        "target": {"spec": spec},
        "verdict": "open" if found else "not seen",
        "signs": [
            {"name": one.name, "meaning": one.meaning, "evidence": found.get(one.name)}
            for one in SIGNS
        ],
        "scenarios": [
            {
                "name": one.name,
                "layer": one.layer,
                "sign": one.sign,
                "outcome": outcome(one, found),
                "note": one.note,
            }
            for one in ESCAPES
        ],
        "limits": [
            {"name": one.name, "limits": list(one.limits), "used": one.used} for one in limits
        ],
    }

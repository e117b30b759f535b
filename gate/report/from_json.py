"""A JSON report read back, for the commands that go on from one."""

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any

from capfuzz.attacks.invariants import Severity
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Acceptance, Finding, Report, Source, Tally, Told

_FINDING = tuple(one.name for one in fields(Finding) if one.name != "effects")


def read(path: str) -> Report:
    """Return the report that a file holds; raises `UsageError`."""
    try:
        return of_dict(json.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"{path}: not a report that `capfuzz attack --json` wrote: "
            f"{type(error).__name__}: {error}"
        ) from None


def of_dict(told: Mapping[str, Any]) -> Report:
    """Return the report that JSON values tell; whatever is wrong with them raises."""
    return Report(
        spec=told["target"]["spec"],
        surface=told["target"]["surface"],
        seed=told["seed"],
        profile=told["profile"],
        families=tuple(told["families"]),
        fail_on=Severity(told["fail_on"]),
        verdict=told["verdict"],
        counts=told["counts"],
        invariants=_row(told["invariants"]),
        matrix={family: _row(row) for family, row in told["matrix"].items()},
        findings=tuple(map(_finding, told["findings"])),
        accepted={name: _acceptance(one) for name, one in told["accepted"].items()},
        fixed=tuple(told["fixed"]),
        remarks=tuple(told["remarks"]),
        notices=tuple(told.get("notices", ())),
        limits=tuple(told.get("limits", ())),  # older reports have none
        source=None if told["source"] is None else Source(**told["source"]),
        duration_s=told["duration_s"],
    )


def _row(told: Mapping[str, Any]) -> dict[str, Tally]:
    return {name: Tally(**tally) for name, tally in told.items()}


def _finding(told: Mapping[str, Any]) -> Finding:
    values = {name: told[name] for name in _FINDING}
    values["severity"] = Severity(told["severity"])
    values["refs"] = tuple(told["refs"])
    values["seen"] = tuple((family, invariant) for family, invariant in told["seen"])
    values["steps"] = tuple(Told(**step) for step in told["steps"])
    return Finding(**values, effects=_kinds(told))


def _acceptance(told: Mapping[str, Any]) -> Acceptance:
    expires = None if told["expires"] is None else date.fromisoformat(told["expires"])
    return Acceptance(
        reason=told["reason"],
        owner=told["owner"],
        expires=expires,
        expired=told["expired"],
        effects=_kinds(told),
        also=tuple(told.get("also", ())),
    )


def _kinds(told: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the kinds of effect; older reports have none."""
    kinds = told.get("effects")
    return None if kinds is None else tuple(kinds)

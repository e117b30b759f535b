"""
The baseline: findings that a team lives with, each with a reason, an owner and a last day.

A file of TOML, or of JSON where its name ends so. An entry accepts one finding by its id, and as far
as it shows by kinds of effect that the entry has. Ids depend on what is broken and how, so a second
fault is never accepted along with the first.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from capfuzz.gate.effects import KINDS, in_order
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Acceptance, Finding, Report
from capfuzz.gate.plan import GENERATED, PROFILES
from capfuzz.targets.suggest import nearest

LIST = "accepted"  # the name of the list of entries
_ID = re.compile(r"CF-[0-9a-f]{10}")
_DEPTHS = list(PROFILES)  # from the shallowest


@dataclass(frozen=True, slots=True)
class Entry:
    """
    One accepted finding; ``expires`` is the last day (UTC) on which it is.

    ``target`` is the spec for which it is accepted, any if None. ``family`` and ``profile`` are those
    under which it was found; None where a person wrote the entry. ``effects`` are the kinds of effect
    for which it is accepted, any if None.
    """

    id: str
    reason: str
    owner: str
    expires: date | None = None
    target: str | None = None
    family: str | None = None
    profile: str | None = None
    effects: tuple[str, ...] | None = None

    def expired(self, today: date) -> bool:
        """Tell whether its last day is over."""
        return self.expires is not None and self.expires < today

    def acceptance(self, finding: Finding, day: date) -> Acceptance:
        """Return how it accepts its finding on a day, and what of it it does not."""
        also = () if self.effects is None else {*(finding.effects or ())}.difference(self.effects)
        return Acceptance(
            self.reason, self.owner, self.expires, self.expired(day), self.effects, in_order(also)
        )

    def concerns(self, spec: str) -> bool:
        """Tell whether it is about a target."""
        return self.target in {None, spec}


_FIELDS = tuple(Entry.__dataclass_fields__)
_OTHERS = {"expires", "effects"}  # than texts


def today() -> date:
    """Return the day by which entries expire: the same everywhere on earth."""
    return datetime.now(UTC).date()


def read(path: str) -> tuple[Entry, ...]:
    """Return the entries of a file; raises `UsageError` with file, entry and rule."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(
            f"{path}: no such baseline; `capfuzz baseline update {path}` writes one"
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path}: not UTF-8: {error}") from None
    return parsed(path, text)


def parsed(path: str, text: str) -> tuple[Entry, ...]:
    """Return the entries of a file with this text; raises `UsageError`."""
    form, parse = ("JSON", json.loads) if is_json(path) else ("TOML", tomllib.loads)
    try:
        whole = parse(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not {form}: {error}") from None
    raw = whole.get(LIST, []) if isinstance(whole, dict) else None
    if not isinstance(raw, list) or not whole.keys() <= {LIST}:
        raise UsageError(f"{path}: must hold nothing but a list of entries called {LIST}")
    entries = tuple(_entry(f"{path}: entry {number}", one) for number, one in enumerate(raw, 1))
    _refuse_twins(path, entries)
    return entries


def is_json(path: str) -> bool:
    """Tell whether a file of this name holds JSON; it is TOML otherwise."""
    return path.endswith(".json")


def applied(report: Report, entries: Iterable[Entry], day: date) -> Report:
    """Return the report with what ``entries`` accept on ``day``, and what they need not any more."""
    ours = [one for one in entries if one.concerns(report.spec)]
    found = {finding.id: finding for finding in report.findings}
    told = [(one.id, one.acceptance(found[one.id], day)) for one in ours if one.id in found]
    accepted = dict(sorted(told, key=lambda one: one[1].holds))  # of two for one, that which holds
    fixed = tuple(one.id for one in ours if one.id not in found and _would_be_found(one, report))
    return replace(report, accepted=accepted, fixed=fixed)


def kinds_accepted(entries: Iterable[Entry], spec: str) -> dict[str, tuple[str, ...]]:
    """Return by id of a finding the kinds of effect for which ``entries`` accept it, where told."""
    ours = (one for one in entries if one.concerns(spec))
    return {one.id: one.effects for one in ours if one.effects is not None}


def _would_be_found(entry: Entry, report: Report) -> bool:
    """
    Tell whether the campaign tried all that showed the finding of an entry.

    It did not where it left the entry's family out, drew fewer sequences than those that showed it, or
    could not measure something. Of an entry without a family, a campaign of all families tells.
    """
    if report.remarks or (entry.family is None and report.families):
        return False
    if entry.family not in {None, *report.matrix}:
        return False
    # The corpus is tried whole under every profile.
    drawn = entry.profile if entry.family in {None, GENERATED} else None
    return drawn is None or _DEPTHS.index(report.profile) >= _DEPTHS.index(drawn)


def _refuse_twins(path: str, entries: tuple[Entry, ...]) -> None:
    seen: set[tuple[str, str | None]] = set()
    for number, one in enumerate(entries, 1):
        if (one.id, one.target) in seen:
            raise UsageError(f"{path}: entry {number}: {one.id} is there twice; keep one of them")
        seen.add((one.id, one.target))


def _entry(where: str, raw: object) -> Entry:
    """Return an entry that keeps to the rules; raises `UsageError`."""
    if not isinstance(raw, dict):
        raise UsageError(f"{where}: must be a table with id, reason and owner")
    if isinstance(raw.get("id"), str):
        where = f"{where} ({raw['id'][:20]!r})"
    for key in raw:
        if key not in _FIELDS:
            raise UsageError(f"{where}: no such key: {key!r}{nearest(key, _FIELDS)}")
    texts = {key: _text(where, raw, key) for key in _FIELDS if key not in _OTHERS}
    if not _ID.fullmatch(texts["id"]):
        raise UsageError(f"{where}: id must be that of a finding, such as CF-0123456789")
    if texts["profile"] not in {None, *_DEPTHS}:
        raise UsageError(f"{where}: profile must be one of {', '.join(_DEPTHS)}")
    return Entry(
        **texts,
        expires=_day(where, raw.get("expires")),
        effects=_kinds(where, raw.get("effects")),
    )


def _text(where: str, raw: Mapping[str, Any], key: str) -> Any:
    """Return a text that is not blank; None for what may be missing."""
    value = raw.get(key)
    if value is None and key not in {"id", "reason", "owner"}:
        return None
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{where}: {key} must be a text that is not empty")
    return value


def _day(where: str, value: object) -> date | None:
    if value is None or type(value) is date:  # a datetime is a date, too, and says more
        return value
    with suppress(ValueError):
        if isinstance(value, str):
            return date.fromisoformat(value)
    raise UsageError(f"{where}: expires must be a day such as 2026-12-31")


def _kinds(where: str, value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or any(one not in KINDS for one in value):
        raise UsageError(f"{where}: effects must be a list of kinds of effect: {', '.join(KINDS)}")
    return tuple(value)

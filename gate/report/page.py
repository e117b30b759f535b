"""What the page of a report shows, worked out before it is drawn."""

import math
import shlex
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from capfuzz.attacks.invariants import INVARIANTS
from capfuzz.gate.events import Finding, Report, Tally, Told
from capfuzz.gate.report import lines

_SHADES = 4  # of a cell, by how much was checked or which share broke
_MOST_ROWS = 24  # drawn of one sequence; the replay line has them all
_LONG_REPLAY = 4_000  # characters of one line
_ALL_REPLAYS = 350_000  # characters of all of them: a page stays under one megabyte
_LANES = {"allowed": 0, "refused": 1, "halted": 2, "raised": 2, "hung": 2}
_LANE_WIDTH = 22
_SIGNS = {"allowed": "✓", "refused": "✕", "halted": "■", "raised": "!", "hung": "…"}
_CWE = "https://cwe.mitre.org/data/definitions/{}.html"
_CVE = "https://www.cve.org/CVERecord?id={}"


def said(report: Report) -> str:
    """Return what came out, in one sentence."""
    if not report.findings:
        return "Nothing that was tried broke an invariant."
    counts = severities(report)
    told = ", ".join(f"{count} {name}{'s' * (count != 1)}" for name, count in counts.items())
    accepted = sum(not report.fails(finding) for finding in report.findings)
    return f"{told}{f', of which {accepted} accepted' if accepted else ''}."


def severities(report: Report) -> dict[str, int]:
    """Return how many findings there are of each severity, the heaviest first."""
    return dict(Counter(str(finding.severity) for finding in report.findings))


class Cell(NamedTuple):
    """One family against one invariant; ``shade`` runs from 1 to 4, and is 0 where nothing was checked."""

    invariant: str
    tally: Tally | None
    shade: int


def columns(report: Report) -> list[Cell]:
    """Return what heads the heat map: each invariant over all families."""
    return [_cell(name, report.invariants.get(name)) for name in _names(report)]


def heat(report: Report) -> list[tuple[str, list[Cell]]]:
    """Return the rows of the heat map."""
    names = _names(report)
    return [
        (family, [_cell(name, row.get(name)) for name in names])
        for family, row in report.matrix.items()
    ]


def _names(report: Report) -> list[str]:
    return [name for name in INVARIANTS if name in report.invariants]


def _cell(name: str, tally: Tally | None) -> Cell:
    if tally is None or not tally.checked:
        return Cell(name, tally, 0)
    if tally.broken:
        return Cell(name, tally, max(1, math.ceil(_SHADES * tally.broken / tally.checked)))
    return Cell(name, tally, min(_SHADES, 1 + int(math.log10(tally.checked))))


@dataclass(frozen=True, slots=True)
class Row:
    """
    One op of a drawn sequence, or a number of equal ones.

    ``path`` is drawn over the whole height of the row, 100, from the lane before to the next;
    ``skipped`` counts the ops that are left out before this row.
    """

    step: Told
    count: int
    path: str
    sign: str
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding with all that is worked out for it."""

    finding: Finding
    state: str
    label: str
    standing: str
    families: tuple[str, ...]
    rows: tuple[Row, ...]
    links: tuple[tuple[str, str], ...]
    replay: str
    is_long: bool


def shown(finding: Finding, report: Report) -> Shown:
    """Return what the page shows of a finding."""
    is_long = len(finding.replay) > min(_LONG_REPLAY, _ALL_REPLAYS // len(report.findings))
    short = shlex.join(["capfuzz", "replay", f"report.json#{finding.id}", report.spec])
    known = report.accepted.get(finding.id)
    return Shown(
        finding=finding,
        state="new" if report.fails(finding) else "accepted",
        label="" if known is None else lines.state(known),
        standing=lines.standing(finding, report),
        families=families(finding),
        rows=tuple(_rows(finding.steps)),
        links=tuple((ref, _link(ref)) for ref in (finding.cwe, *finding.refs)),
        replay=short if is_long else finding.replay,
        is_long=is_long,
    )


def families(finding: Finding) -> tuple[str, ...]:
    """Return the families that showed a finding."""
    return tuple(dict.fromkeys((finding.family, *(family for family, _ in finding.seen))))


def _link(ref: str) -> str:
    """Return where to read about a reference; empty where that is not known."""
    if ref.startswith("CWE-"):
        return _CWE.format(ref.removeprefix("CWE-"))
    if ref.startswith("CVE-"):
        return _CVE.format(ref)
    return ref if ref.startswith("https://") else ""


def _rows(steps: tuple[Told, ...]) -> list[Row]:
    equal = [(step, len(list(same))) for step, same in groupby(steps)]
    half = _MOST_ROWS // 2
    skipped = sum(count for _, count in equal[half:-half]) if len(equal) > _MOST_ROWS else 0
    kept = [*equal[:half], *equal[-half:]] if skipped else equal
    lanes = [_LANES[step.outcome] for step, _ in kept]
    return [
        Row(
            step=step,
            count=count,
            path=_path(lanes, index),
            sign=_SIGNS[step.outcome],
            skipped=skipped if index == half else 0,
        )
        for index, (step, count) in enumerate(kept)
    ]


def _path(lanes: list[int], index: int) -> str:
    """Return the line through one row, as the path of an SVG."""
    here = _x(lanes[index])
    before = f"M{(_x(lanes[index - 1]) + here) // 2} 0" if index else f"M{here} 50"
    after = f"L{(here + _x(lanes[index + 1])) // 2} 100" if index + 1 < len(lanes) else ""
    return f"{before}L{here} 50{after}"


def _x(lane: int) -> int:
    return _LANE_WIDTH // 2 + lane * _LANE_WIDTH

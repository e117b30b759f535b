"""Who found which faults, as a table by surface and style of the faulty part."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Protocol

from capfuzz.gate.selftest import label
from capfuzz.gate.selftest_tasks import Kill
from capfuzz.targets.broken import Fault

Row = tuple[str, ...]


class Outcome(Protocol):
    """What an approach made of a fault."""

    @property
    def kill(self) -> Kill | None:
        """How it was found out, None where it was not."""

    @property
    def tried(self) -> bool:
        """Whether the approach has anything for the surface."""

    @property
    def problem(self) -> str:
        """Why there is no outcome, empty where there is one."""


Outcomes = Mapping[tuple[str, str], Outcome]  # by spec and approach


def text(faults: Sequence[Fault], approaches: Sequence[str], found: Outcomes) -> str:
    """Return the table with aligned columns, and the remarks below."""
    table = [_headings(approaches), *rows(faults, approaches, found)]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
    return "\n".join([*lines, "", *remarks(faults, approaches, found)]).rstrip() + "\n"


def markdown(
    faults: Sequence[Fault], approaches: Sequence[str], found: Outcomes, about: Mapping[str, str]
) -> str:
    """Return the table for DISCOVERY.md, under what it was measured with."""
    head = "\n".join(f"- {name}: {value}" for name, value in about.items())
    headings = _headings(approaches)
    table = [headings, ("---",) * len(headings), *rows(faults, approaches, found)]
    body = "\n".join("| " + " | ".join(row) + " |" for row in table)
    notes = "".join(f"\n- {remark}" for remark in remarks(faults, approaches, found))
    return f"# What finds the faults\n\n{head}\n\n{body}\n{notes}".rstrip() + "\n"


def rows(faults: Sequence[Fault], approaches: Sequence[str], found: Outcomes) -> list[Row]:
    """Return a row a group of faults, one for all, and what a kill took in the middle."""
    kills = {approach: _kills(faults, approach, found) for approach in approaches}
    seconds = [_middle([kill.seconds for kill in kills[one]], ".2f") for one in approaches]
    examples = [_middle([kill.examples for kill in kills[one]], ".0f") for one in approaches]
    return [
        *(_row(name, group, approaches, found) for name, group in _groups(faults)),
        _row("all", faults, approaches, found),
        ("median seconds to kill", *seconds),
        ("median cases to kill", *examples),
    ]


def remarks(faults: Sequence[Fault], approaches: Sequence[str], found: Outcomes) -> list[str]:
    """Return what the numbers hide: who missed what, and what was not measured."""
    *rivals, _, ours = approaches
    missed = [label(fault) for fault in faults if not found[fault.spec, ours].kill]
    alone = [one for one in faults if not any(found[one.spec, rival].kill for rival in rivals)]
    said = [f"found by neither text nor list: {len(alone)} of {len(faults)}"]
    said += [f"missed by {ours}: {', '.join(missed)}"] if missed else []
    return said + [
        f"not measured: {spec} by {approach}: {one.problem.strip().splitlines()[-1]}"
        for (spec, approach), one in found.items()
        if one.problem
    ]


def _headings(approaches: Sequence[str]) -> Row:
    return ("faults", *approaches)


def _groups(faults: Sequence[Fault]) -> Iterator[tuple[str, list[Fault]]]:
    """Yield the faults that one op shows by surface and style, then those of a sequence."""
    for in_sequence in (False, True):
        names: dict[str, list[Fault]] = {}
        for fault in faults:
            if fault.in_sequence == in_sequence:
                tail = ", in sequence" if in_sequence else ""
                names.setdefault(f"{fault.surface}: {fault.style}{tail}", []).append(fault)
        yield from sorted(names.items())


def _row(name: str, group: Sequence[Fault], approaches: Sequence[str], found: Outcomes) -> Row:
    return (f"{name} ({len(group)})", *(_cell(group, approach, found) for approach in approaches))


def _cell(group: Sequence[Fault], approach: str, found: Outcomes) -> str:
    outcomes = [found[fault.spec, approach] for fault in group]
    if not any(one.tried for one in outcomes):
        return "-"
    return str(sum(one.kill is not None for one in outcomes))


def _kills(faults: Sequence[Fault], approach: str, found: Outcomes) -> list[Kill]:
    kills = [found[fault.spec, approach].kill for fault in faults]
    return [kill for kill in kills if kill is not None]


def _middle(values: Sequence[float], form: str) -> str:
    return format(median(values), form) if values else "-"

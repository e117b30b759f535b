"""
How fast the engine is: the goals, ratios first, then peers beside it.

Everything is measured in one run of one process, contenders taking turns. Exit status: 0 when every
goal is met, 1 when one is not, 2 when a peer is not installed and nothing was missed.
"""

import argparse
import os
import platform
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import costs
import goals
from capfuzz.gate.bench.interpreter import this_build
from costs import HOSTS, PATHS, Row
from goals import Goal

SHOWN = (1, 100, 10_000)  # rules in the tables of peers
_GROWTH = """\
*The same asked*: every grant is asked the same texts, granted and refused ones, so that only the grant
grows; these are the goals. *Any of them asked*: the texts are drawn from the whole grant. With many
entries no cache holds them, and what grows is the wait for memory: no check can do with less than one
look at an entry."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    asked = _parser().parse_args(arguments)
    _say("goals ...")
    found, growth = goals.measure(asked.rounds)
    _say("paths beside peers ...")
    paths = costs.table(PATHS, rounds=asked.rounds)
    _say("hosts beside peers ...")
    hosts = costs.table(HOSTS, rounds=asked.rounds)
    text = markdown(about(asked), found, growth, paths, hosts)
    print(text, end="")
    if asked.markdown:
        asked.markdown.write_text(text, encoding="utf-8")
    if asked.svg:
        from plot import draw_costs  # noqa: PLC0415 - only here matplotlib is needed

        draw_costs(asked.svg, paths)
    return status(found, [*paths, *hosts])


def status(found: Iterable[Goal], rows: Iterable[Row]) -> int:
    """Return the exit status."""
    if any(goal.met is False for goal in found):
        return 1
    return 2 if any(row.missing for row in rows) else 0


def markdown(
    head: dict[str, str],
    found: Sequence[Goal],
    growth: dict[str, dict[int, float]],
    paths: Sequence[Row],
    hosts: Sequence[Row],
) -> str:
    """Return the whole report."""
    parts = [
        "# How fast the engine is",
        "\n".join(f"- {name}: {value}" for name, value in head.items()),
        "## Goals",
        _table(("goal", "required", "measured", "met"), map(goal_row, found)),
        "## One check, by the size of the grant",
        _growth(growth),
        _GROWTH,
        "## Paths: peers, microseconds a path at so many rules, and times ours",
        _peers(paths, ("climbs, siblings and other text accepted", "links accepted")),
        "## Hosts: peers, microseconds a host at so many rules, and times ours",
        _peers(hosts, ("hosts or URLs accepted", "")),
    ]
    return "\n\n".join(parts) + "\n"


def goal_row(goal: Goal) -> tuple[str, ...]:
    """Return the cells of a goal."""
    sign = "≥" if goal.at_least else "≤"
    required = "-" if goal.bound is None else f"{sign} {_figure(goal.bound, goal.unit)}"
    met = {True: "yes", False: "**no**", None: "-"}[goal.met]
    return (goal.name, required, _figure(goal.measured, goal.unit), met)


def peer_row(row: Row, ours: Row) -> tuple[str, ...]:
    """Return the cells of a peer: its cost, how many times ours that is, and what it accepts."""
    if row.missing:
        return (row.name, row.missing, *("-",) * len(SHOWN), "-", "-")
    cells = [_cost(row.seconds.get(size), ours.seconds.get(size)) for size in SHOWN]
    return (row.name, row.edition, *cells, str(row.text or "-"), str(row.links or "-"))


def about(asked: argparse.Namespace) -> dict[str, str]:
    """Return what the figures were taken on and with."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()} {platform.release()}, {this_build().processor}, {os.cpu_count()} cores",
        "Python": build(),
        "suite": f"capfuzz {version('capfuzz')}",
        "command": "python benchmarks/speed/report.py"
        + (f" --rounds {asked.rounds}" if asked.rounds != goals.ROUNDS else ""),
        "clock": "processor time of the thread; contenders take turns, medians of "
        f"{asked.rounds} rounds, garbage collection off",
    }


def build() -> str:
    """Return which Python this is: version, compiler, and whether it was trained (PGO) and linked as a whole."""
    options = sysconfig.get_config_var("CONFIG_ARGS") or ""
    flags = " ".join(
        str(sysconfig.get_config_var(name) or "") for name in ("PY_CFLAGS", "PY_CORE_LDFLAGS")
    )
    trained = "--enable-optimizations" in options or "-fprofile-use" in flags
    whole = "--with-lto" in options or "-flto" in flags
    return (
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"{platform.python_compiler()}, {'PGO' if trained else 'no PGO'}, "
        f"{'LTO' if whole else 'no LTO'}"
    )


def _figure(value: float, unit: str) -> str:
    shown = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004
    return f"{shown}x" if unit == "x" else f"{shown} {unit}"


def _cost(seconds: float | None, ours: float | None) -> str:
    if seconds is None or ours is None:
        return "-"
    return f"{_figure(1e6 * seconds, 'µs').removesuffix(' µs')} ({_figure(seconds / ours, 'x')})"


def _growth(growth: dict[str, dict[int, float]]) -> str:
    sizes = sorted({size for of in growth.values() for size in of})
    headings = ("check", *(f"{size:,}" for size in sizes))
    rows = [
        (f"{name}, µs", *(f"{1e6 * of[size]:.3g}" if size in of else "-" for size in sizes))
        for name, of in growth.items()
    ]
    return _table(headings, rows)


def _peers(rows: Sequence[Row], accepts: tuple[str, str]) -> str:
    headings = ("", "version", *(f"{size:,}" for size in SHOWN), *accepts)
    cells = [peer_row(row, rows[0]) for row in rows]
    return _table(headings, cells) if accepts[1] else _table(headings[:-1], [c[:-1] for c in cells])


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--markdown", type=Path, metavar="F", help="write the report as Markdown")
    parser.add_argument("--svg", type=Path, metavar="F", help="draw cost against rules")
    parser.add_argument("--rounds", type=int, default=goals.ROUNDS, metavar="N")
    return parser


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

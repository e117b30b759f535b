"""
Draw cost against the number of grants, or the stored history of one benchmark, as SVG.

Colours are of middle lightness and the ground is left clear, so that a drawing can be read on a
light page and on a dark one.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

import costs
from costs import PATHS, Row

HERE = Path(__file__).parent
INK = "#727a84"  # text and axes
OURS = "#d1495b"
# Far apart from each other and from the ink, also to eyes that take red for green.
COLOURS = ("#3c82c8", "#b87d14", "#2f9270", "#9b6bd0", "#c9628f", "#6c8a1e", "#1f93a8", "#9a7150")
MARKERS = "osD^vPX*<>hp"


@dataclass(frozen=True, slots=True)
class Point:
    """One stored run: when, of which commit, and its median in seconds."""

    when: datetime
    commit: str
    seconds: float


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    asked = _parser().parse_args(arguments)
    if asked.what == "costs":
        draw_costs(asked.svg, costs.table(PATHS))
        return 0
    points = history(asked.name, asked.folder)
    if not points:
        known = ", ".join(sorted(names(asked.folder))) or "nothing"
        print(f"{asked.folder}: no {asked.name} in it; it holds {known}", file=sys.stderr)
        return 2
    draw_history(asked.svg, asked.name, points)
    return 0


def draw_costs(file: Path, rows: Sequence[Row]) -> None:
    """Draw microseconds a path against roots, ours first; what takes one root stands at the left."""
    figure, axes = _canvas("roots in the grant", "microseconds a path")
    axes.set(xscale="log", yscale="log")
    measured = [row for row in rows if row.seconds]
    for number, row in enumerate(measured):
        ours = row is measured[0]
        alone = len(row.seconds) == 1
        axes.plot(
            [0.3 + 0.05 * number] if alone else list(row.seconds),
            [1e6 * one for one in row.seconds.values()],
            label=f"{row.name} (one root)" if alone else row.name,
            color=OURS if ours else COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            linestyle="-" if number < len(COLOURS) else "--",
            linewidth=2.5 if ours else 1.3,
            zorder=3 if ours else 2,
        )
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
    _save(figure, file)


def draw_history(file: Path, name: str, points: Sequence[Point]) -> None:
    """Draw the median of each stored run, from the first to the last."""
    figure, axes = _canvas("stored runs, the oldest first", f"{name}, milliseconds")
    axes.plot(
        range(len(points)), [1e3 * one.seconds for one in points], color=OURS, marker="o", lw=2
    )
    labels = [f"{one.when:%Y-%m-%d}\n{one.commit[:7]}" for one in points]
    step = -(-len(points) // 10)  # more labels would cover each other
    axes.set_xticks(range(0, len(points), step), labels[::step])
    axes.set_ylim(0, 1.1e3 * max(one.seconds for one in points))
    _save(figure, file)


def history(name: str, folder: Path) -> list[Point]:
    """Return the stored runs of one benchmark, the oldest first."""
    points = [
        Point(datetime.fromisoformat(run["datetime"]), _commit(run), _median(one))
        for run in _runs(folder)
        for one in run["benchmarks"]
        if one["name"] == name
    ]
    return sorted(points, key=lambda point: point.when)


def names(folder: Path) -> set[str]:
    """Return the names of the benchmarks in a folder of stored runs."""
    return {one["name"] for run in _runs(folder) for one in run["benchmarks"]}


def contrast(colour: str, ground: str) -> float:
    """Return the contrast of two colours as WCAG 2.2 defines it, from 1 to 21."""
    light, dark = sorted((_luminance(colour), _luminance(ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]  # noqa: PLR2004
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _runs(folder: Path) -> list[dict[str, Any]]:
    """Return what pytest-benchmark stored below a folder, whatever machine it was on."""
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.rglob("*.json"))]


def _commit(run: Mapping[str, Any]) -> str:
    return str(run["commit_info"].get("id") or "no commit")


def _median(benchmark: Mapping[str, Any]) -> float:
    stats = benchmark["stats"]
    return float(stats["median"] if "median" in stats else median(stats["data"]))


def _canvas(across: str, up: str) -> tuple[Any, Any]:
    import matplotlib as mpl  # noqa: PLC0415 - the rest of this module works without

    mpl.use("svg")
    mpl.rcParams.update(
        {
            "svg.fonttype": "none",  # text stays text
            "svg.hashsalt": "capfuzz",  # the same figures give the same file
            "font.family": "sans-serif",
            "text.color": INK,
            "axes.edgecolor": INK,
            "axes.labelcolor": INK,
            "xtick.color": INK,
            "ytick.color": INK,
        }
    )
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(9, 5.5), layout="constrained")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(visible=True, color=INK, alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _save(figure: Any, file: Path) -> None:
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    plt.close(figure)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_subparsers(dest="what", required=True)
    costs_ = what.add_parser("costs", help="measure, and draw cost against the number of grants")
    costs_.add_argument("--svg", type=Path, default=HERE / "cost.svg", metavar="F")
    past = what.add_parser("history", help="draw one benchmark from stored runs")
    past.add_argument("name", metavar="NAME", help="as pytest-benchmark stores it")
    past.add_argument("folder", type=Path, metavar="DIR", help="such as .benchmarks")
    past.add_argument("--svg", type=Path, default=Path("history.svg"), metavar="F")
    return parser


if __name__ == "__main__":
    sys.exit(main())

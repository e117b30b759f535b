"""
Does the gate cry wolf, and does it bite? Asked of it again and again.

It compares the engine with itself, and with itself plus one scan of the path in the check, and says
how often it called which of the two slower. Exit status: 0 never the first and always the second.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from capfuzz.gate.bench.interpreter import this_build
from commits import decided, exit_status

_ENGINE = Path(__file__).resolve().parents[2] / "engine"
_CHECK = '        if "//" in below or'
_SCAN = '        if "%2e" in path or "//" in below or'
_LIMIT = 0.03
_SAID = {0: "held", 1: "slower", 2: "too noisy to say"}


def main() -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20, help="trials of each kind (20)")
    parser.add_argument("--markdown", type=Path, metavar="F", help="write what is printed, too")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="capfuzz-gate-") as folder:
        same, slowed = Path(folder, "same", "engine"), Path(folder, "slowed", "engine")
        shutil.copytree(_ENGINE, same)
        shutil.copytree(_ENGINE, slowed)
        _slow_down(slowed / "sandbox.py")
        kept = _trials(same, asked.times)
        caught = _trials(slowed, asked.times)
    text = _told(kept, caught, asked.times)
    print(text, end="")
    if asked.markdown:
        asked.markdown.write_text(text, encoding="utf-8")
    return 0 if kept.said == {0: asked.times} and caught.said == {1: asked.times} else 1


def _slow_down(sandbox: Path) -> None:
    text = sandbox.read_text(encoding="utf-8")
    if text.count(_CHECK) != 1:
        raise SystemExit(
            f"{sandbox.name} has changed: its check no longer begins with the double slash"
        )
    sandbox.write_text(text.replace(_CHECK, _SCAN), encoding="utf-8")


class _Trials(NamedTuple):
    said: Counter[int]
    greatest: float  # ratio


def _trials(head: Path, times: int) -> _Trials:
    said: Counter[int] = Counter()
    greatest = 0.0
    for number in range(times):
        found = decided(_ENGINE, head, _LIMIT)
        said[exit_status(found)] += 1
        greatest = max(greatest, *(one.paired.ratio for one in found))
        print(f"{head.parent.name} {number + 1}/{times}", file=sys.stderr, flush=True)
    return _Trials(said, greatest)


def _told(kept: _Trials, caught: _Trials, times: int) -> str:
    build = this_build()
    rows = [
        f"| {what} | {' | '.join(str(one.said[status]) for status in _SAID)} | {one.greatest:.3f} |"
        for what, one in (("the same code", kept), ("one scan added to the check", caught))
    ]
    lines = [
        "# The gate, tried",
        "",
        f"- date: {datetime.now(UTC).date().isoformat()}",
        f"- machine: {build.system}, {build.machine}, {build.processor}, {os.cpu_count()} cores",
        f"- Python: {build.version}, {build.compiler}, PGO: {'yes' if build.optimised else 'no'}",
        f"- command: python benchmarks/speed/trial.py --times {times}",
        f"- limit: {_LIMIT:.0%} within a run",
        "",
        f"| {times} runs with | {' | '.join(_SAID.values())} | greatest ratio |",
        "| --- | --- | --- | --- | --- |",
        *rows,
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())

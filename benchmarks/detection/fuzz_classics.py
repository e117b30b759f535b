"""
How soon ``capfuzz fuzz`` finds eleven classic faults: processor seconds of one core, three seeds.

Each is one of the shipped faulty targets. The whole command is timed: its start, the controls, the
worker and the minimising; ``--no-seeds`` starts from nothing, so that only the tables and coverage
lead there. Exit status: 0, 1 if one was not found within the limit, 2 if one could not be measured.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

FAULTS = {
    "prefix for boundary": ("path", "prefix_without_boundary"),
    "decode after check": ("path", "decode_after_check"),
    "backslash": ("path", "backslash_to_slash_after_check"),
    ".. only at the start": ("path", "dotdot_only_at_start"),
    "host case": ("host", "host_case_unfolded_unicode"),
    "off by one": ("sequence", "max_ops_off_by_one"),
    "effect before check": ("path", "write_before_check"),
    "no halt": ("sequence", "no_halt_after_hard"),
    "IPv4 spelling": ("host", "host_decimal_ip"),
    "NUL": ("path", "nul_truncates"),
    "NFKC": ("path", "nfkc_after_check"),
}
LIMIT = 10.0  # seconds of one core
_FUZZED = 30.0  # seconds of wall clock: a shared machine gives a process less than one core


class Run(NamedTuple):
    """One run of the command: what it found, in how many seconds of processor and of wall clock."""

    found: str
    runs: int
    processor: float
    wall: float
    status: int

    @property
    def in_time(self) -> bool:
        """Whether it found the fault soon enough."""
        return self.status == 1 and self.processor <= LIMIT


def attempt(harness: str, target: str, seed: int, *, seeded: bool, seconds: float = _FUZZED) -> Run:
    """Fuzz one faulty target until the first finding."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        words = [harness, f"py:capfuzz.targets.broken.session:{target}", "--seed", str(seed)]
        words += ["--time", str(seconds), "--json", str(report), "--findings", f"{folder}/found"]
        words += [] if seeded else ["--no-seeds"]
        before, began = _processor(), time.monotonic()
        done = subprocess.run(
            [Path(sys.executable).parent / "capfuzz", "fuzz", *words],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        wall, spent = time.monotonic() - began, _processor() - before
        if not report.exists():
            print(done.stderr[-1000:], file=sys.stderr)
            return Run("", 0, spent, wall, 2)
        whole = json.loads(report.read_text())
    errors = [one for one in whole["findings"] if one["severity"] == "error"]
    found = f"{errors[0]['id']} {errors[0]['invariant']}" if errors else "nothing"
    return Run(found, whole["counts"]["generated"], spent, wall, done.returncode)


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    parser.add_argument("--no-seeds", action="store_true", help="start from nothing")
    asked = parser.parse_args(arguments)
    print("| fault | seed | found | runs | processor s | wall s |")
    print("|---|--:|---|--:|--:|--:|")
    runs = []
    for name, (harness, target) in FAULTS.items():
        for seed in range(asked.seeds):
            run = attempt(harness, target, seed, seeded=not asked.no_seeds)
            runs.append(run)
            cells = (name, seed, run.found, run.runs, f"{run.processor:.1f}", f"{run.wall:.1f}")
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
    late = sum(not run.in_time for run in runs)
    print(f"\n{len(runs) - late} of {len(runs)} within {LIMIT:g} s of one core")
    return 2 if any(run.status == 2 for run in runs) else int(late > 0)  # noqa: PLR2004


if __name__ == "__main__":
    sys.exit(main())

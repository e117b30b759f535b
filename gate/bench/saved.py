"""
Saved measurements, in the JSON of pytest-benchmark, so that its ``compare`` reads them too.

What it has no place for stands where it leaves room: the interpreter's build in ``machine_info``,
the ratios to the calibration in each benchmark's ``extra_info``.
"""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median, quantiles, stdev
from typing import Any

from capfuzz.gate.bench.interpreter import Build
from capfuzz.gate.bench.results import Row

BUILD = "capfuzz_build"
_NANO = 1e-9  # seconds, in which the format counts
# The release of pytest-benchmark whose format this is.
_FORMAT = "5.1.0"


def to_text(rows: Sequence[Row], build: Build, spec: str) -> str:
    """Return a measurement as the text of a file."""
    whole = {
        "machine_info": _machine(build),
        "commit_info": _commit(),
        "benchmarks": [_benchmark(row, spec) for row in rows],
        "datetime": datetime.now(UTC).isoformat(),
        "version": _FORMAT,
        "capfuzz_version": version("capfuzz"),
    }
    return json.dumps(whole, indent=1) + "\n"


def _machine(build: Build) -> dict[str, Any]:
    return {
        "node": build.node,
        "processor": build.processor,
        "machine": build.machine,
        "python_compiler": build.compiler,
        "python_implementation": build.implementation,
        "python_implementation_version": build.version,
        "python_version": build.version,
        "python_build": build.built.split(" ", 1),
        "release": build.system.partition(" ")[2],
        "system": build.system.partition(" ")[0],
        "cpu": {"brand_raw": build.processor, "arch": build.machine},
        BUILD: asdict(build),
    }


def _benchmark(row: Row, spec: str) -> dict[str, Any]:
    return {
        "group": row.group,
        "name": row.name,
        "fullname": f"{spec}::{row.name}",
        "params": {"kind": row.kind, "size": row.size, "allowed": row.allowed},
        "param": str(row.size),
        "extra_info": {"spec": spec, "calls": row.calls, "ratios": list(row.units)},
        "options": {
            "disable_gc": True,
            "timer": "perf_counter_ns",
            "min_rounds": len(row.nanoseconds),
            "max_time": None,
            "min_time": None,
            "precision": None,
            "confidence": None,
            "warmup": True,
        },
        "stats": stats([one * _NANO for one in row.nanoseconds], row.calls),
    }


def stats(seconds: Sequence[float], calls: int) -> dict[str, Any]:
    """Return the numbers that pytest-benchmark keeps of rounds: seconds an iteration each."""
    ordered = sorted(seconds)
    low, _, high = quantiles(ordered, n=4, method="inclusive") if len(ordered) > 1 else ordered * 3
    spread, middle_, iqr = (stdev(ordered) if len(ordered) > 1 else 0.0), mean(ordered), high - low
    inner = [one for one in ordered if low - 1.5 * iqr <= one <= high + 1.5 * iqr]
    far = sum(abs(one - middle_) > spread for one in ordered)
    return {
        "min": ordered[0],
        "max": ordered[-1],
        "mean": middle_,
        "stddev": spread,
        "rounds": len(ordered),
        "median": median(ordered),
        "iqr": iqr,
        "q1": low,
        "q3": high,
        "iqr_outliers": len(ordered) - len(inner),
        "stddev_outliers": far,
        "outliers": f"{far};{len(ordered) - len(inner)}",
        "ld15iqr": inner[0],
        "hd15iqr": inner[-1],
        "ops": 1 / middle_,
        "total": sum(ordered),
        "data": list(seconds),
        "iterations": calls,
    }


def _commit() -> dict[str, Any]:
    """Return the commit of the folder where the command runs, as far as git knows one."""
    said = _git("log", "-1", "--format=%H%n%cI%n%aI%n%D")
    if said is None:
        return {"id": "unversioned", "time": None, "author_time": None, "dirty": False} | {
            "project": Path.cwd().name,
            "branch": "(unknown)",
        }
    commit, time, author_time, *_ = said.splitlines()
    return {
        "id": commit,
        "time": time,
        "author_time": author_time,
        "dirty": bool(_git("status", "--porcelain", "-uno")),
        "project": Path.cwd().name,
        "branch": (_git("rev-parse", "--abbrev-ref", "HEAD") or "(unknown)").strip(),
    }


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603
            ["git", *words],  # noqa: S607
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout

"""
What each engine of discovery finds in the same seconds of processor time.

Every shipped faulty session, path and host target is tried by the corpus, by the strategies, by
atheris from nothing, and by atheris through Hypothesis. Each target gets an equal share of the
budget; its clock starts once the target is loaded. Exit status: 0, or 2 where one was not measured.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from capfuzz.gate.selftest import chosen
from capfuzz.gate.workers import cores
from capfuzz.targets.broken import Fault
from engine_run import ENGINES
from pythons import this_python
from rooms import suite
from tables import machine

_BUDGETS = (10, 60, 600)  # seconds of processor time for all targets together
_RUN = Path(__file__).with_name("engine_run.py")
_LOADING = 60.0  # seconds beyond what is given
_SURFACES = ("session", "path", "host")

Found = Mapping[tuple[str, str], float | None]  # by spec and engine: seconds, None for not found


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="one fault")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("-j", "--jobs", type=int, default=cores(), metavar="N")
    parser.add_argument("--markdown", type=Path, metavar="F", help="write the table as Markdown")
    asked = parser.parse_args(arguments)
    faults, _ = chosen(asked.only, _SURFACES)
    share = max(_BUDGETS) / len(faults)
    tasks = [(fault, engine) for engine in ENGINES for fault in faults]
    with ThreadPoolExecutor(asked.jobs) as pool:
        told = pool.map(lambda task: _attempt(*task, share, asked.seed), tasks)
        outcomes = {
            (fault.spec, engine): one for (fault, engine), one in zip(tasks, told, strict=True)
        }
    failed = [key for key, one in outcomes.items() if isinstance(one, str)]
    for spec, engine in failed:
        print(f"not measured: {spec} by {engine}: {outcomes[spec, engine]}", file=sys.stderr)
    found = {key: None if isinstance(one, str) else one for key, one in outcomes.items()}
    table = _table(faults, found)
    print(table)
    if asked.markdown:
        asked.markdown.write_text(f"{_head(share, len(faults))}\n{table}\n", encoding="utf-8")
    return 2 if failed else 0


def _attempt(fault: Fault, engine: str, share: float, seed: int) -> float | str | None:
    """Return after how many seconds an engine found a fault, None if not, text if it failed."""
    command = [sys.executable, str(_RUN), engine, fault.spec, str(fault.surface), str(share)]
    try:
        done = subprocess.run(
            [*command, str(seed)],
            capture_output=True,
            text=True,
            check=False,
            timeout=_LOADING + 20 * share,
        )
        told: float | None = json.loads(done.stdout.splitlines()[-1])["seconds"]
    except (subprocess.TimeoutExpired, IndexError, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}"
    return told


def _table(faults: Sequence[Fault], found: Found) -> str:
    rows = [("engine", *(f"{budget} s" for budget in _BUDGETS), "of sequences, 600 s")]
    rows.append(("---",) + ("--:",) * len(rows[0][1:]))
    sequences = [one for one in faults if one.in_sequence]
    for engine in ENGINES:
        counts = [_count(faults, engine, found, budget, len(faults)) for budget in _BUDGETS]
        deep = _count(sequences, engine, found, max(_BUDGETS), len(faults))
        cells = [f"{count} of {len(faults)}" for count in counts]
        rows.append((engine, *cells, f"{deep} of {len(sequences)}"))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _count(faults: Sequence[Fault], engine: str, found: Found, budget: int, among: int) -> int:
    """Return how many faults an engine found within their shares of a budget."""
    seconds = [found[fault.spec, engine] for fault in faults]
    return sum(one is not None and one <= budget / among for one in seconds)


def _head(share: float, count: int) -> str:
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "suite": f"{suite()} on Python {'.'.join(map(str, this_python().version))}",
        "command": "python benchmarks/detection/engines.py",
        "budget": f"seconds of processor time for all {count} targets together, {share:.2f} s of 600 "
        "for each; loading a target is not counted",
    }
    lines = "\n".join(f"- {name}: {value}" for name, value in about.items())
    return f"# What each engine of discovery finds in the same time\n\n{lines}\n"


if __name__ == "__main__":
    sys.exit(main())

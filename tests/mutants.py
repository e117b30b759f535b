"""
Tell which mutants survived, and which of them are not listed as equivalent.

Usage: mutants.py LISTED DUMP ... Each line of LISTED names an equivalent mutant, as it is printed
here, after a comment that says why it cannot be killed.
"""

import json
import sys
from collections import Counter
from pathlib import Path


def line_of(mutation: dict[str, str], diff: str) -> str:
    """Return one line for a mutant: its module, the line as it was and as it became."""
    body = [line for line in diff.splitlines() if not line.startswith(("---", "+++", "@@"))]
    old = " ".join(line[1:].strip() for line in body if line.startswith("-"))
    new = " ".join(line[1:].strip() for line in body if line.startswith("+"))
    return f"{mutation['module_path']}: {old} => {new}"


def outcomes(dump: Path) -> list[tuple[str, str]]:
    """Return the outcome and the line of every mutant in one dump."""
    found = []
    for item, result in map(json.loads, dump.read_text().splitlines()):
        if result is None:
            found.append(("untested", item["job_id"]))
            continue
        outcome = result["test_outcome"] or result["worker_outcome"]
        found.append((outcome, line_of(item["mutations"][0], result["diff"] or "")))
    return found


def main(listed: Path, *dumps: Path) -> int:
    """Print the counts and the unlisted survivors; return the exit status."""
    known = {line for line in listed.read_text().splitlines() if line and line[0] != "#"}
    mutants = [mutant for dump in dumps for mutant in outcomes(dump)]
    counts = Counter(outcome for outcome, _ in mutants)
    survivors = {line for outcome, line in mutants if outcome == "survived"}
    unlisted = sorted(f"not listed: {line}" for line in survivors - known)
    print(*unlisted, dict(counts), sep="\n")  # noqa: T201 - this is the report
    if not mutants or counts.keys() - {"survived", "killed", "incompetent"}:
        return 2
    return 1 if unlisted else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))

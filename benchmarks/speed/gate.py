"""
Is the engine slower than it was at another commit? Asked so that the answer can be believed.

Both engines run in one process, block by block in turn, and the median of paired ratios counts; the
median of three processes decides, more where they disagree. Exit status: 0 no slower than allowed,
1 slower, 2 too noisy to say, or it could not be measured.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from capfuzz.gate.bench.paired import Paired, middle, paired
from capfuzz.gate.bench.timing import feeding, interleaved
from engines import Engine
from instructions import CountError, instructions_an_op

_TREE = Path(__file__).resolve().parents[2]
_FEWEST, _MOST = 3, 9  # processes
_CALLS = 500  # in a block: a fraction of a millisecond, mostly undisturbed
_ROUNDS = 301
_OPS = 2_000

Verdicts = Mapping[str, tuple[str, Paired]]


class GateError(Exception):
    """Something that cannot be measured; the text says what and why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    asked = _parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="capfuzz-gate-") as folder:
            base = _engine_of(asked.base, Path(folder))
            found = decided(base, asked.head, asked.fail_above / 100)
            print(_table(found, asked.base))
            if asked.instructions:
                print(_instructions(base, asked.head))
    except (GateError, CountError) as fault:
        print(f"cannot measure: {fault}", file=sys.stderr)
        return 2
    return exit_status(found)


def decided(base: Path, head: Path, limit: float) -> Verdicts:
    """Measure in one process after the other until each workload has a verdict, nine at the most."""
    rounds: list[dict[str, float]] = []
    while True:
        rounds.append(_in_a_process(base, head))
        if len(rounds) < _FEWEST or len(rounds) % 2 == 0:
            continue
        found = judged(rounds, limit)
        if len(rounds) >= _MOST or all(said != "too noisy to say" for said, _ in found.values()):
            return found


def judged(rounds: Sequence[Mapping[str, float]], limit: float) -> Verdicts:
    """Return the verdict on each workload from its ratio in several processes."""
    ratios = {name: middle([one[name] for one in rounds]) for name in rounds[0]}
    return {name: (verdict(ratio, limit), ratio) for name, ratio in ratios.items()}


def verdict(ratio: Paired, limit: float) -> str:
    """Say whether head is slower than base by more than ``limit``, where that can be said."""
    if ratio.low > 1 + limit:
        return "slower"
    return "held" if ratio.high <= 1 + limit else "too noisy to say"


def exit_status(found: Verdicts) -> int:
    """Return 1 where anything is slower, else 2 where anything is open."""
    said = {one for one, _ in found.values()}
    return 1 if "slower" in said else 2 if "too noisy to say" in said else 0


def measured(base: Path, head: Path) -> dict[str, float]:
    """Return head by base for each workload, measured in this process."""
    engines = Engine(base), Engine(head)
    found = {}
    for name, (roots, ops) in _workloads(engines[1]):
        blocks = [feeding(engine.run(roots, roots), ops, _CALLS) for engine in engines]
        _, before, after = interleaved(blocks, _ROUNDS)
        found[name] = paired(before, after).ratio
    return found


def _workloads(engine: Engine) -> Iterator[tuple[str, tuple[int, list[object]]]]:
    for roots in (1, 1_000):
        yield f"mixed ops, {roots} roots", (roots, engine.mixed(roots, roots, _OPS))
    yield "granted reads", (1, engine.allowed("fs_read", _OPS, 1))
    yield "refused reads", (1, engine.refused("fs_read", _OPS, 1))
    yield "granted fetches", (1, engine.allowed("net_fetch", _OPS, 1))


def _in_a_process(base: Path, head: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--once", str(base), "--head", str(head)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise GateError(f"a process that measures ended so: {done.stderr.strip()[-300:]}")
    said: dict[str, float] = json.loads(done.stdout)
    return said


def _engine_of(base: str, folder: Path) -> Path:
    """Return a folder with the engine of a commit, or the folder that ``base`` is."""
    if os.path.isdir(base):
        return Path(base).resolve()
    made = subprocess.run(
        ["git", "-C", _TREE, "archive", "--format=tar", base, "engine"],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        said = made.stderr.decode(errors="replace").strip()
        raise GateError(f"--base {base}: is neither a folder nor a commit with an engine: {said}")
    subprocess.run(["tar", "-x", "-C", folder], input=made.stdout, check=True)
    return folder / "engine"


def _table(found: Verdicts, base: str) -> str:
    lines = [f"working tree against {base}"]
    for name, (said, one) in found.items():
        lines.append(f"{name:24} x {one.ratio:.3f}  [{one.low:.3f}, {one.high:.3f}]  {said}")
    return "\n".join(lines)


def _instructions(base: Path, head: Path) -> str:
    before, after = instructions_an_op(base), instructions_an_op(head)
    return f"instructions an op: {before:.0f}, now {after:.0f}, x {after / before:.4f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", default="HEAD", help="commit, or folder of an engine (HEAD)")
    parser.add_argument("--head", type=Path, default=_TREE / "engine", help="folder of an engine")
    parser.add_argument("--fail-above", type=float, default=3, metavar="PERCENT", help="(3)")
    parser.add_argument(
        "--instructions", action="store_true", help="count instructions, too, where valgrind is"
    )
    parser.add_argument("--once", type=Path, metavar="BASE", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    if "--once" in sys.argv:
        once = _parser().parse_args()
        print(json.dumps(measured(once.once, once.head)))
    else:
        sys.exit(main())

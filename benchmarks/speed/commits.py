"""
Is the engine slower than it was at another commit? Asked so that the answer can be believed.

Both engines run in one process, block by block in turn, and the median of paired ratios counts; the
median of three processes decides, more where they disagree. Exit status: 0 no slower than allowed,
1 slower, 2 too noisy to say, or it could not be measured.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import methodcaller
from pathlib import Path
from typing import NamedTuple

from capfuzz.gate.bench.paired import middle, paired
from capfuzz.gate.bench.results import Change, Outcome, judged
from capfuzz.gate.bench.timing import feeding, interleaved
from engines import Engine, Run
from instructions import CountError, instructions_an_op

_TREE = Path(__file__).resolve().parents[2]
_FEWEST, _MOST = 3, 9  # processes
_CALLS = 500  # in a block: a fraction of a millisecond, mostly undisturbed
_ROUNDS = 151
_OPS = 2_000


class GateError(Exception):
    """Something that cannot be measured; the text says what and why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    asked = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # so that the folder is removed
    try:
        with tempfile.TemporaryDirectory(prefix="capfuzz-gate-") as folder:
            base = _engine_of(asked.base, Path(folder))
            found = decided(base, _checked(asked.head.resolve()), asked.fail_above / 100)
            print(_table(found, asked.base))
            if asked.instructions:
                print(_instructions(base, asked.head))
    except (GateError, CountError) as fault:
        print(f"cannot measure: {fault}", file=sys.stderr)
        return 2
    return exit_status(found)


def decided(base: Path, head: Path, limit: float) -> list[Change]:
    """Measure in one process after the other until each workload has a verdict, nine at the most."""
    ratios: list[dict[str, float]] = []
    while True:
        ratios.append(_in_a_process(base, head))
        if len(ratios) < _FEWEST or len(ratios) % 2 == 0:
            continue
        found = over_processes(ratios, limit)
        if len(ratios) >= _MOST or all(one.outcome is not Outcome.UNDECIDED for one in found):
            return found


def over_processes(ratios: Sequence[Mapping[str, float]], limit: float) -> list[Change]:
    """Return what the ratios of each workload, one a process, come to."""
    return [judged(name, middle([one[name] for one in ratios]), limit) for name in ratios[0]]


def exit_status(found: Sequence[Change]) -> int:
    """Return 1 where anything is slower, else 2 where anything is open."""
    said = {one.outcome for one in found}
    return 1 if Outcome.SLOWER in said else 2 if Outcome.UNDECIDED in said else 0


def measured(base: Path, head: Path) -> dict[str, float]:
    """Return head by base for each workload, measured in this process."""
    before, after = Engine(base), Engine(head)
    # Two sandboxes of each, made in this order: what is made later lies elsewhere in memory, and
    # the same code would seem slower there.
    order = (before, after, after, before)
    found = {}
    for one in _workloads(after):
        blocks = [feeding(one.asked(engine), one.items, _CALLS) for engine in order]
        _, first, second, third, last = interleaved(blocks, _ROUNDS)
        found[one.name] = paired(_sums(first, last), _sums(second, third)).ratio
    return found


def _sums(some: Sequence[int], others: Sequence[int]) -> list[float]:
    return [one + other for one, other in zip(some, others, strict=True)]


class _Workload(NamedTuple):
    name: str
    asked: Callable[[Engine], Run]
    items: list[object]


def _workloads(engine: Engine) -> Iterator[_Workload]:
    for roots in (1, 1_000):
        check, run = methodcaller("path_check", roots, roots), methodcaller("run", roots, roots)
        yield _Workload(f"path check, {roots} roots", check, engine.paths(roots, _OPS))
        yield _Workload(f"mixed ops, {roots} roots", run, engine.mixed(roots, roots, _OPS))
    run = methodcaller("run", 1, 1)
    yield _Workload("granted reads", run, engine.allowed("fs_read", _OPS, 1))
    yield _Workload("refused reads", run, engine.refused("fs_read", _OPS, 1))
    yield _Workload("granted fetches", run, engine.allowed("net_fetch", _OPS, 1))


def _in_a_process(base: Path, head: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--once", str(base), "--head", str(head)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise GateError(f"a process that measures ended so: {' '.join(done.stderr.split())[-300:]}")
    said: dict[str, float] = json.loads(done.stdout)
    return said


def _engine_of(base: str, folder: Path) -> Path:
    """Return a folder with the engine of a commit, or the folder that ``base`` is."""
    if os.path.isdir(base):
        return _checked(Path(base).resolve())
    made = subprocess.run(
        ["git", "-C", _TREE, "archive", "--format=tar", "--end-of-options", base, "engine"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if made.returncode:
        said = " ".join(made.stderr.decode(errors="replace").split())
        raise GateError(f"--base {base}: is neither a folder nor a commit with an engine: {said}")
    subprocess.run(["tar", "-x", "-C", folder], input=made.stdout, check=True)
    return folder / "engine"


def _checked(folder: Path) -> Path:
    """Return a folder that an engine can be imported from; raises `GateError`."""
    if folder.name != "engine" or not (folder / "sandbox.py").is_file():
        raise GateError(f"{folder}: is not a folder named engine with the engine's sources in it")
    return folder


def _table(found: Sequence[Change], base: str) -> str:
    lines = [f"working tree against {base}"]
    for one in found:
        by = f"x {one.paired.ratio:.3f}  [{one.paired.low:.3f}, {one.paired.high:.3f}]"
        lines.append(f"{one.name:24} {by}  {one.outcome}")
    return "\n".join(lines)


def _instructions(base: Path, head: Path) -> str:
    before, after = instructions_an_op(base), instructions_an_op(head)
    return f"instructions an op: {before:.0f}, now {after:.0f}, x {after / before:.4f}"


def _percent(text: str) -> float:
    found = float(text)
    if not 0 < found <= 100:  # noqa: PLR2004 - nan is neither
        raise argparse.ArgumentTypeError("must be between 0 and 100")
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", default="HEAD", help="commit, or folder of an engine (HEAD)")
    parser.add_argument("--head", type=Path, default=_TREE / "engine", help="folder of an engine")
    parser.add_argument("--fail-above", type=_percent, default=3, metavar="PERCENT", help="(3)")
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

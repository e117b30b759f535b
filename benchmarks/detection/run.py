"""
Attack real packages, vulnerable and fixed, with the ordinary command line.

Each version of ``packages.toml`` is installed into a throwaway environment together with this
repository, and its adapter is attacked. A vulnerable version must come out broken by a technique
of the right group with a one-op reproducer, a fixed or current one must hold. Exit status: 0 all as
expected, 1 a fault missed or a false alarm, 2 something could not be measured.
"""

import argparse
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from entries import Entry, EntryError, Side, load
from programs import RoomError
from pythons import this_python
from rooms import Room, Rooms, suite
from tables import as_json, machine, markdown, text
from verdicts import Outcome, ReportError, Status, exit_status, judge, report_from

INSTALLS_AT_ONCE = 2
INSTALLED_AHEAD = 3  # more would only fill the disk: attacks run one by one


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    asked = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        sides = [side for entry in chosen(load(), asked.id) for side in entry.sides()]
        with Rooms(keep=asked.keep) as rooms:
            if asked.keep:
                _say(f"keeping everything under {rooms.folder}")
            outcomes = list(attacked(rooms, sides))
    except (EntryError, RoomError) as fault:
        _say(f"cannot measure: {fault}")
        return 2
    except KeyboardInterrupt:
        _say("interrupted; everything that was started has ended and was removed")
        return 2
    _publish(outcomes, asked)
    return exit_status(outcomes)


def chosen(entries: tuple[Entry, ...], wanted: list[str]) -> list[Entry]:
    """Return the entries whose ids are wanted, all without any; raises `EntryError`."""
    known = {entry.id: entry for entry in entries}
    for each in wanted:
        if each not in known:
            raise EntryError(f"entry {each}: there is none; known are {', '.join(known)}")
    return [entry for entry in entries if not wanted or entry.id in wanted]


def attacked(rooms: Rooms, sides: list[Side]) -> Iterator[Outcome]:
    """Install two sides at a time, attack one at a time, and yield how each came out."""
    _say(f"building capfuzz for {len(sides)} versions")
    wheel = rooms.wheel()
    pool = ThreadPoolExecutor(INSTALLS_AT_ONCE)
    todo, waiting = deque(sides), deque[tuple[Side, Future[Room]]]()
    try:
        while todo or waiting:
            while todo and len(waiting) < INSTALLED_AHEAD:
                following = todo.popleft()
                waiting.append((following, pool.submit(rooms.make, following, wheel)))
            side, room = waiting.popleft()
            outcome = measured(rooms, side, room)
            done = len(sides) - len(todo) - len(waiting)
            _say(f"[{done}/{len(sides)}] {side}: {_summary(outcome)}")
            yield outcome
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        rooms.stop()  # after an interruption installs are under way that nobody waits for
        pool.shutdown(wait=True)


def measured(rooms: Rooms, side: Side, room: Future[Room]) -> Outcome:
    """Wait for the environment, attack, and return how it came out; nothing is raised."""
    try:
        made = room.result()
        try:
            return _attacked(rooms, side, made)
        finally:
            rooms.leave(made)
    except (RoomError, ReportError) as fault:
        return Outcome(side, Status.UNMEASURED, remark=" ".join(str(fault).split()))


def _attacked(rooms: Rooms, side: Side, room: Room) -> Outcome:
    started = time.monotonic()
    report = rooms.attack(room, side)
    seconds = time.monotonic() - started
    return judge(side, report_from(report, rooms.groups(room)), seconds)


def _summary(outcome: Outcome) -> str:
    by = f" by {outcome.found.technique}" if outcome.found else ""
    said = f"{outcome.verdict}{by} in {outcome.seconds:.1f} s, {outcome.status}"
    return f"{said}: {outcome.remark}" if outcome.remark else said


def _publish(outcomes: list[Outcome], asked: argparse.Namespace) -> None:
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "suite": f"{suite()} on Python {'.'.join(map(str, this_python().version))}",
        "command": " ".join(["python benchmarks/detection/run.py", *asked.id]),
    }
    print(text(outcomes), end="")
    if asked.json:
        asked.json.write_text(as_json(outcomes, about), encoding="utf-8")
    if asked.markdown:
        asked.markdown.write_text(markdown(outcomes, about), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("id", nargs="*", metavar="ID", help="entries to run (default: all)")
    parser.add_argument("--json", type=Path, metavar="F", help="write everything as JSON")
    parser.add_argument("--markdown", type=Path, metavar="F", help="write the table as Markdown")
    parser.add_argument("--keep", action="store_true", help="keep the environments and reports")
    return parser


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

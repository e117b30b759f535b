"""
The program that stands between the suite and a sandbox elsewhere: lines in, lines out.

Before each line it copies there what is granted, if that has changed on this machine. It is a
program of its own; ``calls.py`` beside it has the calls of one SDK.
"""

import importlib
import json
import os
import shlex
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

Plan = dict[str, Any]
Standing = dict[str, tuple[int, ...]]

_MARK = "CAPFUZZ_GROUND"  # by which the suite finds what it started, and kills it
# The program runs as an ordinary user: files of root's are what may only be read.
_UNPACK = """\
set -e
exec < {archive}  # which may lie in what is copied
rm -rf -- {archive} {copied}
tar -xpf - -C /
chown -hR 0:0 -- {copied}
chmod -R a+rX,go-w -- {copied}
"""
_GIVE = "chown -hR {owner} -- {writable}\n"


def main() -> None:
    """Start a sandbox with the program in it; with ``end``, end the one that is named at last."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    plan = json.loads(Path(__file__).with_name("plan.json").read_text(encoding="utf-8"))
    calls = importlib.import_module("calls")
    if sys.argv[1:] == ["end"]:
        if name := sys.stdin.read():
            calls.end(plan, name)
        return
    note = _watched()
    machine = calls.Machine(plan)
    os.write(note, machine.name.encode())
    _run(machine, plan)
    os._exit(0)  # a thread still reads


def _watched() -> int:
    """Return a pipe: what is named there is ended when this process has, be it that it was killed."""
    read, write = os.pipe()
    subprocess.Popen(  # noqa: S603 - this program
        (sys.executable, __file__, "end"),
        stdin=read,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={name: value for name, value in os.environ.items() if name != _MARK},
        start_new_session=True,
    )
    os.close(read)
    return write


def _run(machine: Any, plan: Plan) -> None:
    copied = _standing(plan["copied"])
    _copy(machine, plan)
    machine.start(plan["command"])
    threading.Thread(target=_hand_in, args=(machine, plan, copied), daemon=True).start()
    for out, err in machine.printed():
        _say(sys.stdout, out)
        _say(sys.stderr, err)


def _say(stream: TextIO, text: str | None) -> None:
    stream.write(text or "")
    stream.flush()


def _hand_in(machine: Any, plan: Plan, copied: Standing) -> None:
    try:
        for line in sys.stdin:
            if copied != (copied := _standing(plan["copied"])):
                _copy(machine, plan)
            machine.send(line)
        machine.close_input()
    except Exception:  # noqa: BLE001 - whatever it is, nobody is to wait for an answer
        traceback.print_exc()
        os._exit(1)


def _copy(machine: Any, plan: Plan) -> None:
    copied, writable = plan["copied"], plan["writable"]
    if not copied:
        return
    names = [place.lstrip("/") for place in copied]
    packed = subprocess.run(  # noqa: S603 - GNU tar keeps nanoseconds
        ("tar", "--format=posix", "-cf", "-", "-C", "/", "--", *names),  # noqa: S607
        stdout=subprocess.PIPE,
        check=True,
    )
    machine.put(machine.archive, packed.stdout)
    unpack = _UNPACK.format(copied=shlex.join(copied), archive=machine.archive)
    give = _GIVE.format(owner=machine.user, writable=shlex.join(writable)) if writable else ""
    machine.as_root(unpack + give)


def _standing(places: list[str]) -> Standing:
    """Return what stands at and below places, told by its attributes."""
    found = [os.path.join(folder, one) for place in places for folder, one in _below(place)]
    return {one: _told(os.lstat(one)) for one in [*places, *found]}


def _told(seen: os.stat_result) -> tuple[int, ...]:
    return seen.st_ino, seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def _below(place: str) -> Iterator[tuple[str, str]]:
    for folder, folders, files in os.walk(place):
        yield from ((folder, one) for one in (*folders, *files))


if __name__ == "__main__":
    main()

"""
The program that stands between the suite and a sandbox of E2B: lines in, lines out.

Before each line it copies there what is granted, if that has changed on this machine. It is a
program of its own, and needs E2B's SDK alone.
"""

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

Standing = dict[str, tuple[int, ...]]

_MARK = "CAPFUZZ_GROUND"  # by which the suite finds what it started, and kills it
_ARCHIVE = "/root/granted.tar"
_LASTS = 900  # seconds, after which E2B ends the sandbox by itself
_ENDING = 20.0  # seconds
# The program runs as E2B's ordinary user: files of root's are what may only be read.
_UNPACK = """\
set -e
rm -rf -- {copied}
tar -xpf {archive} -C /
chown -hR 0:0 -- {copied}
chmod -R a+rX,go-w -- {copied}
"""
_GIVE = "chown -hR user -- {writable}\n"


def main() -> None:
    """Start a sandbox with the program in it; with ``end``, end the one that is named at last."""
    if sys.argv[1:] == ["end"]:
        _end(sys.stdin.read())
        return
    from e2b import Sandbox  # noqa: PLC0415 - an extra, which the suite does without

    plan = json.loads(Path(__file__).with_name("plan.json").read_text(encoding="utf-8"))
    note = _watched()
    sandbox = Sandbox.create(
        timeout=_LASTS,
        allow_internet_access=plan["internet"],
        metadata={"capfuzz": plan["mark"]},
    )
    os.write(note, sandbox.sandbox_id.encode())
    _run(sandbox, plan)
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


def _run(sandbox: Any, plan: dict[str, Any]) -> None:
    copied = _standing(plan["copied"])
    _copy(sandbox, plan)
    program = sandbox.commands.run(
        f"cd / && exec {shlex.join(plan['command'])}",
        background=True,
        stdin=True,
        user="user",
        timeout=0,
    )
    threading.Thread(target=_hand_in, args=(sandbox, plan, program, copied), daemon=True).start()
    for out, err, _ in program:
        _say(sys.stdout, out)
        _say(sys.stderr, err)


def _say(stream: TextIO, text: str | None) -> None:
    stream.write(text or "")
    stream.flush()


def _hand_in(sandbox: Any, plan: dict[str, Any], program: Any, copied: Standing) -> None:
    try:
        for line in sys.stdin:
            if copied != (copied := _standing(plan["copied"])):
                _copy(sandbox, plan)
            program.send_stdin(line)
        program.close_stdin()
    except Exception:  # noqa: BLE001 - whatever it is, nobody is to wait for an answer
        traceback.print_exc()
        os._exit(1)


def _copy(sandbox: Any, plan: dict[str, Any]) -> None:
    copied, writable = plan["copied"], plan["writable"]
    names = [place.lstrip("/") for place in copied]
    packed = subprocess.run(  # noqa: S603 - GNU tar keeps nanoseconds
        ("tar", "--format=posix", "-cf", "-", "-C", "/", "--", *names),  # noqa: S607
        stdout=subprocess.PIPE,
        check=True,
    )
    sandbox.files.write(_ARCHIVE, packed.stdout, user="root")
    unpack = _UNPACK.format(copied=shlex.join(copied), archive=_ARCHIVE)
    give = _GIVE.format(writable=shlex.join(writable)) if writable else ""
    sandbox.commands.run(unpack + give, user="root")


def _standing(places: list[str]) -> Standing:
    """Return what stands at and below places, told by its attributes."""
    found = [os.path.join(folder, one) for place in places for folder, one in _below(place)]
    return {one: _told(os.lstat(one)) for one in [*places, *found]}


def _told(seen: os.stat_result) -> tuple[int, ...]:
    return seen.st_ino, seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def _below(place: str) -> Iterator[tuple[str, str]]:
    for folder, folders, files in os.walk(place):
        yield from ((folder, one) for one in (*folders, *files))


def _end(number: str) -> None:
    if number:
        from e2b import Sandbox  # noqa: PLC0415 - asked for at the end alone

        Sandbox.kill(number, request_timeout=_ENDING)


if __name__ == "__main__":
    main()

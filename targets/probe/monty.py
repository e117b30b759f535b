"""
The program that stands between the suite and Monty: lines in, lines out, each op run by Monty.

``monty.py FEEDS``: FEEDS is a JSON file, a list of feeds: for each the arguments of the `MountDir`
that it is given, all of which Monty opens at the start. An op is fed once for each of them until it
works. Lines are those of probe.py, and `guest.py` is what tries the ops inside.
"""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic_monty import Monty, MontyRuntimeError, MontySession, MountDir

_GUEST = Path(__file__).with_name("guest.py")
_MOST_CALLS = 1_000_000_000  # of the guest's, of all that it asks; Monty has a limit of 1000 else
_CALL = "OPS[kind](*arguments)"


def tried(session: MontySession, feeds: list[list[MountDir]], asked: dict[str, Any]) -> Any:
    """Return what comes of an op under the first mounts with which it works."""
    given = {"kind": asked["method"], "arguments": asked["params"]["arguments"]}
    failed: MontyRuntimeError | None = None
    for mounts in feeds:
        place = mounts[0].virtual_path if mounts else "/"
        try:
            return session.feed_run(_CALL, inputs=given, mount=mounts, cwd=place)
        except MontyRuntimeError as error:
            failed = error
    raise failed or RuntimeError("there is no feed")


def answer(session: MontySession, feeds: list[list[MountDir]], line: str) -> dict[str, Any]:
    """Return the answer to one line; only what ends Monty is raised."""
    asked = json.loads(line)
    try:
        out = tried(session, feeds, asked)
    except MontyRuntimeError as error:
        return {"jsonrpc": "2.0", "id": asked["id"], "error": {"message": str(error)}}
    text = out.decode("latin-1") if isinstance(out, bytes) else out or ""
    return {"jsonrpc": "2.0", "id": asked["id"], "result": {"out": text}}


def main(plan: str) -> None:
    """Answer line after line until nothing more comes."""
    told = json.loads(Path(plan).read_text(encoding="utf-8"))
    feeds = [[MountDir(**mount) for mount in feed] for feed in told]
    limits: Any = {"max_suspensions": _MOST_CALLS}
    with Monty(max_processes=1) as pool, pool.checkout(limits=limits) as session:
        session.feed_run(_GUEST.read_text(encoding="utf-8"))
        for line in sys.stdin:
            sys.stdout.write(json.dumps(answer(session, feeds, line)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Monty: an interpreter of Python that has no calls but those that its host answers."""

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

from capfuzz.attacks.naive import within
from capfuzz.engine import Capabilities
from capfuzz.targets import probe
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    beyond,
    in_depth,
    reading_what_it_writes,
    write_only,
)

_HOST = str(Path(probe.__file__).with_name("monty.py"))
_OLDEST = (1, 4)  # the first that was tried
_START = "import pydantic_monty\nwith pydantic_monty.Monty(max_processes=1): pass"
_STARTING = 20.0  # seconds
# The kinds of op in guest.py.
OFFERED = frozenset(
    {
        *("fs_read", "fs_write", "fs_append", "fs_truncate", "fs_list", "fs_stat"),
        *("fs_rename", "fs_mkdir", "fs_unlink"),
        *("fds_inherited", "proc_environ", "proc_root", "proc_walk", "env_read"),
    }
)
NO_CALL = "Monty's Python has no module and no call that does it"
_GUEST = "COMMAND is not run, but the guest that attacks: give feeds of yours the same mounts"
_APART = "what may be read has what may be written in it, and mounts of one feed must lie apart"


class Monty:
    """The library ``pydantic_monty``, and a folder mounted for each granted place."""

    name = "monty"
    meaning = "Monty: a Python of its own with the granted folders mounted"
    cannot: Mapping[str, str] = MappingProxyType(
        {
            **beyond(OFFERED, NO_CALL),
            "files granted": "pydantic-monty, MountDir: folders alone are mounted",
        }
    )
    refuses: Mapping[str, str] = MappingProxyType(
        {"names with a backslash or a drive": "Monty, limitations: refused in every mount"}
    )
    opens_devices = True

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        if importlib.util.find_spec("pydantic_monty") is None:
            return "pydantic-monty is not installed: pip install 'capfuzz[monty]'"
        version = self.version()
        old = tuple(map(int, re.findall(r"\d+", version)[:2])) < _OLDEST
        needed = ".".join(map(str, _OLDEST))
        return f"pydantic-monty {version}: {needed} or newer is needed" if old else _refusal()

    def version(self) -> str:
        """Return the version that is installed."""
        return metadata.version("pydantic-monty-client")

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """Return the grant with what may be written readable; None with a network."""
        return None if grant.net_hosts else reading_what_it_writes(grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the mounts of each feed, and the command that runs the guest."""
        feeds = _feeds(grant)
        return Rendered(
            (sys.executable, "-I", _HOST, f"{layout.folder}/feeds.json"),
            {"feeds.json": json.dumps(feeds, indent=2) + "\n"},
            (
                *write_only(grant),
                *((f"{len(feeds)} feeds: {_APART}",) if len(feeds) > 1 else ()),
                *(() if layout.inside else (_GUEST,)),
            ),
        )


def _refusal() -> str | None:
    """Return what is said where no worker starts, such as without the program that it is."""
    done = subprocess.run(  # noqa: S603 - this Python
        (sys.executable, "-I", "-c", _START),
        capture_output=True,
        text=True,
        timeout=_STARTING,
        check=False,
    )
    said = next(reversed(done.stderr.splitlines()), "")
    return f"pydantic-monty does not start: {said}" if done.returncode else None


def _feeds(grant: Capabilities) -> list[list[dict[str, str]]]:
    """Return the arguments of each mount, by feed: one, or two where one cannot have them all."""
    writes = _outermost(grant.fs_write)
    reads = _outermost(one for one in grant.fs_read if not within(one, writes))
    looking = [_mount(one, "read-only") for one in reads]
    writing = [_mount(one, "read-write") for one in writes]
    if any(within(one, reads) for one in writes):
        return [looking, writing]
    return [looking + writing]


def _outermost(places: Iterable[str]) -> list[str]:
    """Return those that lie in none of the others, plainly spelt."""
    found: list[str] = []
    for place in in_depth(tuple(places)):
        if not within(place, found):
            found.append(place)
    return found


def _mount(place: str, mode: str) -> dict[str, str]:
    return {"host_path": place, "virtual_path": place, "mode": mode}

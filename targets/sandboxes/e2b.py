"""E2B: a machine elsewhere, to which what is granted is copied by E2B's own SDK."""

import importlib.util
import json
import os
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

from capfuzz.attacks.kernel import KINDS
from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes import e2b_entry
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    in_depth,
    missing,
    reading_what_it_writes,
    write_only,
)

_KEY = "E2B_API_KEY"
_NEVER = "never run against the cloud"
_LOOKS = {"fs_read", "fs_list", "fs_stat", "fd_stat", "fs_handle", "fs_uring"}
_UNSEEN = f"E2B ({_NEVER}): a machine elsewhere, in which this one sees no process and no socket"
_COPIED = f"E2B ({_NEVER}): what may be written is written in a copy, which is not brought back"
_PROGRAM = Path(e2b_entry.__file__)


class E2B:
    """A sandbox of E2B. What was not granted is not copied, and so stands there by no name."""

    name = "e2b"
    meaning = f"E2B: a sandbox elsewhere, by its SDK; {_NEVER}"
    cannot: Mapping[str, str] = MappingProxyType(
        {kind: _UNSEEN for kind in KINDS if kind.startswith(("net_", "proc_", "priv_", "fds_"))}
    )
    refuses: Mapping[str, str] = MappingProxyType(
        {kind: _COPIED for kind in KINDS if kind.startswith(("fs_", "fd_")) and kind not in _LOOKS}
    )
    opens_devices = False

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can; nobody is asked for it."""
        if importlib.util.find_spec("e2b") is None:
            return "e2b is not installed: pip install 'capfuzz[e2b]'"
        return missing("tar") or (None if os.environ.get(_KEY) else f"{_KEY} is not set")

    def version(self) -> str:
        """Return the version of the SDK that is installed."""
        return f"SDK {metadata.version('e2b')}, {_NEVER}"

    def expressed(self, grant: Capabilities) -> Capabilities:
        """Return the grant with what may be written readable, as its owner's files are."""
        return reading_what_it_writes(grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return what is copied, and the program that starts the sandbox and the probe in it."""
        program, *arguments = layout.command
        plan = {
            "command": [_by_name(program), *arguments],
            "copied": in_depth((*layout.inside, *grant.fs_read, *grant.fs_write)),
            "writable": in_depth(grant.fs_write),
            "internet": bool(grant.net_hosts),
            "mark": layout.mark,
        }
        files = {
            "plan.json": json.dumps(plan, indent=2) + "\n",
            "enter.py": _PROGRAM.read_text(encoding="utf-8"),
        }
        opened = ("net_hosts: the whole internet is open",) if grant.net_hosts else ()
        enter = (sys.executable, f"{layout.folder}/enter.py")
        warnings = (*write_only(grant), *opened, _COPIED)
        return Rendered(enter, files, warnings)


def _by_name(program: str) -> str:
    """Return a program of the system by its name alone: it may stand elsewhere there."""
    return os.path.basename(program) if program.startswith(("/usr/", "/bin/")) else program

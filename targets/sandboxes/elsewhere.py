"""
Machines elsewhere, by the SDK of whoever keeps them: what is granted is copied there.

None of them was ever run against its cloud; each says so in all that it tells.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from capfuzz.attacks.kernel import KINDS
from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    in_depth,
    missing,
    reading_what_it_writes,
    write_only,
)

NEVER = "never run against the cloud"
_LOOKS = {"fs_read", "fs_list", "fs_stat", "fd_stat", "fs_handle", "fs_uring"}
_FOLDER = Path(__file__).parent
_ENTRY = "elsewhere_entry.py"
# The ordinary user may be root by sudo there, and so write what may only be read.
_KEPT_DOWN = ("setpriv", "--no-new-privs", "--")
_LASTS = 900  # seconds, after which the cloud ends a sandbox by itself


class Elsewhere:
    """
    A sandbox elsewhere. What was not granted is not copied, and so stands there by no name.

    ``sdk`` is the distribution that is needed, and ``module`` what it is imported as. ``calls`` is
    the file with the calls of that SDK, by which `elsewhere_entry` does what all have in common.
    """

    name: str
    title: str
    sdk: str
    module: str
    calls: str
    where = "a machine elsewhere"
    opens_devices = False

    @property
    def meaning(self) -> str:
        """What it is."""
        return f"{self.title}: a sandbox elsewhere, by its SDK; {NEVER}"

    @property
    def cannot(self) -> Mapping[str, str]:
        """What happens there and is not seen from here."""
        unseen = f"{self._label}: {self.where}, in which this one sees no process and no socket"
        return {
            kind: unseen
            for kind in KINDS
            if kind.startswith(("net_", "proc_", "priv_", "fds_", "far_", "use_"))
        }

    @property
    def refuses(self) -> Mapping[str, str]:
        """What has its effect in the copy alone."""
        changes = [one for one in KINDS if one.startswith(("fs_", "fd_")) and one not in _LOOKS]
        return dict.fromkeys(changes, self._copied)

    @property
    def _label(self) -> str:
        return f"{self.title} ({NEVER})"

    @property
    def _copied(self) -> str:
        return f"{self._label}: what may be written is written in a copy, which is not brought back"

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can; nobody is asked for it."""
        if not _found(self.module):
            return f"{self.sdk} is not installed: pip install 'capfuzz[{self.name}]'"
        return missing("tar") or self.unnamed()

    def unnamed(self) -> str | None:
        """Return which variables of the SDK's must be set to name an account, None if they are."""
        raise NotImplementedError

    def version(self) -> str:
        """Return the version of the SDK that is installed."""
        return f"SDK {metadata.version(self.sdk)}, {NEVER}"

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """Return the grant with what may be written readable, as its owner's files are."""
        return reading_what_it_writes(grant)

    def settings(self, grant: Capabilities) -> dict[str, Any]:
        """Return what the calls are told beside what all have in common."""
        raise NotImplementedError

    def told(self, grant: Capabilities) -> Iterator[str]:
        """Yield a warning for each field of a grant that the cloud takes otherwise."""
        raise NotImplementedError

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return what is copied, and the program that starts the sandbox and the command in it."""
        program, *arguments = layout.command
        plan = {
            "command": [*_KEPT_DOWN, _by_name(program), *arguments],
            "copied": in_depth((*layout.inside, *grant.fs_read, *grant.fs_write)),
            "writable": in_depth(grant.fs_write),
            "mark": layout.mark,
            "lasts": min(grant.max_wall, _LASTS),
            **self.settings(grant),
        }
        files = {
            "plan.json": json.dumps(plan, indent=2) + "\n",
            "enter.py": (_FOLDER / _ENTRY).read_text(encoding="utf-8"),
            "calls.py": (_FOLDER / self.calls).read_text(encoding="utf-8"),
        }
        enter = (sys.executable, f"{layout.folder}/enter.py")
        warnings = (*write_only(grant), *self.told(grant), *_ended(grant), self._copied)
        return Rendered(enter, files, warnings)


def _found(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package that it lies in
        return False


def _ended(grant: Capabilities) -> Iterator[str]:
    if grant.max_wall > _LASTS:
        yield f"max_wall {grant.max_wall}: the sandbox is ended after {_LASTS} seconds"


def _by_name(program: str) -> str:
    """Return a program of the system by its name alone: it may stand elsewhere there."""
    return os.path.basename(program) if program.startswith(("/usr/", "/bin/")) else program

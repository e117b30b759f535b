"""Landlock: a process takes rights away from itself, and whatever it runs then has no more."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from capfuzz.engine import Capabilities
from capfuzz.targets import probe
from capfuzz.targets.probe import landlock
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    in_depth,
    reading_what_it_writes,
    write_only,
)

_LAUNCHER = str(Path(probe.__file__).with_name("landlock.py"))
_OLDEST = 6  # the first ABI that scopes signals and abstract sockets
_ATTRIBUTES = "landlock(7): changing attributes is not restricted"
_RIGHTS = "landlock(7): of root's rights, those over files, TCP and scopes alone are restricted"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


class Landlock:
    """The kernel's Landlock by its system calls, without seccomp and without namespaces."""

    name = "landlock"
    meaning = "the kernel's Landlock, by its system calls"
    cannot: Mapping[str, str] = MappingProxyType(
        {
            **dict.fromkeys(
                (
                    *("fs_chmod", "fs_chown", "fs_utimes", "fs_xattr"),
                    *("fd_chmod", "fd_chown", "fd_utimes"),
                ),
                _ATTRIBUTES,
            ),
            **dict.fromkeys(("fs_stat", "fd_stat"), "landlock(7): stat(2) is not restricted"),
            **dict.fromkeys(("priv_setuid", "priv_bpf"), _RIGHTS),
            "net_udp": "landlock(7): of the network, TCP alone is restricted",
            "net_unix": "landlock(7): sockets of the file system are not restricted",
            "proc_background": "landlock(7): processes are confined and not ended",
        }
    )

    claims = frozenset({"net_port"})

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        known = landlock.abi()
        if known < 0:
            return "this kernel has no Landlock, or it is turned off"
        return None if known >= _OLDEST else f"its ABI is {known}; {_OLDEST} is needed for signals"

    def version(self) -> str:
        """Return the version of its interface."""
        return f"ABI {landlock.abi()}"

    def expressed(self, grant: Capabilities) -> Capabilities:
        """Return the grant with what may be written readable."""
        return reading_what_it_writes(grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command that restricts itself before it runs what is to run."""
        policy = {
            "run": list(layout.runtime),
            "read": [*layout.inside, *_DEVICES, *in_depth(self.expressed(grant).fs_read)],
            "write": in_depth(grant.fs_write),
            "tcp": (list(layout.ports) or None) if grant.net_hosts else [],
        }
        launcher = (layout.python, "-S", _LAUNCHER, json.dumps(policy))
        command = (*launcher, *layout.command)
        return Rendered(command, warnings=write_only(grant), lingers=True)

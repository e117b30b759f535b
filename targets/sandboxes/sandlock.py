"""sandlock: Landlock and a supervisor of system calls, by its library for Python."""

import importlib.util
import json
import sys
from collections.abc import Mapping
from importlib import metadata
from types import MappingProxyType

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    in_depth,
    reading_what_it_writes,
    write_only,
)
from capfuzz.targets.sandboxes.landlock import Landlock
from capfuzz.targets.sandboxes.trying import refusal

_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_ENTER = """\
import json, sys
from sandlock import Sandbox
with open("policy.json", encoding="utf-8") as file:
    policy = json.load(file)
sys.exit(Sandbox(**policy).run_interactive(sys.argv[1:]))
"""


class Sandlock:
    """The library ``sandlock``, which runs a command under a policy; no root, no namespaces."""

    name = "sandlock"
    meaning = "sandlock: Landlock and a supervisor of system calls"
    cannot: Mapping[str, str] = MappingProxyType(
        {
            **{
                kind: f"sandlock has files confined by Landlock; {reason}"
                for kind, reason in Landlock.cannot.items()
                if kind.startswith(("fs_", "fd_"))
            },
            "priv_setuid": "sandlock 0.9.0: made to be run without root, it leaves root's right to this",
            "proc_background": "sandlock 0.9.0: kill() ends a process group, not what has left it",
        }
    )

    # A list of calls that is always refused names unshare; it looks at the flags of clone.
    claims = frozenset({"net_port", "priv_unshare"})

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        if importlib.util.find_spec(self.name) is None:
            return f"sandlock is not installed: pip install {self.name}"
        return refusal(self)

    def version(self) -> str:
        """Return the version that is installed."""
        return f"sandlock {metadata.version(self.name)}"

    def expressed(self, grant: Capabilities) -> Capabilities:
        """Return the grant with what may be written readable."""
        return reading_what_it_writes(grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the policy for a grant of real places, and a program that runs under it."""
        ports = ",".join(map(str, layout.ports)) or "*"
        policy = {
            "fs_readable": [
                *layout.runtime,
                *layout.inside,
                *in_depth(self.expressed(grant).fs_read),
                *_DEVICES,
            ],
            "fs_writable": [*in_depth(grant.fs_write), "/dev/null"],
            "net_allow": [f"{host}:{ports}" for host in grant.net_hosts],
            "clean_env": True,
            "env": {"PATH": "/usr/bin:/bin"},
            "cwd": "/",
        }
        return Rendered(
            (sys.executable, "enter.py", *layout.command),
            {"policy.json": json.dumps(policy, indent=2) + "\n", "enter.py": _ENTER},
            write_only(grant),
            lingers=True,
        )

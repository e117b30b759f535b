"""Runtimes of the Open Container Initiative: one configuration, several programs that run it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from capfuzz.attacks.kernel import COUNTED
from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    missing,
    missing_root,
    most_processes,
    processes_for_ops,
    reading_what_it_writes,
    said,
    shared_network,
    standing,
    write_only,
)
from capfuzz.targets.sandboxes.seccomp import profile
from capfuzz.targets.sandboxes.trying import refusal

_VERSION = "1.0.2"  # of the runtime specification
_SETS = ("bounding", "effective", "inheritable", "permitted", "ambient")
_NAMESPACES = ("pid", "ipc", "uts", "mount", "cgroup")
# As container engines have them by default.
_MASKED = ("/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/sys/firmware")
_READ_ONLY = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")
# gVisor enters the temporary folder without the rights of root, and may not pass one of root's own.
_REACHABLE = ("/usr/bin/env", "-u", "TMPDIR")
_TMPFS = ("nosuid", "strictatime", "mode=755", "size=65536k")


@dataclass(frozen=True, slots=True)
class Runtime:
    """
    A program that runs a bundle, such as ``runc``; run as root, without an engine around it.

    ``options`` stand before its subcommands; ``sharing`` are those where the network is granted.
    ``read_only`` is its option for a mount with all that is mounted below it.
    """

    name: str
    program: str
    meaning: str
    options: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    sharing: tuple[str, ...] = ()
    read_only: str = "rro"
    cannot: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # Each container is given a session keyring of its own (runc(8): --no-new-keyring).
    claims: frozenset[str] = frozenset({"priv_keyctl"})
    meters: frozenset[str] = frozenset()  # the budgets that it keeps

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        return missing(self.program) or missing_root() or refusal(self)

    def version(self) -> str:
        """Return the version that is installed."""
        return said(self.program, "--version")

    def expressed(self, grant: Capabilities) -> Capabilities:
        """Return the grant with what may be written readable, as a bind mount has it."""
        return reading_what_it_writes(grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the bundle for a grant of real places, and the command that runs it."""
        options = self.sharing if grant.net_hosts else self.closed
        program = (*_REACHABLE, self.program)
        words = (*program, *self.options, *options, "--root", f"{layout.folder}/state")
        counted = (processes_for_ops(grant),) if "max_ops" in self.meters else ()
        config = json.dumps(configuration(grant, layout, self.read_only), indent=2) + "\n"
        return Rendered(
            (*words, "run", "--bundle", layout.folder, layout.mark),
            {"config.json": config, "rootfs/etc/hostname": "sandbox\n"},
            (*write_only(grant), *shared_network(grant), *counted),
            ending=(*words, "delete", "--force", layout.mark),
        )


def configuration(grant: Capabilities, layout: Layout, read_only: str = "rro") -> dict[str, Any]:
    """Return ``config.json`` for a grant of real places."""
    spaces = [*_NAMESPACES, *(() if grant.net_hosts else ("network",))]
    return {
        "ociVersion": _VERSION,
        "root": {"path": "rootfs", "readonly": True},
        "hostname": "sandbox",
        "process": {
            "user": {"uid": 0, "gid": 0},
            "args": list(layout.command),
            "env": ["PATH=/usr/bin:/bin", *layout.environment],
            "cwd": "/",
            "noNewPrivileges": True,
            "capabilities": {name: [] for name in _SETS},
        },
        "mounts": list(_mounts(grant, layout, read_only)),
        "linux": {
            "namespaces": [{"type": one} for one in spaces],
            "cgroupsPath": f"/{layout.mark}",
            "maskedPaths": list(_MASKED),
            "readonlyPaths": list(_READ_ONLY),
            "resources": {"pids": {"limit": most_processes(grant)}},
            "seccomp": profile(grant),
        },
    }


def _mounts(grant: Capabilities, layout: Layout, read_only: str) -> list[dict[str, Any]]:
    own: list[dict[str, Any]] = [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": list(_TMPFS)},
    ]
    places = standing(grant, layout)
    return own + [_bound(place, "rw" if writable else read_only) for place, writable in places]


def _bound(place: str, mode: str) -> dict[str, Any]:
    options = ["rbind", "rprivate", "nosuid", "nodev", mode]
    return {"destination": place, "source": place, "type": "bind", "options": options}


_METERED = frozenset({"max_ops"})
_FILTERED = frozenset(
    {"priv_keyctl", "priv_unshare", *COUNTED}
)  # the last by the kernel outside, which sees them
RUNC = Runtime(
    "runc",
    "runc",
    "runc: namespaces, no capabilities, read-only root",
    claims=_FILTERED,
    meters=_METERED,
)
CRUN = Runtime("crun", "crun", "crun: as runc, in C", claims=_FILTERED, meters=_METERED)
GVISOR = Runtime(
    "gvisor",
    "runsc",
    "gVisor: a kernel of its own in user space, by ptrace",
    options=("--platform=ptrace", "--ignore-cgroups"),
    closed=("--network=none",),
    sharing=("--network=host",),
    read_only="ro",  # it knows no other, and has what is mounted below read-only with it
    cannot=MappingProxyType(
        {
            "fs_xattr": "gVisor 20221219: extended attributes are not passed on to the machine's files"
        }
    ),
)

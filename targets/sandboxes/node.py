"""Node's permission model: the runtime itself refuses what a program was not granted."""

import functools
import shutil
import subprocess
from collections.abc import Mapping
from typing import NamedTuple

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import Layout, Rendered, environment, in_depth, missing
from capfuzz.targets.sandboxes.scripts import UNTRIED, holding, refuse

_OLDEST = 20
_ASKING = 20.0  # seconds
_ASK = """
const flags = process.allowedNodeEnvironmentFlags;
const known = ["--permission", "--experimental-permission", "--allow-net"];
console.log([process.versions.node, ...known.filter((one) => flags.has(one))].join(" "));
"""
_MODEL = "Node.js, Permissions"  # nodejs.org/api/permissions.html
_REFUSES = {
    **dict.fromkeys(
        ("fd_chmod", "fd_chown", "fd_utimes"),
        "Node.js, fs: fchmod, fchown and futimes are disabled, also for what may be written",
    ),
    "fs_symlink": "Node.js, fs: links are made where everything may be read and written alone",
    "fd_reopen": f"{_MODEL}: a descriptor has no granted name, since /proc is not granted",
}
_LIMITS = {
    "links": f"{_MODEL}: symbolic links are followed to places that were not granted",
    "fds_inherited": f"{_MODEL}: descriptors that are open already are not restricted",
    "proc_signal": f"{_MODEL}: sending signals is not among what is restricted",
}
_NETWORK = f"{_MODEL}: the network is restricted from Node 25 on, by --allow-net"
_STARRED = "Node takes * for a wildcard in --allow-fs-read and --allow-fs-write"


class _Known(NamedTuple):
    """What the installed program says of itself: its version, and the flags that it has."""

    version: str
    flags: tuple[str, ...]

    @property
    def permission(self) -> str | None:
        """The flag that turns the model on, None where there is none."""
        return next((one for one in self.flags if one.endswith("permission")), None)

    @property
    def network(self) -> bool:
        """Whether the model has the network in it."""
        return "--allow-net" in self.flags


class Node:
    """``node`` with the permission model on; other parts of Node are as they are by default."""

    name = "node"
    meaning = "Node.js: its permission model"
    refuses: Mapping[str, str] = _REFUSES
    opens_devices = True

    @property
    def cannot(self) -> Mapping[str, str]:
        """By kind of op: why the installed version, as documented, does not confine it."""
        network = dict.fromkeys(("net_tcp", "net_udp", "net_unix", "net_abstract"), _NETWORK)
        return UNTRIED | _LIMITS | ({} if missing("node") or _known().network else network)

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        absent = missing("node")
        if absent:
            return absent
        known = _known()
        if int(known.version.partition(".")[0] or 0) < _OLDEST or known.permission is None:
            return f"Node {known.version or 'of unknown version'}: {_OLDEST} or newer is needed"
        return None

    def version(self) -> str:
        """Return the version that is installed."""
        return _known().version

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """Return the grant as it is, None where a place holds what Node takes for a wildcard."""
        return None if holding("*", grant) else grant

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command line for a grant of real places; raises `TargetError`."""
        refuse(self.name, holding("*", grant), _STARRED)
        known = _known()
        words = [shutil.which("node") or "node", known.permission or "--permission"]
        words += [f"--allow-fs-read={one}" for one in (layout.script, *in_depth(grant.fs_read))]
        words += [f"--allow-fs-write={one}" for one in in_depth(grant.fs_write)]
        words += ["--allow-net"] if grant.net_hosts and known.network else []
        warnings = (_wide(known),) if grant.net_hosts or not known.network else ()
        return Rendered((*environment(layout), *words, layout.script), warnings=warnings)


def _wide(known: _Known) -> str:
    if known.network:
        return "net_hosts: the whole network is open, unix sockets included"
    return f"net_hosts: Node {known.version} does not restrict the network"


@functools.cache
def _known() -> _Known:
    try:
        done = subprocess.run(  # noqa: S603 - a program of the machine's own
            (shutil.which("node") or "node", "-e", _ASK),
            capture_output=True,
            text=True,
            timeout=_ASKING,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return _Known("", ())
    version, *flags = done.stdout.split() or [""]
    return _Known(version, tuple(flags))

"""Landlock with seccomp: a filter of system calls beside it closes what Landlock leaves open."""

import ctypes.util
import importlib.util
import json
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

from capfuzz.engine import Capabilities
from capfuzz.targets import probe
from capfuzz.targets.sandboxes.base import Layout, Rendered, brought_by, environment
from capfuzz.targets.sandboxes.landlock import Landlock
from capfuzz.targets.sandboxes.seccomp import profile

_LAUNCHER = str(Path(probe.__file__).with_name("filtered.py"))
_PROFILE = "seccomp.json"
_NO_PATHS = "seccomp(2): a filter sees no paths, so attributes can be changed nowhere"
_LEFT = frozenset({"fs_stat", "fd_stat", "proc_background"})  # of what Landlock does not confine


class LandlockSeccomp:
    """Landlock for files and TCP, and a filter for what it does not know of, by ``pyseccomp``."""

    name = "landlock-seccomp"
    meaning = "the kernel's Landlock with a seccomp filter beside it"
    cannot: Mapping[str, str] = MappingProxyType(
        {kind: why for kind, why in Landlock.cannot.items() if kind in _LEFT}
    )
    refuses: Mapping[str, str] = MappingProxyType(
        dict.fromkeys(
            (
                *("fs_chmod", "fs_chown", "fs_utimes", "fs_xattr"),
                *("fd_chmod", "fd_chown", "fd_utimes"),
            ),
            _NO_PATHS,
        )
    )
    opens_devices = True
    claims = frozenset({"net_port", "priv_keyctl", "priv_unshare"})

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        if importlib.util.find_spec("pyseccomp") is None:
            return "pyseccomp is not installed: pip install 'capfuzz[seccomp]'"
        if ctypes.util.find_library("seccomp") is None:
            return f"libseccomp is not installed{brought_by('libseccomp')}"
        return _LANDLOCK.unavailable()

    def version(self) -> str:
        """Return the versions of both."""
        return f"{_LANDLOCK.version()}, pyseccomp {metadata.version('pyseccomp')}"

    def expressed(self, grant: Capabilities) -> Capabilities:
        """Return the grant with what may be written readable."""
        return _LANDLOCK.expressed(grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the filter, and the command that loads it before Landlock is asked."""
        inner = _LANDLOCK.render(grant, layout)
        load = (*environment(layout), sys.executable, "-I", _LAUNCHER, _PROFILE)
        kept = (f"fs_write: {_NO_PATHS}",) if grant.fs_write else ()
        more = ("net_hosts: UDP and unix sockets are open as well",) if grant.net_hosts else ()
        return Rendered(
            (*load, *inner.command),
            {_PROFILE: json.dumps(profile(grant, attributes=False), indent=2) + "\n"},
            (*inner.warnings, *kept, *more),
            lingers=inner.lingers,
        )


_LANDLOCK = Landlock()

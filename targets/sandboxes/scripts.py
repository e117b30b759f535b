"""What runtimes of JavaScript have in common: the probe's twin, and what it cannot try."""

from collections.abc import Iterable

from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.sandboxes.base import Layout, beyond

# The kinds of op in probe.mjs; what else there is it answers with ENOSYS.
OFFERED = frozenset(
    {
        *("fs_read", "fs_write", "fs_append", "fs_truncate", "fs_list", "fs_stat", "fd_stat"),
        *("fs_rename", "fs_link", "fs_symlink", "fs_mkdir", "fs_unlink"),
        *("fs_chmod", "fs_chown", "fs_utimes"),
        *("fd_chmod", "fd_chown", "fd_utimes", "fd_reopen", "fds_inherited"),
        *("net_tcp", "net_udp", "net_port", "net_unix", "net_abstract"),
        *("proc_signal", "proc_memory", "proc_environ", "proc_root", "proc_walk"),
        *("proc_background", "env_read", "use_output", "use_time"),
    }
)
UNTRIED = beyond(
    OFFERED,
    "not tried in JavaScript, whose runtimes have few interfaces for it or none",
)


def holding(sign: str, grant: Capabilities) -> list[str]:
    """Return the granted places that hold a character which a command line would read otherwise."""
    return [one for one in (*grant.fs_read, *grant.fs_write) if sign in one]


def refuse(name: str, places: Iterable[str], why: str) -> None:
    """Raise `TargetError` for the first of places that cannot be granted, if there is one."""
    for one in places:
        raise TargetError(f"{name}: {one} cannot be granted: {why}")


def with_ports(grant: Capabilities, layout: Layout) -> list[str]:
    """Return the granted hosts, each with every port that is open of it."""
    # An IPv6 address has colons of its own.
    hosts = [f"[{host}]" if ":" in host else host for host in grant.net_hosts]
    return [f"{host}:{port}" for host in hosts for port in layout.ports] if layout.ports else hosts

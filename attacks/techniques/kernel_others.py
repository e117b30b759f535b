"""What a sandbox of the system must keep from: the network, other processes, what they leave."""

from collections.abc import Iterator

from capfuzz.attacks.kernel import LOOPBACK
from capfuzz.attacks.techniques.kernel_stage import OUTSIDE, kernel, tried
from capfuzz.attacks.techniques.scenario_model import Scenario

_SOMEBODY = 12_345  # nobody on most machines
_LONG = 3  # seconds that a process in the background lives


@kernel(
    "kernel-network",
    group="kernel-network",
    cwe="CWE-923",
    needs="shares the network, or filters one protocol of several",
)
def kernel_network() -> Iterator[Scenario]:
    """Reach a listener on loopback by TCP and by UDP where no host is granted."""
    for kind in ("net_tcp", "net_udp"):
        yield tried((kind,), means=f"{kind} to a listener outside")


@kernel(
    "kernel-port",
    group="kernel-network",
    cwe="CWE-923",
    needs="looks at the host that is reached, or at the first connection, and not at each port",
)
def kernel_port() -> Iterator[Scenario]:
    """Reach a granted host by TCP at a port that was not opened."""
    yield tried(
        ("net_port",),
        means="another port of a granted host",
        control=(("net_tcp",),),
        grant={"net_hosts": [LOOPBACK]},
    )


@kernel(
    "kernel-raw",
    group="kernel-network",
    cwe="CWE-923",
    needs="filters protocols that it knows, and leaves root its right to all others (CAP_NET_RAW)",
)
def kernel_raw() -> Iterator[Scenario]:
    """Send a packet of no known protocol, and a frame, to a listener on loopback."""
    for kind in ("net_raw", "net_packet"):
        yield tried((kind,), means=f"{kind} to a listener outside")


@kernel(
    "kernel-sockets",
    group="kernel-sockets",
    cwe="CWE-923",
    needs="guards files by path and not sockets, or shares the namespace of abstract names",
)
def kernel_sockets() -> Iterator[Scenario]:
    """Reach a unix domain socket outside, by its path and by an abstract name."""
    for kind in ("net_unix", "net_abstract"):
        yield tried((kind,), means=f"{kind} to a listener outside")


@kernel(
    "kernel-processes",
    group="kernel-processes",
    cwe="CWE-653",
    needs="shares the process namespace and the rights to act on others",
)
def kernel_processes() -> Iterator[Scenario]:
    """Signal, trace and read the memory of a process outside."""
    for kind in ("proc_signal", "proc_trace", "proc_memory"):
        yield tried((kind,), means=f"{kind} of a process outside")


@kernel(
    "kernel-procfs",
    group="kernel-procfs",
    cwe="CWE-552",
    needs="mounts the proc file system of the machine",
)
def kernel_procfs() -> Iterator[Scenario]:
    """Read the environment of a process outside, and files by way of its root."""
    yield tried(("proc_environ",), means="the environment of a process outside")
    for place in OUTSIDE:
        yield tried(("proc_root", place), means=f"{place} by another process's root")


@kernel(
    "kernel-walk",
    group="kernel-walk",
    cwe="CWE-552",
    needs="hides a process by its number, or clears an environment that /proc still has",
)
def kernel_walk() -> Iterator[Scenario]:
    """Go through /proc: the variables of every process, and files by way of its root."""
    for place in OUTSIDE:
        yield tried(("proc_walk", place), means=f"/proc, for variables and {place}")


@kernel(
    "kernel-environment",
    group="kernel-environment",
    cwe="CWE-526",
    needs="hands on the environment of whoever starts it",
)
def kernel_environment() -> Iterator[Scenario]:
    """Read a secret of the environment in which the sandbox was started."""
    yield tried(("env_read",), means="a variable of the environment outside")


@kernel(
    "kernel-outlived",
    group="kernel-outlived",
    cwe="CWE-772",
    needs="ends the process that it started and not what that one has started",
)
def kernel_outlived() -> Iterator[Scenario]:
    """Leave a process behind that lives on when the sandbox is ended."""
    yield tried(("proc_background", _LONG), means="a process that lives on")


@kernel(
    "kernel-crowd",
    group="kernel-outlived",
    cwe="CWE-772",
    needs="ends what it finds in a list, one after the other",
)
def kernel_crowd() -> Iterator[Scenario]:
    """Leave forks behind by the dozen, and one that is another process every moment."""
    yield tried(("proc_forks", _LONG), means="dozens of processes that live on")
    yield tried(("proc_respawn", _LONG), means="a process that is another every moment")


@kernel(
    "kernel-rights",
    group="kernel-rights",
    cwe="CWE-250",
    needs="leaves rights of root's that reach beyond it, such as CAP_SETUID and CAP_BPF",
)
def kernel_rights() -> Iterator[Scenario]:
    """Become another user of the machine, and make a map in its kernel."""
    yield tried(("priv_setuid", _SOMEBODY), means="a process of another user")
    yield tried(("priv_bpf",), means="a map in the kernel of the machine")


@kernel(
    "kernel-mount",
    group="kernel-rights",
    cwe="CWE-250",
    needs="shares the mounts of whoever starts it, and the right to change them (CAP_SYS_ADMIN)",
)
def kernel_mount() -> Iterator[Scenario]:
    """Mount an empty file system over a granted folder, for all outside to see."""
    yield tried(("priv_mount", "/work/out"), means="a mount that is seen outside")


@kernel(
    "kernel-keys",
    group="kernel-keys",
    cwe="CWE-522",
    needs="hands on the session keyring of whoever starts it",
)
def kernel_keys() -> Iterator[Scenario]:
    """Read a key of the session keyring in which the sandbox was started."""
    yield tried(("priv_keyctl",), means="a key of the session outside")


@kernel(
    "kernel-spaces",
    group="kernel-spaces",
    cwe="CWE-250",
    needs="filters system calls and forgets one of several that make a namespace",
)
def kernel_spaces() -> Iterator[Scenario]:
    """Make a user namespace by unshare, clone and clone3, where a filter is said to keep from it."""
    yield tried(("priv_unshare",), means="a user namespace of its own")

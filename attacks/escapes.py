"""
The scenarios of SandboxEscapeBench, and by what sign each is known without escaping.

Source: Marchand et al., Quantifying Frontier LLM Capabilities for Container Sandbox Escape,
arXiv 2603.02277 (2026): orchestration 4, runtime 8, kernel 6.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Escape:
    """
    One way out: ``sign`` is what shows it, None where nothing harmless does.

    ``note`` says what the sign does not tell, or why there is none.
    """

    name: str
    layer: str
    sign: str | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sign:
    """Something that can be seen of a running sandbox; ``meaning`` says what it lets happen."""

    name: str
    meaning: str


SIGNS: Final = (
    Sign("credentials", "keys of the machine's can be read at their usual places"),
    Sign("cluster-token", "a token for the cluster's own interface can be read at its usual place"),
    Sign("environment", "the environment of whoever starts it can be read"),
    Sign("settings", "settings of the machine's kernel can be written"),
    Sign("loopback", "a service on the machine's loopback can be reached"),
    Sign("metadata", "there is a route to the metadata address of clouds"),
    Sign("privileged", "every right of root's is in effect"),
    Sign("engine-socket", "a container engine's socket can be connected to"),
    Sign("host-files", "a file of the machine's that nobody granted can be read"),
    Sign("sys-admin", "CAP_SYS_ADMIN is in effect outside of every user namespace"),
    Sign("sys-module", "a module could be loaded into the machine's kernel"),
    Sign("sys-ptrace", "CAP_SYS_PTRACE is in effect outside of every user namespace"),
    Sign("dac-read-search", "files are opened by their handles, wherever they stand"),
    Sign("descriptor", "a descriptor that was open outside leads to files there"),
    Sign("processes", "a process outside can be signalled, or read of"),
    Sign("release-agent", "the command that the kernel runs for empty cgroups can be written"),
    Sign("bpf", "maps can be made in the machine's kernel"),
    Sign("packets", "frames can be sent past every protocol"),
    Sign("devices", "block devices, or the memory of the machine, can be opened"),
)
_KERNEL_FAULT = "a fault of the kernel, which only its exploit would show: keep the kernel new"
ESCAPES: Final = (
    Escape(
        "Kubernetes RBAC", "orchestration", "cluster-token", "what the token may do is not asked"
    ),
    Escape(
        "kubectl cp",
        "orchestration",
        None,
        "a fault of the client outside: attack its unpacker, --as archive",
    ),
    Escape("CRI-O kernel parameters", "orchestration", "settings"),
    Escape("route_localnet", "orchestration", "loopback", "by what is reached, not by the setting"),
    Escape("privileged container", "runtime", "privileged"),
    Escape("engine socket", "runtime", "engine-socket"),
    Escape("host path mounted", "runtime", "host-files"),
    Escape("CAP_SYS_ADMIN", "runtime", "sys-admin"),
    Escape("CAP_SYS_MODULE", "runtime", "sys-module"),
    Escape("CAP_DAC_READ_SEARCH", "runtime", "dac-read-search"),
    Escape(
        "runc CVE-2019-5736",
        "runtime",
        None,
        "needs somebody outside who enters the container: keep runc new",
    ),
    Escape(
        "runc CVE-2024-21626",
        "runtime",
        "descriptor",
        "the descriptor that was left open, not the folder that it is entered by",
    ),
    Escape("PID namespace shared", "kernel", "processes"),
    Escape("cgroup release_agent", "kernel", "release-agent"),
    Escape("eBPF verifier", "kernel", "bpf", "that programs could be loaded, not the fault"),
    Escape("Dirty COW", "kernel", None, _KERNEL_FAULT),
    Escape("Dirty Pipe", "kernel", None, _KERNEL_FAULT),
    Escape("packet socket", "kernel", "packets", "that such sockets can be had, not the fault"),
)

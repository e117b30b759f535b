"""What an adapter of a sandbox is: whether it can run here, and what a grant becomes for it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from capfuzz.attacks.kernel import ASKED_IF_CLAIMED, FAR, KINDS
from capfuzz.attacks.naive import segments, within
from capfuzz.engine import Capabilities

# What a dynamically linked program needs to run; no part of the tree that is judged.
_RUNTIME = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives")
_ASKING = 10.0  # seconds
_OF_ROOT = ("/usr/local/sbin", "/usr/sbin", "/sbin")  # not on the PATH of everybody
# The package that brings a program, as Debian and its kin call it.
_PACKAGES = {
    "bwrap": "bubblewrap",
    "docker": "docker.io",
    "dockerd": "docker.io",
    "libseccomp": "libseccomp2",
    "node": "nodejs",
    "rg": "ripgrep",
    "systemd-nspawn": "systemd-container",
    **dict.fromkeys(("pivot_root", "setpriv", "unshare"), "util-linux"),
    **{one: one for one in ("crun", "firejail", "podman", "runc", "runsc", "socat", "tar")},
}
_MOST_PIDS = 2**22  # Linux: PID_MAX_LIMIT


@dataclass(frozen=True, slots=True)
class Layout:
    """
    Where things really are on this machine.

    ``command`` is what runs inside; ``inside`` are files that it needs beside ``runtime``.
    ``script`` is the same probe in JavaScript, for a runtime of that language.
    ``python`` is for launchers that are scripts, ``environment`` what a sandbox must hand on.
    ``folder`` is empty but for the files of the configuration; ``mark`` is a name that nothing else
    on this machine has. ``ports`` are those of a granted host that are open, none for all of them.
    """

    command: tuple[str, ...]
    inside: tuple[str, ...] = ()
    runtime: tuple[str, ...] = _RUNTIME
    script: str = "probe.mjs"
    python: str = sys.executable
    environment: tuple[str, ...] = ()
    folder: str = "."
    mark: str = "capfuzz"
    ports: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Rendered:
    """
    A grant in the words of one system: ``command`` starts it, ``files`` are written before.

    ``ending`` removes what is left when it was ended, if it may leave something.
    ``warnings`` say by name what the system takes otherwise than the grant has it. ``lingers``: what
    runs inside is not ended with the command.
    """

    command: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    ending: tuple[str, ...] = ()
    lingers: bool = False


class Adapter(Protocol):
    """One system that can confine a process."""

    @property
    def name(self) -> str:
        """How it is called on the command line."""

    @property
    def meaning(self) -> str:
        """What it is, in a few words."""

    @property
    def cannot(self) -> Mapping[str, str]:
        """By kind of op: why the system, as documented, does not confine it."""

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""

    def version(self) -> str:
        """Return the version that is installed."""

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """Return the grant as the system can have it, never a smaller one; None if not at all."""

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the configuration for a grant of real places."""


@runtime_checkable
class Strict(Protocol):
    """What an adapter says beside of a system that refuses some things whatever is granted."""

    @property
    def refuses(self) -> Mapping[str, str]:
        """By kind of op: why the system, as documented, refuses it where it is granted, too."""

    @property
    def opens_devices(self) -> bool:
        """Whether places below ``/dev`` can be granted, such as ``/dev/shm``."""


def refused(adapter: Adapter) -> Mapping[str, str]:
    """Return the kinds of op that are asked only where they are not granted, each with why."""
    return adapter.refuses if isinstance(adapter, Strict) else {}


def grantable_in_memory(adapter: Adapter) -> bool:
    """Tell whether a tree that stands in memory can be granted."""
    return not isinstance(adapter, Strict) or adapter.opens_devices


def claims_of(adapter: Adapter) -> frozenset[str]:
    """Return the kinds of op that a system says it confines, of those that most do not."""
    return frozenset(getattr(adapter, "claims", ()))


def meters_of(adapter: Adapter) -> frozenset[str]:
    """Return the budgets that a system keeps itself; the others are kept by what stands around it."""
    return frozenset(getattr(adapter, "meters", ()))


def limits_told(adapter: Adapter) -> tuple[str, ...]:
    """Return a line for each reason why some kinds of op are not asked, with all those kinds."""
    kinds: dict[str, list[str]] = {}
    claims = claims_of(adapter)
    unclaimed = {one: why for one, why in ASKED_IF_CLAIMED.items() if one not in claims}
    for kind, reason in (unclaimed | dict(adapter.cannot) | dict(refused(adapter))).items():
        kinds.setdefault(reason, []).append(kind)
    return tuple(f"{', '.join(several)}: {reason}" for reason, several in kinds.items())


def beyond(offered: Collection[str], why: str) -> dict[str, str]:
    """Return why each kind of op is not asked that a probe does not offer; files apart are read as any."""
    return {kind: why for kind in KINDS if kind not in offered and kind not in FAR}


def layout_for(probe: str, interpreter: str = "/usr/bin/python3") -> Layout:
    """
    Return the layout for a probe that Python runs: the system's, else the one that runs this.

    Its twin in JavaScript stands beside it.
    """
    script = str(Path(probe).with_name("probe.mjs"))
    if os.path.exists(interpreter):
        command = (interpreter, "-S", probe)
        return Layout(command, (probe,), _existing(_RUNTIME), script, python=interpreter)
    home = os.path.realpath(sys.base_prefix)
    return Layout((sys.executable, "-S", probe), (probe,), _existing((*_RUNTIME, home)), script)


def _existing(places: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(place for place in places if os.path.lexists(place))


def searched() -> str:
    """Return where programs are looked for: PATH, and after it where those for root stand."""
    return os.pathsep.join((os.environ.get("PATH") or os.defpath, *_OF_ROOT))


def missing(*programs: str) -> str | None:
    """Return that a program is not installed, and what brings it; None where all are."""
    path = searched()
    absent = (one for one in programs if not shutil.which(one, path=path))
    return next((f"{one} is not installed{brought_by(one)}" for one in absent), None)


def brought_by(program: str) -> str:
    """Return a clause that names the package of a program; nothing where none is known."""
    package = _PACKAGES.get(program)
    return f": apt install {package}, or your distribution's package" if package else ""


def missing_proc() -> str | None:
    """Return that there is no proc file system, by which sandboxes are watched; None if there is."""
    if os.path.exists("/proc/self/fd"):
        return None
    return "/proc is needed and is not mounted: mount -t proc proc /proc"


def missing_root() -> str | None:
    """Return that whoever runs this is not root, None where it is."""
    return None if os.geteuid() == 0 else "it needs root"


def said(*command: str) -> str:
    """Return the first line that a command prints, such as its version."""
    done = subprocess.run(  # noqa: S603 - a program of the machine's own
        command,
        env={**os.environ, "PATH": searched()},
        capture_output=True,
        text=True,
        timeout=_ASKING,
        check=False,
    )
    return next(iter((done.stdout or done.stderr).splitlines()), "")


def reading_what_it_writes(grant: Capabilities) -> Capabilities:
    """Return the grant for a system in which what may be written may be read as well."""
    reads = [*grant.fs_read, *(one for one in grant.fs_write if not within(one, grant.fs_read))]
    return Capabilities(
        reads,
        grant.fs_write,
        grant.net_hosts,
        grant.allowed_tools,
        grant.max_ops,
        grant.max_output_bytes,
        grant.max_wall,
    )


class Mounting:
    """What systems have in common that mount the granted places: all kinds of op are confined."""

    cannot: Mapping[str, str] = MappingProxyType({})

    def expressed(self, grant: Capabilities) -> Capabilities:
        """Return the grant with what may be written readable, as a bind mount has it."""
        return reading_what_it_writes(grant)


def environment(layout: Layout, **more: str) -> tuple[str, ...]:
    """Return the words that start a program with nothing of the environment of whoever runs this."""
    values = {"PATH": "/usr/bin:/bin", **more}
    told = (f"{name}={value}" for name, value in values.items())
    return ("/usr/bin/env", "-i", *layout.environment, *told)


def ended(rendered: Rendered) -> None:
    """Let a system remove what is left of a sandbox that was ended."""
    if rendered.ending:
        subprocess.run(  # noqa: S603 - a program of the machine's own
            rendered.ending,
            env={**os.environ, "PATH": searched()},
            capture_output=True,
            timeout=_ASKING,
            check=False,
        )


def in_depth(places: tuple[str, ...]) -> list[str]:
    """Return places, plainly spelt and each once, with each after the folders that it lies in."""
    return sorted({plain(place) for place in places}, key=lambda one: (one.count("/"), one))


def plain(place: str) -> str:
    """Return a place in its one spelling."""
    return "/" + "/".join(segments(place))


def opened(grant: Capabilities, layout: Layout) -> list[tuple[str, bool]]:
    """Return the places that stand inside beside the runtime, and whether each may be written."""
    places = in_depth((*layout.inside, *grant.fs_read, *grant.fs_write))
    return [(place, within(place, grant.fs_write)) for place in places]


def standing(grant: Capabilities, layout: Layout) -> list[tuple[str, bool]]:
    """Return all places that stand inside, the runtime first, and whether each may be written."""
    return [*((place, False) for place in layout.runtime), *opened(grant, layout)]


def write_only(grant: Capabilities) -> tuple[str, ...]:
    """Return a warning for each place that could be written and not read, if a system had that."""
    return tuple(
        f"fs_write {one}: can be read as well"
        for one in grant.fs_write
        if not within(one, grant.fs_read)
    )


def shared_network(grant: Capabilities) -> tuple[str, ...]:
    """Return a warning that all of the network is open where any host is granted."""
    return ("net_hosts: the whole network is shared",) if grant.net_hosts else ()


def most_processes(grant: Capabilities) -> int:
    """Return what ``max_ops`` becomes where processes are limited and nobody counts ops."""
    return min(grant.max_ops, _MOST_PIDS)


def processes_for_ops(grant: Capabilities) -> str:
    """Return the warning that `most_processes` is all that ``max_ops`` becomes."""
    return f"max_ops {grant.max_ops}: nobody counts ops; no more than so many processes at once"


def addresses(grant: Capabilities) -> tuple[list[str], list[str]]:
    """Return the granted hosts that are IP literals, and those that are names."""
    found = [one for one in grant.net_hosts if _is_address(one)]
    return found, [one for one in grant.net_hosts if one not in found]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True

"""
The control run: each kind of attack is tried once where nothing confines it, and must land.

It runs in private namespaces of mounts, processes, network, IPC and host name, with the listeners
and the process under attack in them, so nothing of this machine is touched. Who is not root has it
in a user namespace, where no right of root's is left: with them more would land than lands outside.
"""

import ctypes
import fcntl
import functools
import json
import os
import select
import socket
import struct
import sys
from dataclasses import dataclass
from typing import Any

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.invariants import Severity, judge
from capfuzz.attacks.kernel import KINDS
from capfuzz.attacks.vectors import CORPUS, Vector, load
from capfuzz.engine import Capabilities
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.planted import planting, remove, scratch
from capfuzz.targets.processes import Child, program
from capfuzz.targets.sandboxes.bare import Bare
from capfuzz.targets.sandboxes.base import Layout, Rendered, missing, searched
from capfuzz.targets.sandboxes.user_namespaces import refused

LONGEST = 60.0  # seconds that it may take
_LATE = 1.0  # seconds after a deadline that nobody keeps
_MOST_TOLD = 200  # characters of what went wrong
SPACES = (
    *("--mount", "--pid", "--net", "--ipc", "--uts", "--propagation", "private"),
    *("--fork", "--kill-child", "--mount-proc"),
)
_FLAGS, _UP = 0x8914, 1  # netdevice(7): SIOCSIFFLAGS, IFF_UP
_SECURE_BITS, _NO_ROOT = 28, 0x3  # prctl(2), capabilities(7): root's number gives no rights
_VERSION = 0x20080522  # of capset(2): 3


@dataclass(frozen=True, slots=True)
class Control:
    """Kinds of op of which no attack landed; ``told``: that it is so, or why there was no run."""

    missed: frozenset[str] = frozenset()
    told: str = ""


@functools.cache
def control() -> Control:
    """Return what the control run shows; it is made once in a process."""
    absent = missing("unshare")
    if absent:
        return _no_run(absent)
    base = scratch()
    try:
        said = _said(base)
    finally:
        remove(base)
    try:
        landed: dict[str, bool] = json.loads(said)
    except ValueError:
        return _no_run(refused() or said[-_MOST_TOLD:] or "it did not answer")
    missed = [kind for kind, hit in landed.items() if not hit]
    told = f"{', '.join(missed)}: not tried, since it did not land without any sandbox either"
    return Control(frozenset(missed), told if missed else "")


def _no_run(reason: str) -> Control:
    """Return that nothing is known to land but what honest work inside a sandbox shows by itself."""
    ops: list[Any] = [op for one in _vectors() if one.is_control for op in one.case.ops]
    honest = {op[0] for op in ops}
    told = f"no control run without a sandbox: {reason}; so what no honest work does is not tried"
    return Control(frozenset(KINDS) - honest, told)


def _vectors() -> tuple[Vector, ...]:
    return load(sorted(CORPUS.glob("kernel-*.json")))


@planting()
def _said(base: str) -> str:
    """Return the last line of a control run, or what went wrong with it."""
    is_root = os.geteuid() == 0
    user = () if is_root else ("--user", "--map-root-user")
    told = f"{is_root}, {os.path.basename(base)!r}"
    inside = (sys.executable, "-c", program("capfuzz.targets.control", "main", told))
    environment = {"TMPDIR": base, "PATH": searched()}
    child = Child(("unshare", *user, *SPACES, *inside), base, os.getcwd(), environment)
    try:
        out = child.process.stdout
        assert out is not None
        ready, _, _ = select.select([out], [], [], LONGEST)
        line = out.readline().decode("utf-8", "replace").strip() if ready else ""
        return line or child.drain()
    finally:
        child.close()


def main(is_root: bool, apart: str) -> None:  # noqa: FBT001 - called by a line of code
    """
    Try all in the namespaces in which this process was started, and print which kinds landed.

    ``apart`` is what its folders in those of the machine are called: a number of its own means nothing
    outside, and a sweep goes by numbers.
    """
    _loopback_up()
    if not is_root:
        _leave_rights()
    sys.stdout.write(json.dumps(_landed(apart)) + "\n")
    sys.stdout.flush()


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        fcntl.ioctl(made, _FLAGS, struct.pack("16sH14x", b"lo", _UP))


def _leave_rights() -> None:
    """Keep no right of root's in this user namespace, nor let what is run have any."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, none = ctypes.create_string_buffer(struct.pack("Ii", _VERSION, 0)), bytes(24)
    if libc.prctl(_SECURE_BITS, _NO_ROOT, 0, 0, 0) < 0 or libc.capset(header, none) < 0:
        raise OSError(ctypes.get_errno(), "the rights of root could not be left")


def _landed(apart: str) -> dict[str, bool]:
    """Return for each kind of op that some attack has whether any attack of it lands."""
    landed: dict[str, bool] = {}
    target = CommandTarget("control", _Inheriting(), apart=apart, late=_LATE)
    try:
        for vector in _vectors():
            if not vector.is_control:
                _try(target, vector, landed)
    finally:
        target.close()
    return landed


def _try(target: CommandTarget, vector: Vector, landed: dict[str, bool]) -> None:
    """Try a vector, if it has a denied op of a kind that has not landed yet."""
    case: Any = target.adapt(vector.case)
    denied = {
        op[0] for op, said in zip(case.ops, case.verdicts, strict=True) if said is Verdict.DENY
    }
    if all(landed.get(kind) for kind in denied):
        return
    trace = target.run(case)
    faults = [one for one in judge(trace).breaches if one.severity is Severity.ERROR]
    hit = {case.ops[one.step][0] for one in faults}
    for kind in denied:
        landed[kind] = landed.get(kind, False) or kind in hit


class _Inheriting(Bare):
    """Nothing confined, and a folder outside of the grant held open."""

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command that runs inside, started with the folder open."""
        folder = f"{grant.fs_read[0].removesuffix('/work/')}/other"
        return Rendered(("sh", "-c", 'exec 9<"$0"; exec "$@"', folder, *layout.command))

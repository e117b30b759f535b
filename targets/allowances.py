"""
What limits memory, processes and processor time in a sandbox: told for information, judged by nobody.

A grant has no budget of memory or processor time, so a sandbox without a limit of them is no wrong one.
A limit is told where it is tighter than the suite's own. Control groups are read from outside, of the
process that the probe is on this machine; of one in a kernel of its own, none are.
"""

import contextlib
import json
import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from capfuzz.targets.base import TargetError
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.posture import case_of

_CASE = case_of(("env_read",))
_GROUPS = Path("/sys/fs/cgroup")
_ALL = 2**62  # bytes, more than there are
_MEMORY, _STARTED, _BURNT = 64, 32, 0.5  # MiB, processes, seconds


@dataclass(frozen=True, slots=True)
class _Kind:
    """What can be limited: by which limits of a process, and by which files of a control group."""

    name: str
    limits: tuple[str, ...]
    controller: str
    files: tuple[str, ...]  # of the newer kind of group, and of the older
    look: str
    amount: float
    used: str  # in a sentence


_KINDS: Final = (
    _Kind(
        "memory",
        ("RLIMIT_AS", "RLIMIT_DATA"),
        "memory",
        ("memory.max", "memory.limit_in_bytes"),
        "look_memory",
        _MEMORY,
        f"{{}} of {_MEMORY} MiB could be held",
    ),
    _Kind(
        "processes",
        ("RLIMIT_NPROC",),
        "pids",
        ("pids.max",),
        "look_started",
        _STARTED,
        f"{{}} of {_STARTED} could be started",
    ),
    _Kind(
        "processor time",
        ("RLIMIT_CPU",),
        "cpu",
        ("cpu.max", "cpu.cfs_quota_us"),
        "look_burnt",
        _BURNT,
        f"{{}} of {_BURNT:g} s were had",
    ),
)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is limited by which limits, none where nothing is seen that does, and what could be used."""

    name: str
    limits: tuple[str, ...]
    used: str


def allowances(target: CommandTarget) -> tuple[Allowance, ...]:
    """Return what a sandbox lets a program use; raises `TargetError`."""
    try:
        told = json.loads(target.looked(_CASE, "look_limits", []))
    except ValueError:
        raise TargetError(f"{target.spec}: what runs inside cannot look at its limits") from None
    process = target.process_of(told["pid"], told["space"])
    # All of them first: what uses too much is ended.
    limits = [(*_of_process(one, told["limits"]), *_of_groups(one, process)) for one in _KINDS]
    return tuple(
        Allowance(kind.name, known, _used(target, kind))
        for kind, known in zip(_KINDS, limits, strict=True)
    )


def _used(target: CommandTarget, kind: _Kind) -> str:
    answer = target.looked(_CASE, kind.look, [kind.amount]).decode("ascii", "replace")
    return kind.used.format(answer) if answer else "it was ended when it tried to use some"


def _of_process(kind: _Kind, limits: dict[str, int | None]) -> Iterator[str]:
    for name in kind.limits:
        own = resource.getrlimit(getattr(resource, name))[0]
        known = limits[name]
        if known is not None and (own == resource.RLIM_INFINITY or known < own):
            yield f"{name} {known}"


def _of_groups(kind: _Kind, process: int | None) -> Iterator[str]:
    """Yield the limits of the control groups that a process is in, and the suite is not."""
    if process is None:
        return
    ours = set(_groups(os.getpid(), kind.controller))
    for group in _groups(process, kind.controller):
        for file in kind.files:
            with contextlib.suppress(OSError):  # another kind of group has another file
                text = (group / file).read_text(encoding="ascii").strip()
                if group not in ours and _limits(text):
                    yield f"{file} {text}"


def _groups(process: int, controller: str) -> Iterator[Path]:
    """Yield the groups of a process by the controller, from its own up; the topmost has no limit."""
    for line in Path(f"/proc/{process}/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, place = line.split(":", 2)
        if controller in controllers.split(",") or not controllers:
            top = _GROUPS / controller if controllers else _GROUPS
            inner = top / place.strip("/")
            yield from (one for one in (inner, *inner.parents) if top in one.parents)


def _limits(text: str) -> bool:
    """Tell whether a file says a number; of the older kind, -1 or one beyond all memory is none."""
    first = text.partition(" ")[0]
    return first.isdecimal() and int(first) < _ALL

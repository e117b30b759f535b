"""
What can be seen of a running sandbox that leads out of it, by evidence that harms nobody.

What the probe answers is believed where only looking can tell, since the probe is ours. Rights are
read from outside, of the process that the probe is on this machine; of one in a kernel of its own
there is none, and rights in that kernel are not this machine's.
"""

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.attacks.escapes import SIGNS
from capfuzz.attacks.invariants import Severity, judge
from capfuzz.engine import Capabilities
from capfuzz.targets import credentials
from capfuzz.targets.base import TargetError
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.planted import planting, remove, scratch

_SECRET, _READABLE = "/other/secret.txt", "/work/data.txt"
_WORLD = WorldSpec({_READABLE: b"honest data", _SECRET: b"secret of /other/secret.txt"})
_GRANT = Capabilities(fs_read=("/work/",), fs_write=("/work/out/",))  # as of a command's
_LOOK = "look_around"
# Ops of attacks, any of which shows a sign where it lands.
_TRIED: Mapping[str, tuple[tuple[Any, ...], ...]] = {
    "environment": (("env_read",), ("proc_walk", _READABLE)),
    "loopback": (("net_tcp",), ("net_udp",)),
    "packets": (("net_packet",), ("net_raw",)),
    "dac-read-search": (("fs_handle", _SECRET, _READABLE),),
    "descriptor": (("fds_inherited",),),
    "processes": (
        *(("proc_signal",), ("proc_trace",), ("proc_memory",)),
        *(("proc_environ",), ("proc_root", _SECRET)),
    ),
    "bpf": (("priv_bpf",),),
}
SOCKETS = (
    *("/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock"),
    *(
        "/run/containerd/containerd.sock",
        "/run/crio/crio.sock",
        "/run/k3s/containerd/containerd.sock",
    ),
)
_ADMIN, _MODULE, _PTRACE, _RAW = 21, 16, 19, 13  # capabilities(7)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the probe has looked at, and its process on this machine, None where it is none of it."""

    told: Mapping[str, Any]
    process: int | None

    @property
    def rights(self) -> int:
        """The capabilities in effect, none where they are those of a user namespace."""
        if self.process is None:
            return 0
        there = Path(f"/proc/{self.process}")
        if os.readlink(there / "ns/user") != os.readlink("/proc/self/ns/user"):
            return 0
        status = (there / "status").read_text(encoding="utf-8")
        return int(status.partition("CapEff:")[2].split()[0], 16)


@planting()
def posture(target: CommandTarget, sockets: tuple[str, ...] = SOCKETS) -> dict[str, str]:
    """Return the evidence for each sign that a sandbox shows; raises `TargetError`."""
    with _Planted() as planted:
        keys = credentials.own()
        arguments = [planted.places, list(sockets), credentials.usual(keys)]
        seen = _seen(target, arguments)
        found = {
            **_rights(seen),
            **{name: told for name, ops in _TRIED.items() if (told := _landed(target, ops))},
            **_looked(seen.told, planted.marks),
            "credentials": _first(_credentials(seen.told, keys)),
            "cluster-token": _first(_tokens(seen.told)),
        }
    return {one.name: found[one.name] for one in SIGNS if found.get(one.name)}


class _Planted:
    """Files of the machine's that nobody grants, in memory and where temporary files go."""

    def __init__(self) -> None:
        self._folders = [scratch(in_memory=True), scratch(in_memory=False)]
        self.marks = [secrets.token_hex(16) for _ in self._folders]
        self.places = [f"{folder}/canary" for folder in self._folders]

    def __enter__(self) -> Self:
        for place, mark in zip(self.places, self.marks, strict=True):
            Path(place).write_text(mark, encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        for folder in self._folders:
            remove(folder)


def _credentials(told: Mapping[str, Any], keys: Mapping[tuple[int, int], str]) -> list[str]:
    """Return the places inside at which something of the machine's own can be opened."""
    own = (place for place, *identity in told["credentials"] if tuple(identity) in keys)
    return list(dict.fromkeys(own))


def _tokens(told: Mapping[str, Any]) -> list[str]:
    """Return the place of a token, if there is one: it is nobody's but a cluster's."""
    return [place for place, *_ in told["credentials"] if place == credentials.TOKEN]


def _seen(target: CommandTarget, arguments: list[Any]) -> Seen:
    answer = target.looked(case_of(("env_read",)), _LOOK, arguments)
    try:
        told = json.loads(answer)
    except ValueError:
        raise TargetError(
            f"{target.spec}: what runs inside cannot look around, so nothing can be seen"
        ) from None
    return Seen(told, target.process_of(told["pid"], told["space"]))


def case_of(op: tuple[Any, ...]) -> Case:
    """Return an op under the grant of a command's, in which all is looked for."""
    return Case(_GRANT, _WORLD, (op,), ("kernel-content",), "posture")


def _landed(target: CommandTarget, ops: tuple[tuple[Any, ...], ...]) -> str:
    """Return what was seen of the first op that reached what nobody granted, or nothing."""
    for op in ops:
        trace = target.run(case_of(op))
        if any(one.severity is Severity.ERROR for one in judge(trace).breaches):
            effects = [f"{one.kind} of {one.place}" for one in trace.steps[0].effects]
            return f"{op[0]}: {', '.join(effects)}"
    return ""


def _rights(seen: Seen) -> dict[str, str]:
    rights = seen.rights
    own = Seen({}, os.getpid()).rights
    in_effect = f"CapEff {rights:#x} of process {seen.process} of this machine"
    loads = rights >> _MODULE & 1 and seen.told["module"] == "EBADF"
    return {
        "privileged": f"all of ours, {in_effect}" if rights == own and rights >> _ADMIN & 1 else "",
        "sys-admin": in_effect if rights >> _ADMIN & 1 else "",
        "packets": in_effect if rights >> _RAW & 1 else "",
        "sys-ptrace": in_effect if rights >> _PTRACE & 1 else "",
        "sys-module": f"finit_module(-1): EBADF, {in_effect}" if loads else "",
        "release-agent": _first(seen.told["agents"] if rights >> _ADMIN & 1 else [], "to write"),
        "settings": _first(seen.told["settings"] if seen.process else [], "to write"),
        "devices": _first(seen.told["devices"] + seen.told["unmasked"] if seen.process else []),
    }


def _first(places: list[str], how: str = "to read") -> str:
    return f"{', '.join(places)}: opened {how}" if places else ""


def _looked(told: Mapping[str, Any], marks: list[str]) -> dict[str, str]:
    host_files = sorted({"a canary"} if set(marks) & set(told["canaries"]) else ())
    sockets = [one[0] for one in told["sockets"] if _is_ours(one)]
    route = "a datagram socket could be pointed at 169.254.169.254; nothing was sent"
    return {
        "host-files": _first(host_files),
        "engine-socket": f"{', '.join(sockets)}: connected to" if sockets else "",
        "metadata": route if told["route"] else "",
    }


def _is_ours(identity: list[Any]) -> bool:
    """Tell whether a file inside is the one that has this name on the machine."""
    place, device, inode = identity
    try:
        seen = os.stat(place)
    except OSError:
        return False
    return (seen.st_dev, seen.st_ino) == (device, inode)

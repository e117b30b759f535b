"""
Firecracker: the configuration of a virtual machine for one grant. It is not run by this suite.

Source: Firecracker's API (``--config-file``), which shares no folder with the machine: what is
granted goes in as images of disks.
"""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from capfuzz.engine import Capabilities
from capfuzz.targets.rendering.base import NEVER_RUN, listed
from capfuzz.targets.sandboxes.base import Layout, Rendered, opened, write_only

_BOOT = "console=ttyS0 reboot=k panic=1 pci=off"
_DISK = """\
set -eu
PATH=$PATH:/usr/sbin:/sbin  # of mkfs.ext4
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
# A folder becomes a disk. A file stands alone in one: mount that elsewhere, and bind the file.
disk() {
    from=$1
    if [ ! -d "$1" ]; then
        from=$own/$2
        mkdir "$from"
        cp -p "$1" "$from"
    fi
    mkfs.ext4 -q -d "$from" "$2" 256M
}"""
# Of these a grant says nothing.
_SIZE: Final = {"vcpu_count": 1, "mem_size_mib": 512}


@dataclass(frozen=True, slots=True)
class Firecracker:
    """A machine without a network, with a disk for each place."""

    name: str = "firecracker"
    meaning: str = "the configuration of a microVM; never run by this suite"
    meters: frozenset[str] = frozenset()

    def wider(self, grant: Capabilities, ports: tuple[int, ...] = ()) -> tuple[str, ...]:
        """Return nothing: no network is rendered, and a disk holds what was put on it."""
        del grant, ports
        return ()

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the configuration, a script that makes the disks, and the command."""
        places = opened(grant, layout)
        config = {
            "boot-source": {"kernel_image_path": "vmlinux", "boot_args": _BOOT},
            "drives": [_drive("rootfs"), *(_drive(*told) for told in _disks(places))],
            "network-interfaces": [],
            "machine-config": dict(_SIZE),
        }
        return Rendered(
            ("firecracker", "--no-api", "--config-file", "vm.json"),
            {"vm.json": json.dumps(config, indent=2) + "\n", "disks.sh": _script(places)},
            tuple(_warnings(grant)),
        )


def _disks(places: list[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    for number, (_, writable) in enumerate(places):
        yield f"place-{number}", writable


def _drive(name: str, writable: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002
    return {
        "drive_id": name.replace("-", "_"),
        "path_on_host": f"{name}.ext4",
        "is_root_device": name == "rootfs",
        "is_read_only": not writable,
    }


def _script(places: list[tuple[str, bool]]) -> str:
    lines = [_DISK]
    for number, (place, writable) in enumerate(places):
        lines.append(
            f"# to be mounted {'to be written' if writable else 'read-only'} at the same place"
        )
        lines.append(f"disk {shlex.quote(place)} place-{number}.ext4")
    return "\n".join((*lines, ""))


def _warnings(grant: Capabilities) -> Iterator[str]:
    yield NEVER_RUN
    yield from write_only(grant)
    places = list(dict.fromkeys((*grant.fs_read, *grant.fs_write)))
    if places:
        yield (
            f"fs_read, fs_write {listed(places)}: copied to disks by disks.sh; what is written stays "
            "on them, and the image must mount them"
        )
    if grant.net_hosts:
        yield f"net_hosts {listed(grant.net_hosts)}: NOT opened: a machine's network has no filter"
    yield "the command is for the image to start: Firecracker boots a kernel"

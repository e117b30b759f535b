"""Podman: a container of an empty root, in which the granted places are mounted."""

import shlex
import shutil
from collections.abc import Iterator

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    environment,
    missing,
    missing_root,
    said,
)
from capfuzz.targets.sandboxes.containers import AROUND, OWN_RUN, PATH, mount, without_groups
from capfuzz.targets.sandboxes.engines import Engine
from capfuzz.targets.sandboxes.mounts import mounted
from capfuzz.targets.sandboxes.trying import refusal

_IN_RUN = ("--runroot=/run/state", "--tmpdir=/run/notes", "--storage-driver=vfs")
_OPTIONS = (
    *("--rm", "--interactive", "--pull=never", "--no-hosts", "--log-driver=none"),
    *("--read-only", "--read-only-tmpfs=false", "--cap-drop=all", "--env=PATH=/usr/bin:/bin"),
    *("--security-opt=no-new-privileges", "--ulimit=host"),
)
_SETTINGS = """\
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
lock_type = "file"
runtime = "{runtime}"
"""


class Podman(Engine):
    """``podman run`` as root, without an image and without the machine's own containers."""

    engine = "podman"
    meaning = "podman: a container without an image; podman:NAME by another runtime"

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        return missing(self.engine, "unshare") or missing_root() or refusal(self)

    def version(self) -> str:
        """Return the version that is installed."""
        return said(self.engine, "--version")

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command line for a grant of real places, and the settings of the engine."""
        conf = f"{layout.folder}/containers.conf"
        clean = environment(layout, PATH=PATH, CONTAINERS_CONF=conf)
        network = "host" if grant.net_hosts else "none"
        limit = self.limit(grant)
        own = (
            limit,
            f"--network={network}",
            f"--cgroup-parent=/{layout.mark}",
            *_mounts(grant, layout),
        )
        run = ("run", *_OPTIONS, *own, "--rootfs", f"{layout.folder}/rootfs", *layout.command)
        kept = (*_IN_RUN, f"--root={layout.folder}/store", *self._chosen(grant))
        script = f"{OWN_RUN} && exec {shlex.join((*clean, self.engine, *kept, *run))}"
        return Rendered(
            (*AROUND, "sh", "-c", script),
            {
                "containers.conf": _SETTINGS.format(runtime=_runtime()),
                "rootfs/usr/empty": "",
            },
            self.warnings(grant),
            ending=without_groups(layout.mark),
        )

    def _chosen(self, grant: Capabilities) -> tuple[str, ...]:
        """Return the options for the runtime that was chosen, whose own are told without dashes."""
        if self.runtime is None:
            return ()
        flags = (f"--runtime-flag={one.removeprefix('--')}" for one in self.options(grant))
        return (f"--runtime={self.runtime}", *flags)


def _runtime() -> str:
    return "runc" if shutil.which("runc") else "crun"


def _mounts(grant: Capabilities, layout: Layout) -> Iterator[str]:
    for place, writable in mounted(grant, layout):
        yield mount(place, f"ro={str(not writable).lower()}")

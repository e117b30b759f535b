"""Docker: a container of an empty image, run by a daemon of its own that ends with it."""

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    missing,
    missing_root,
    said,
)
from capfuzz.targets.sandboxes.containers import AROUND, OWN_RUN, mount, without_groups
from capfuzz.targets.sandboxes.engines import Engine
from capfuzz.targets.sandboxes.mounts import mounted
from capfuzz.targets.sandboxes.trying import refusal

_TOOLS = ("docker", "dockerd", "unshare")
_SOCKET = "unix:///run/docker.sock"  # in a /run of its own
_SETTINGS = "/etc/docker/daemon.json"  # of the machine's own daemon
_USUAL = "runc"  # which every daemon knows, and which is not told of again
_OF_SHIMS = "io.containerd."  # runtimes that containerd finds by themselves
_DAEMON = {
    "hosts": [_SOCKET],
    "exec-root": "/run/docker",
    "pidfile": "/run/docker.pid",
    "storage-driver": "vfs",
    "exec-opts": ["native.cgroupdriver=cgroupfs"],
    "bridge": "none",
    **dict.fromkeys(("iptables", "ip6tables", "ip-forward", "ip-masq"), False),
}
_OPTIONS = (
    *("--rm", "--interactive", "--log-driver=none", "--read-only", "--cap-drop=all"),
    *("--security-opt=no-new-privileges", "--env=PATH=/usr/bin:/bin"),
)
# It makes a key in /etc and notes in /run, so it has some of its own. It is asked until it answers;
# what it said is told where it never does. gVisor may not enter every folder for temporary files.
_ENTER = """\
set -eu
{own_run}
mkdir -p /run/etc/upper /run/etc/work
mount -t overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work none /etc
unset TMPDIR
export DOCKER_HOST={socket} DOCKER_CONFIG={folder}
dockerd --config-file={folder}/daemon.json > daemon.log 2>&1 &
asked=0
until docker version > /dev/null 2>&1; do
    asked=$((asked + 1))
    [ "$asked" -lt 100 ] || {{ tail -n 1 daemon.log >&2; exit 1; }}
    sleep 0.1
done
mkdir -p image
tar -C image -cf - . | docker import - empty > /dev/null
exec {run}
"""


class Docker(Engine):
    """``docker run`` as root; a daemon that runs already is not touched."""

    engine = "docker"
    # docs.docker.com: Seccomp security profiles; not Podman's.
    filtered = frozenset({"priv_unshare"})
    meaning = "Docker: a container of an empty image, with a daemon of its own; docker:NAME by another runtime"

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        return missing(*_TOOLS) or missing_root() or self._unknown() or refusal(self)

    def version(self) -> str:
        """Return the version of the daemon that is installed."""
        return said("dockerd", "--version")

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the settings of the daemon, and a script that starts it and the container."""
        spaces = () if grant.net_hosts else ("--net",)
        network = f"--network={'host' if grant.net_hosts else 'none'}"
        chosen = () if self.runtime is None else (f"--runtime={self.runtime}",)
        limit = self.limit(grant)
        own = (*chosen, limit, network, f"--cgroup-parent=/{layout.mark}", *_mounts(grant, layout))
        run = shlex.join(("docker", "run", *_OPTIONS, *own, "empty", *layout.command))
        script = _ENTER.format(
            own_run=OWN_RUN, socket=_SOCKET, folder=shlex.quote(layout.folder), run=run
        )
        daemon = {**_DAEMON, "data-root": f"{layout.folder}/data", **self._runtimes(grant)}
        return Rendered(
            (*AROUND, *spaces, "sh", "enter"),
            {"daemon.json": json.dumps(daemon, indent=2) + "\n", "enter": script},
            self.warnings(grant),
            ending=without_groups(layout.mark),
        )

    def _runtimes(self, grant: Capabilities) -> dict[str, Any]:
        """Return the settings by which the daemon knows the runtime, as the machine's own does."""
        if self.runtime is None or self.runtime == _USUAL or self.runtime.startswith(_OF_SHIMS):
            return {}
        found = {"path": shutil.which(self.runtime) or self.runtime}
        options = list(self.options(grant))
        told = {**found, "runtimeArgs": options} if options else _registered().get(self.runtime)
        return {"runtimes": {self.runtime: told or found}}

    def _unknown(self) -> str | None:
        """Return that the daemon would know no such runtime, None where it would."""
        if self.runtime is None or self.runtime in _registered():
            return None
        if self.runtime.startswith(_OF_SHIMS):  # its name on disk: containerd, runtime v2
            shim = self.runtime.removeprefix(_OF_SHIMS).replace(".", "-")
            return missing(f"containerd-shim-{shim}")
        absent = missing(self.runtime)
        return f"{absent}, and {_SETTINGS} has no such runtime" if absent else None


def _registered() -> dict[str, Any]:
    """Return the runtimes that the machine's own daemon is told of, by name."""
    try:
        return dict(json.loads(Path(_SETTINGS).read_text(encoding="utf-8"))["runtimes"])
    except (OSError, LookupError, TypeError, ValueError):
        return {}


def _mounts(grant: Capabilities, layout: Layout) -> Iterator[str]:
    for place, writable in mounted(grant, layout):
        yield mount(place, *(() if writable else ("readonly",)))

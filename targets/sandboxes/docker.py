"""Docker: a container of an empty image, run by a daemon of its own that ends with it."""

import json
import shlex
from collections.abc import Iterator

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Mounting,
    Rendered,
    missing,
    missing_root,
    said,
    shared_network,
    write_only,
)
from capfuzz.targets.sandboxes.containers import AROUND, OWN_RUN, mount, without_groups
from capfuzz.targets.sandboxes.mounts import mounted
from capfuzz.targets.sandboxes.trying import refusal

_TOOLS = ("docker", "dockerd", "unshare")
_SOCKET = "unix:///run/docker.sock"  # in a /run of its own
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
# what it said is told where it never does.
_ENTER = """\
set -eu
{own_run}
mkdir -p /run/etc/upper /run/etc/work
mount -t overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work none /etc
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


class Docker(Mounting):
    """``docker run`` as root; a daemon that runs already is not touched."""

    name = "docker"
    meaning = "Docker: a container of an empty image, with a daemon of its own"

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        return missing(*_TOOLS) or missing_root() or refusal(self)

    def version(self) -> str:
        """Return the version of the daemon that is installed."""
        return said("dockerd", "--version")

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the settings of the daemon, and a script that starts it and the container."""
        spaces = () if grant.net_hosts else ("--net",)
        network = f"--network={'host' if grant.net_hosts else 'none'}"
        own = (network, f"--cgroup-parent=/{layout.mark}", *_mounts(grant, layout))
        run = shlex.join(("docker", "run", *_OPTIONS, *own, "empty", *layout.command))
        script = _ENTER.format(
            own_run=OWN_RUN, socket=_SOCKET, folder=shlex.quote(layout.folder), run=run
        )
        daemon = {**_DAEMON, "data-root": f"{layout.folder}/data"}
        return Rendered(
            (*AROUND, *spaces, "sh", "enter"),
            {"daemon.json": json.dumps(daemon, indent=2) + "\n", "enter": script},
            (*write_only(grant), *shared_network(grant)),
            ending=without_groups(layout.mark),
        )


def _mounts(grant: Capabilities, layout: Layout) -> Iterator[str]:
    for place, writable in mounted(grant, layout):
        yield mount(place, *(() if writable else ("readonly",)))

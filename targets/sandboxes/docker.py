"""Docker: a container of an empty image, run by a daemon of its own that ends with it."""

import json
import shlex
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    missing,
    missing_root,
    reading_what_it_writes,
    said,
    write_only,
)
from capfuzz.targets.sandboxes.containers import AROUND, OWN_RUN, field, without_groups
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


class Docker:
    """``docker run`` as root; a daemon that runs already is not touched."""

    name = "docker"
    meaning = "Docker: a container of an empty image, with a daemon of its own"
    cannot: Mapping[str, str] = MappingProxyType({})

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        return next(filter(None, map(missing, _TOOLS)), None) or missing_root() or refusal(self)

    def version(self) -> str:
        """Return the version of the daemon that is installed."""
        return said("dockerd", "--version")

    def expressed(self, grant: Capabilities) -> Capabilities:
        """Return the grant with what may be written readable, as a bind mount has it."""
        return reading_what_it_writes(grant)

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
        shared = ("net_hosts: the whole network is shared",) if grant.net_hosts else ()
        return Rendered(
            (*AROUND, *spaces, "sh", "enter"),
            {"daemon.json": json.dumps(daemon, indent=2) + "\n", "enter": script},
            (*write_only(grant), *shared),
            ending=without_groups(layout.mark),
        )


def _mounts(grant: Capabilities, layout: Layout) -> Iterator[str]:
    for place, writable in mounted(grant, layout):
        fields = ("type=bind", f"src={place}", f"dst={place}", *(() if writable else ("readonly",)))
        yield f"--mount={','.join(map(field, fields))}"

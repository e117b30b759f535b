"""systemd-nspawn: a container of one process in a root that is empty but for what is granted."""

import shlex
from collections.abc import Iterator

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Mounting,
    Rendered,
    environment,
    missing,
    missing_root,
    said,
    standing,
    write_only,
)
from capfuzz.targets.sandboxes.containers import AROUND, OWN_RUN, PATH
from capfuzz.targets.sandboxes.trying import refusal

_PROGRAM = "systemd-nspawn"
_OPTIONS = (
    *("--quiet", "--settings=no", "--register=no", "--keep-unit", "--pipe", "--as-pid2"),
    *("--volatile=yes", "--resolv-conf=off", "--timezone=off", "--link-journal=no"),
    *("--drop-capability=all", "--no-new-privileges=yes", "--setenv=PATH=/usr/bin:/bin"),
)


class Nspawn(Mounting):
    """``systemd-nspawn`` as root: namespaces, no capabilities, a root in memory."""

    name = "nspawn"
    meaning = "systemd-nspawn: a container without an image"
    claims = frozenset({"priv_keyctl"})  # systemd-nspawn(1): those calls are refused by its filter

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        return missing(_PROGRAM, "unshare") or missing_root() or refusal(self)

    def version(self) -> str:
        """Return the version that is installed."""
        return said(_PROGRAM, "--version")

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command line for a grant of real places, and the root that it begins with."""
        network = () if grant.net_hosts else ("--private-network",)
        # Its first process inside keeps what it is started with: /proc/1/environ tells.
        start = (*environment(layout, PATH=PATH), _PROGRAM, *_OPTIONS, *network)
        words = (*start, "--directory=rootfs", *_binds(grant, layout))
        script = f"{OWN_RUN} && exec {shlex.join((*words, '--', *layout.command))}"
        return Rendered(
            (*AROUND, "sh", "-c", script),
            {"rootfs/usr/empty": ""},
            write_only(grant),
        )


def _binds(grant: Capabilities, layout: Layout) -> Iterator[str]:
    for place, writable in standing(grant, layout):
        escaped = place.replace("\\", "\\\\").replace(":", "\\:")
        yield f"{'--bind' if writable else '--bind-ro'}={escaped}"

"""systemd-nspawn: a container of one process in a root that is empty but for what is granted."""

import shlex
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    environment,
    missing,
    missing_root,
    opened,
    reading_what_it_writes,
    said,
    write_only,
)
from capfuzz.targets.sandboxes.trying import refusal

_PROGRAM = "systemd-nspawn"
# Where it is no service of systemd's, nothing ends a container whose systemd-nspawn was killed, and
# what it keeps in /run stays: so both are in namespaces that end with it.
_AROUND = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
# Its first process inside keeps the environment in which it was started, /proc/1/environ tells.
_ASIDE = "mount -t tmpfs none /run && exec"
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_OPTIONS = (
    *("--quiet", "--settings=no", "--register=no", "--keep-unit", "--pipe", "--as-pid2"),
    *("--volatile=yes", "--resolv-conf=off", "--timezone=off", "--link-journal=no"),
    *("--drop-capability=all", "--no-new-privileges=yes", "--setenv=PATH=/usr/bin:/bin"),
)


class Nspawn:
    """``systemd-nspawn`` as root: namespaces, no capabilities, a root in memory."""

    name = "nspawn"
    meaning = "systemd-nspawn: a container without an image"
    cannot: Mapping[str, str] = MappingProxyType({})
    claims = frozenset({"priv_keyctl"})  # systemd-nspawn(1): those calls are refused by its filter

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        return missing(_PROGRAM) or missing("unshare") or missing_root() or refusal(self)

    def version(self) -> str:
        """Return the version that is installed."""
        return said(_PROGRAM, "--version")

    def expressed(self, grant: Capabilities) -> Capabilities:
        """Return the grant with what may be written readable, as a bind mount has it."""
        return reading_what_it_writes(grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command line for a grant of real places, and the root that it begins with."""
        network = () if grant.net_hosts else ("--private-network",)
        start = (*environment(layout, PATH=_PATH), _PROGRAM, *_OPTIONS, *network)
        words = (*start, "--directory=rootfs", *_binds(grant, layout))
        script = f"{_ASIDE} {shlex.join((*words, '--', *layout.command))}"
        return Rendered(
            (*_AROUND, "sh", "-c", script),
            {"rootfs/usr/empty": ""},
            write_only(grant),
        )


def _binds(grant: Capabilities, layout: Layout) -> Iterator[str]:
    for place, writable in (*((one, False) for one in layout.runtime), *opened(grant, layout)):
        escaped = place.replace("\\", "\\\\").replace(":", "\\:")
        yield f"{'--bind' if writable else '--bind-ro'}={escaped}"

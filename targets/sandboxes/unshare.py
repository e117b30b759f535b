"""unshare and pivot_root: namespaces made by hand with what every distribution has."""

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
    standing,
    write_only,
)
from capfuzz.targets.sandboxes.trying import refusal

_TOOLS = ("unshare", "pivot_root", "setpriv")
_SPACES = ("--mount", "--pid", "--ipc", "--uts", "--cgroup")
_BEGIN = """\
set -eu
mkdir -p root
mount -t tmpfs -o mode=755 sandbox root
bound() { # FROM OPTIONS
    if [ -d "$1" ]; then
        mkdir -p "root$1"
    else
        mkdir -p "root${1%/*}"
        [ -e "root$1" ] || : > "root$1"
    fi
    mount -o "bind,nosuid,nodev,$2" "$1" "root$1"
}
"""
_END = """\
mkdir -p root/proc root/dev root/old
mount -t proc -o nosuid,nodev,noexec,ro proc root/proc
for one in null zero urandom; do
    : > "root/dev/$one"
    mount --bind "/dev/$one" "root/dev/$one"
done
cd root
pivot_root . old
umount -l old
rmdir old
mount -o remount,ro /
"""


class Unshare(Mounting):
    """util-linux as root: new namespaces, a root of its own, no capabilities."""

    name = "unshare"
    meaning = "util-linux: unshare, pivot_root, setpriv"

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        return missing(*_TOOLS) or missing_root() or refusal(self)

    def version(self) -> str:
        """Return the version that is installed."""
        return said("unshare", "--version")

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return a script that makes the root and enters it, and the command that runs it."""
        spaces = (*_SPACES, *(() if grant.net_hosts else ("--net",)))
        script = "\n".join((_BEGIN, *_bindings(grant, layout), _END, _entering(layout), ""))
        return Rendered(
            (
                "unshare",
                *spaces,
                "--propagation",
                "private",
                "--fork",
                "--kill-child",
                "sh",
                "enter",
            ),
            {"enter": script},
            write_only(grant),
        )


def _bindings(grant: Capabilities, layout: Layout) -> Iterator[str]:
    for place, writable in standing(grant, layout):
        yield f"bound {shlex.quote(place)} {'rw' if writable else 'ro'}"


def _entering(layout: Layout) -> str:
    dropped = ("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all")
    environment = ("/usr/bin/env", "-i", "PATH=/usr/bin:/bin")
    return f"cd / && exec {shlex.join(('setpriv', *dropped, *environment, *layout.command))}"

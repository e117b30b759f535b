"""What a campaign has on the machine while it runs, looked for again when it has ended."""

import contextlib
import os
import re
import signal
from pathlib import Path

from capfuzz.attacks.kernel import FAR
from capfuzz.targets.processes import MARK

_PROC = Path("/proc")
_SOCKET = re.compile(r"socket:\[(\d+)\]")
_NAMED = re.compile(r"^\d+ \d+ \S+ (\w+:\[\d+\]) ", re.MULTILINE)  # proc(5): mountinfo
# Where in a line of a table the number of a socket stands.
_TABLES = {
    **dict.fromkeys(("tcp", "tcp6", "udp", "udp6", "raw", "raw6"), 9),
    "packet": 8,
    "unix": 6,
}
_CGROUPS = Path("/sys/fs/cgroup")


class Watched:
    """
    All that belongs to a campaign which plants in ``folder`` and nowhere else.

    Other tests run beside it. So what is counted is what was seen at processes of the campaign's:
    those that it started, carry its mark in their environment, or name its folder.
    """

    def __init__(self, folder):
        self._folder = os.fsencode(folder)
        self._before = _links("self", "ns") | _links("self", "fd")
        self._mounts = Path("/proc/self/mounts").read_text()
        self.attacked = False  # whether a sandbox was seen that is attacked, not merely tried
        self._processes, self._namespaces, self._sockets, self._names = set(), set(), set(), set()

    def look(self, top):
        """Take down what belongs to the process ``top`` and all that it has started."""
        born = _born()
        for pid in _below(top, born) | self._marked(born):
            self._processes.add((pid, born[pid][1]))
            self._namespaces |= _links(pid, "ns") - self._before
            self._sockets |= set(filter(_SOCKET.match, _links(pid, "fd") - self._before))
        self._names |= {os.path.basename(one) for one in self._folders()}
        planted = any(os.path.isdir(f"{one}/inside") for one in self._folders())
        self.attacked |= planted and any(self._folder in _read(pid, "cmdline") for pid in born)

    def left(self):
        """Return what is left of it, under the name of what it is."""
        born = _born()
        alive = {(pid, when) for pid, (_, when) in born.items()}
        ours = {pid for pid, _ in self._processes & alive} | self._marked(born)
        held = {one for pid in ours for kind in ("ns", "fd") for one in _links(pid, kind)}
        open_ = {one for pid in born for one in _links(pid, "fd")} | _listed()
        mounts = set(Path("/proc/self/mounts").read_text().splitlines())
        found = {
            "processes": {_told(pid) for pid in ours},
            "namespaces": self._namespaces & (held | _named()),
            "sockets": self._sockets & open_,
            "mounts": mounts - set(self._mounts.splitlines()),
            "folders": self._folders(),
            "control groups": {one.name for one in _CGROUPS.glob("**/capfuzz-*")} & self._names,
        }
        return {kind: several for kind, several in found.items() if several}

    def end(self):
        """End what is left of its processes."""
        born = _born()
        for pid in {pid for pid, _ in self._processes} & set(born) | self._marked(born):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _folders(self):
        own = {str(one) for one in Path(os.fsdecode(self._folder)).glob("capfuzz-*")}
        short = {
            str(one)
            for name in self._names
            for home in FAR.values()
            for one in Path(home).glob(f"{name}*")
        }
        return own | short

    def _marked(self, born):
        mark = MARK.encode() + b"=" + self._folder + b"/"
        return {
            pid
            for pid in born
            if pid != os.getpid()
            and (mark in _read(pid, "environ") or self._folder in _read(pid, "cmdline"))
        }


def _born():
    """Return for each process that runs its parent, and when it was started."""
    found = {}
    for entry in _PROC.glob("[0-9]*"):
        words = _read(entry.name, "stat").rpartition(b") ")[2].split()
        if words and words[0] not in {b"Z", b"X"}:
            found[int(entry.name)] = (int(words[1]), words[19])
    return found


def _below(top, born):
    """Return a process that runs with all that it has started, by their numbers."""
    found, more = set(), {top} & set(born)
    while more:
        found |= more
        more = {pid for pid, (parent, _) in born.items() if parent in found} - found
    return found


def _links(pid, kind):
    """Return what the links in a folder of a process's lead to; nothing of another user's."""
    found = set()
    with contextlib.suppress(OSError):  # ended meanwhile, or somebody else's
        for name in os.listdir(f"/proc/{pid}/{kind}"):
            with contextlib.suppress(OSError):  # closed meanwhile
                found.add(os.readlink(f"/proc/{pid}/{kind}/{name}"))
    return found


def _listed():
    """Return the sockets in this network that somebody listens at or has bound."""
    return {
        f"socket:[{line.split()[at]}]"
        for table, at in _TABLES.items()
        for line in _read("self", f"net/{table}").decode("utf-8", "replace").splitlines()[1:]
    }


def _named():
    """Return the namespaces that are kept under a name, such as those in ``/run/netns``."""
    return set(_NAMED.findall(_read("self", "mountinfo").decode("utf-8", "replace")))


def _told(pid):
    words = _read(pid, "cmdline").decode("utf-8", "replace").split("\0")
    return f"{pid} {' '.join(words)}"


def _read(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:  # ended meanwhile, or somebody else's
        return b""

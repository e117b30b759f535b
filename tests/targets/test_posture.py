"""Ways out of a sandbox that stand open: each is seen where it does, and none where it does not."""

import fcntl
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from capfuzz.targets import control, credentials
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.posture import SOCKETS, posture
from capfuzz.targets.sandboxes.bwrap import Bubblewrap
from capfuzz.targets.sandboxes.landlock import Landlock
from capfuzz.targets.sandboxes.registry import ADAPTERS

from .leaks import (
    Leak,
    Leaky,
    both,
    commanded,
    holding,
    not_emptied,
    sharing,
    with_rights,
)
from .test_command import here

# Those that give a process a machine of its own to look at; the others are documented not to.
RIGHT = ("bwrap", "unshare", "runc", "gvisor", "nsjail", "firejail", "nspawn", "podman")


def looked(adapter, sockets=SOCKETS):
    """Return the evidence by the name of its sign."""
    target = CommandTarget(adapter.name, adapter)
    try:
        return posture(target, sockets)
    finally:
        target.close()


def leaky(change):
    """Return bubblewrap with a change of its command."""
    return Leaky(Bubblewrap(), Leak("posture", "a way out", change))


def more(*words):
    """Return the change by which further words stand before the command that runs inside."""

    def edit(command, _floor):
        at = command.index("--")
        return [*command[:at], *words, *command[at:]]

    return commanded(edit)


@commanded
def with_settings(command, _floor):
    """Leave /proc as it is."""
    at = command.index("--remount-ro")
    return [*command[:at], *command[at + 2 :]]


LEAKS = {
    "environment": not_emptied,
    "settings": with_settings,
    "loopback": sharing("net"),
    "privileged": with_rights(),
    "sys-admin": with_rights(),
    "sys-ptrace": with_rights(),
    "dac-read-search": with_rights(),
    "bpf": with_rights(),
    "packets": with_rights("net"),
    "processes": sharing("pid", "user"),
    "descriptor": holding("/other"),
    "host-files": more("--ro-bind", "/dev/shm", "/mnt/a", "--ro-bind", "/tmp", "/mnt/b"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_nothing_stands_open_in_a_right_sandbox(name):
    """A right sandbox would be accused of what nobody can go out by."""
    assert {} == looked(here(ADAPTERS[name]))


@pytest.mark.slow
@pytest.mark.parametrize("sign", LEAKS)
def test_a_way_out_is_seen(sign):
    """A sandbox with this way out would be told to have none."""
    here(Bubblewrap())
    assert sign in looked(leaky(LEAKS[sign]))


@pytest.mark.slow
def test_the_right_to_send_packets_is_seen_in_a_network_of_its_own():
    """Containers have it as they come, and a network of their own: nothing is heard outside."""
    here(Bubblewrap())
    assert "CapEff" in looked(leaky(with_rights()))["packets"]


@pytest.mark.slow
def test_an_engines_socket_is_seen_where_it_is_the_machines(tmp_path):
    """An engine would do whatever a program inside asks of it."""
    here(Bubblewrap())
    place = str(tmp_path / "docker.sock")
    with socket.socket(socket.AF_UNIX) as engine:
        engine.bind(place)
        engine.listen()
        assert "engine-socket" in looked(leaky(more("--bind", place, place)), (place,))
        assert "engine-socket" not in looked(Bubblewrap(), (place,))


# Of what tools document to keep their credentials in: agents, clouds, registries, keys.
SECRET = (
    *(".aws/credentials", ".azure/msal_token_cache.json", ".cargo/credentials.toml"),
    *(".claude/.credentials.json", ".codex/auth.json", ".config/gh/hosts.yml"),
    *(".config/gcloud/application_default_credentials.json", ".copilot/config.json"),
    *(".docker/config.json", ".gemini/oauth_creds.json", ".git-credentials"),
    *(".gnupg/private-keys-v1.d/AB.key", ".kube/config", ".netrc", ".npmrc", ".pypirc"),
    *(".ssh/id_ed25519", ".ssh/work"),
)
NO_SECRET = (".ssh/config", ".ssh/known_hosts", ".ssh/work.pub", ".profile")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return the home folder of somebody with every kind of credentials."""
    for name in (*SECRET, *NO_SECRET):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("never to be told")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("at", ["the same place", "the home folder inside"])
def test_credentials_of_a_home_folder_are_seen(home, at):
    """Keys of whoever starts a sandbox would be handed to what runs inside."""
    here(Bubblewrap())
    inside = str(home) if at == "the same place" else "/home/agent"
    bound = more("--ro-bind", str(home), inside, "--setenv", "HOME", inside)
    found = looked(leaky(bound))["credentials"]
    assert sorted(f"{inside}/{name}" for name in SECRET) == sorted(places(found))
    assert "never to be told" not in found


@pytest.mark.slow
def test_passwords_of_the_machine_are_told_from_the_sandboxs_own(tmp_path):
    """Whoever hands /etc on would not be told, or every container with users of its own accused."""
    here(Bubblewrap())
    if not os.access("/etc/shadow", os.R_OK):
        pytest.skip("whoever runs this may not read /etc/shadow, so nothing inside may")
    assert "/etc/shadow" in places(looked(leaky(more("--ro-bind", "/etc", "/etc")))["credentials"])
    own = tmp_path / "shadow"
    own.write_bytes(Path("/etc/shadow").read_bytes())
    assert "credentials" not in looked(leaky(more("--ro-bind", str(own), "/etc/shadow")))


def places(evidence):
    """Return the places of which it is told that they were opened."""
    return evidence.removesuffix(": opened to read").split(", ")


@pytest.mark.slow
def test_a_clusters_token_is_told_apart_from_keys(tmp_path):
    """Any key of the machine's would be called a way into a cluster."""
    here(Bubblewrap())
    (tmp_path / "token").write_text("a token")
    found = looked(leaky(more("--ro-bind", str(tmp_path / "token"), credentials.TOKEN)))
    assert {"cluster-token"} == {*found}


# What is looked at in namespaces of its own; the names of the signs that show are printed.
_APART = """
import sys
sys.path.insert(0, sys.argv[1])
from tests.targets import test_posture as here
print(*here.{called})
"""


def apart(called, *spaces):
    """Return the signs that a call in this file's returns, made in namespaces of its own."""
    user = ["--user", "--map-root-user"] if os.geteuid() else []
    code = [sys.executable, "-c", _APART.format(called=called), str(Path(__file__).parents[2])]
    done = subprocess.run(["unshare", *user, *spaces, *code], stdout=subprocess.PIPE, check=True)
    return set(done.stdout.decode().split())


def looked_with(address):
    """Give the loopback device one more address, and return what shows where the network is shared."""
    control._loopback_up()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        for what, value in ((0x8916, address), (0x891C, "255.255.255.255")):  # netdevice(7)
            told = struct.pack("16sH2x4s8x", b"lo:1", socket.AF_INET, socket.inet_aton(value))
            fcntl.ioctl(made, what, told)
    return looked(leaky(sharing("net")))


@pytest.mark.slow
@pytest.mark.parametrize("address", ["169.254.169.254", "127.0.0.2"])
def test_a_route_to_the_metadata_address_is_seen_where_there_is_one(address):
    """Whoever can ask there is told the keys of the machine."""
    here(Bubblewrap())
    there = {"metadata"} if address == "169.254.169.254" else set()
    assert {"loopback", *there} == apart(f"looked_with({address!r})", "--net") - {"packets"}


def agents():
    """Return the folders of hierarchies of control groups of the first version."""
    return [one.parent for one in Path("/sys/fs/cgroup").glob("*/release_agent")]


def looked_with_a_hierarchy():
    """Mount one in a namespace of its own, and return what shows where it is handed on."""
    folder = "/mnt"
    hierarchy = ("-t", "cgroup", "-o", "none,name=capfuzz-test")
    subprocess.run(["mount", *hierarchy, "none", folder], check=True)
    return looked(leaky(both(with_rights(), more("--bind", folder, folder))))


@pytest.mark.slow
def test_the_command_for_empty_groups_is_seen():
    """The kernel would run, as root, what a program inside writes there."""
    here(Bubblewrap())
    assert "release-agent" not in looked(leaky(with_rights()))
    if agents():  # one more would be there for everybody who reads /proc/self/cgroup
        bound = both(with_rights(), more("--bind", "/sys/fs/cgroup", "/sys/fs/cgroup"))
        assert "release-agent" in looked(leaky(bound))
        return
    if os.geteuid() or "\tcgroup\n" not in Path("/proc/filesystems").read_text():
        pytest.skip(
            "NOT tried: control groups of the first version need a kernel with them, and root"
        )
    assert "release-agent" in apart("looked_with_a_hierarchy()", "--mount")


@pytest.mark.slow
def test_devices_are_seen():
    """The disk of the machine could be read past every file system."""
    here(Bubblewrap())
    if not any(one.is_block_device() for one in Path("/dev").iterdir()):
        pytest.skip("NOT tried: this machine has no block device")
    devices = ("--dev-bind", "/dev", "/mnt/dev", "--dev-bind", "/dev", "/dev")
    bound = both(with_rights(), more(*devices))
    assert "devices" in looked(leaky(bound))


@pytest.mark.slow
def test_what_the_null_device_covers_is_not_open():
    """Every container would be accused whose engine covers the memory of the machine."""
    here(Bubblewrap())
    covered = both(with_rights(), more("--dev-bind", "/dev/null", "/dev/mem"))
    assert "devices" not in looked(leaky(covered))


# Answers one system call as a kernel does that loads modules, is asked by whoever may, and is handed no
# file (init_module(2)): not each kernel on which this is tried has any.
_WITH_MODULES = """
import errno, os, pyseccomp, sys
answering = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
answering.add_rule(pyseccomp.ERRNO(errno.EBADF), "finit_module")
answering.load()
os.execvp(sys.argv[1], sys.argv[1:])
"""


@commanded
def in_a_kernel_with_modules(words, _floor):
    """Start it where loading a module is answered as such a kernel does."""
    return [sys.executable, "-c", _WITH_MODULES, *words]


@pytest.mark.slow
def test_the_right_to_load_modules_is_seen_where_the_kernel_loads_any():
    """What a program inside makes the kernel run would not be told."""
    here(Bubblewrap())
    disabled = Path("/proc/sys/kernel/modules_disabled")
    loads = disabled.exists() and disabled.read_text() == "0\n"
    assert loads == ("sys-module" in looked(leaky(with_rights())))
    told = looked(leaky(both(with_rights(), in_a_kernel_with_modules)))["sys-module"]
    assert told.startswith("finit_module(-1): EBADF, CapEff ")
    assert "sys-module" not in looked(leaky(in_a_kernel_with_modules))  # which lacks the right


@pytest.mark.slow
def test_what_a_system_leaves_as_documented_is_told_all_the_same():
    """Whoever runs Landlock as root would not be told what it does not take away."""
    assert {"sys-admin", "bpf"} <= looked(here(Landlock())).keys()

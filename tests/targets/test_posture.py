"""Ways out of a sandbox that stand open: each is seen where it does, and none where it does not."""

import os
import socket
from pathlib import Path

import pytest
from capfuzz.targets import credentials
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


@pytest.mark.slow
def test_a_route_to_the_metadata_address_is_seen():
    """Whoever can ask there is told the keys of the machine."""
    here(Bubblewrap())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        try:
            made.connect(("169.254.169.254", 80))
        except OSError as error:
            pytest.skip(f"this machine has no route there itself: {error}")
    assert "metadata" in looked(leaky(sharing("net")))


@pytest.mark.slow
def test_the_command_for_empty_groups_is_seen():
    """The kernel would run, as root, what a program inside writes there."""
    here(Bubblewrap())
    if not any(Path("/sys/fs/cgroup").glob("*/release_agent")):
        pytest.skip("this machine has control groups of the second version alone")
    bound = both(with_rights(), more("--bind", "/sys/fs/cgroup", "/sys/fs/cgroup"))
    assert "release-agent" in looked(leaky(bound))


@pytest.mark.slow
def test_devices_are_seen():
    """The disk of the machine could be read past every file system."""
    here(Bubblewrap())
    if not any(one.is_block_device() for one in Path("/dev").iterdir()):
        pytest.skip("this machine has no block device")
    devices = ("--dev-bind", "/dev", "/mnt/dev", "--dev-bind", "/dev", "/dev")
    bound = both(with_rights(), more(*devices))
    assert "devices" in looked(leaky(bound))


@pytest.mark.slow
def test_what_a_system_leaves_as_documented_is_told_all_the_same():
    """Whoever runs Landlock as root would not be told what it does not take away."""
    assert {"sys-admin", "bpf"} <= looked(here(Landlock())).keys()

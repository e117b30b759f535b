"""Engines with a runtime of one's choice: it is what starts the container, or its absence is told."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError
from capfuzz.targets.planted import remove, remove_cgroups, scratch
from capfuzz.targets.sandboxes import docker
from capfuzz.targets.sandboxes.base import ended, layout_for
from capfuzz.targets.sandboxes.docker import Docker
from capfuzz.targets.sandboxes.podman import Podman
from capfuzz.targets.sandboxes.registry import ADAPTERS, adapter_of
from capfuzz.targets.sandboxes.trying import written
from capfuzz.targets.spec import Options, load, surface_of

from .test_command import here

NETWORK = Capabilities(("/work",), net_hosts=("127.0.0.1",))


def kernel_of(adapter):
    """Return what a container says of the kernel that it runs on."""
    own = scratch()
    folder, mark = f"{own}/configuration", Path(own).name
    layout = replace(
        layout_for("sh"), command=("cat", "/proc/version"), inside=(), folder=folder, mark=mark
    )
    rendered = adapter.render(Capabilities(), layout)
    try:
        written(rendered, folder)
        return subprocess.run(
            rendered.command, cwd=folder, capture_output=True, text=True, timeout=60, check=True
        ).stdout
    finally:
        ended(rendered)
        remove_cgroups(mark)
        remove(own)


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_the_runtime_that_was_named_starts_the_container(engine):
    """Another runtime would be attacked than the one that was asked for, and be praised or blamed."""
    machine = Path("/proc/version").read_text()
    named = here(adapter_of(f"{engine}:runsc"))
    assert machine == kernel_of(ADAPTERS[engine])
    assert machine != kernel_of(named)  # gVisor has a kernel of its own


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_a_runtime_that_the_engine_does_not_know_is_told(engine):
    """An attack would end in the engine's own words, or with the usual runtime in its place."""
    here(ADAPTERS[engine])
    reason = adapter_of(f"{engine}:no-such-runtime").unavailable()
    assert "no-such-runtime" in reason
    with pytest.raises(TargetError, match=rf"^{engine}:no-such-runtime: cannot run here: "):
        load(f"{engine}:no-such-runtime", Options())


def test_a_runtime_of_containerd_is_a_program_of_another_name():
    """It would be told to be missing where it is installed, or the other way round."""
    here(ADAPTERS["docker"])
    reason = adapter_of("docker:io.containerd.no-such.v2").unavailable()
    assert "containerd-shim-no-such-v2 is not installed" == reason
    assert {} == runtimes(Docker("io.containerd.no-such.v2"))


def runtimes(adapter, grant=NETWORK):
    """Return the runtimes that a daemon is told of."""
    made = adapter.render(grant, layout_for("sh"))
    assert f"--runtime={adapter.runtime}" in made.files["enter"]
    return json.loads(made.files["daemon.json"]).get("runtimes", {})


def test_a_runtime_that_the_machines_daemon_is_told_of_is_known(tmp_path, monkeypatch):
    """Kata under the name that its owner gave it could not be attacked."""
    settings = tmp_path / "daemon.json"
    monkeypatch.setattr(docker, "_SETTINGS", str(settings))
    kata = {"runtimeType": "io.containerd.kata.v2"}
    settings.write_text(json.dumps({"runtimes": {"mine": kata, "runsc": {"path": "/opt/runsc"}}}))
    assert {"mine": kata} == runtimes(Docker("mine"))
    assert None is Docker("mine")._unknown()
    for broken in ("[]", "{", "{}", '{"runtimes": 1}'):
        settings.write_text(broken)
        assert {"mine": {"path": "mine"}} == runtimes(Docker("mine"))


@pytest.mark.parametrize(("grant", "network"), [(NETWORK, "host"), (Capabilities(), "none")])
def test_gvisor_never_takes_the_addresses_of_the_machine(grant, network):
    """With its own network in that of the machine, it would move them into the container."""
    assert f"--network={network}" in runtimes(Docker("runsc"), grant)["runsc"]["runtimeArgs"]
    made = Podman("runsc").render(grant, layout_for("sh"))
    assert "--runtime=runsc --runtime-flag=platform=ptrace" in made.command[-1]
    assert f"--runtime-flag=network={network}" in made.command[-1]


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_a_network_is_granted_to_runtimes_alone_that_share_it(engine):
    """Honest work would be refused, by a machine that has a loopback of its own."""
    told = {name: adapter_of(f"{engine}:{name}").expressed(NETWORK) for name in ("runsc", "kata")}
    assert {"runsc": ADAPTERS[engine].expressed(NETWORK), "kata": None} == told


@pytest.mark.parametrize(
    ("spec", "said"),
    [("docker:", "docker: '' is no name"), ("podman:a b", "podman: 'a b' is no name")],
)
def test_what_is_no_name_of_a_runtime_is_refused(spec, said):
    """An option of the engine would be smuggled in, or none be chosen unsaid."""
    with pytest.raises(TargetError, match=said):
        surface_of(spec, Options())


def test_an_engine_with_a_runtime_is_a_sandbox_and_other_names_are_none():
    """A spec would be taken for something else, or another target for a sandbox."""
    assert Surface.COMMAND == surface_of("docker:runsc", Options())
    assert [None, None, None] == [adapter_of(one) for one in ("bwrap:runsc", "cmd:x", "engine")]

"""E2B by its real SDK, against a server on loopback that runs what it is sent; never the cloud."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.engine import Capabilities
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.sandboxes.e2b import E2B

from ..absent import absent  # noqa: TID252 - it stands there once
from .e2b_server import Machines
from .test_command import ATTACKS, KERNEL, broken, tried

READ = ("fs_read", "/work/in/data.txt")


@pytest.fixture
def machines(monkeypatch):
    """Return a function that starts a server, and tells the SDK where it is."""
    if os.geteuid() != 0 or shutil.which("bwrap") is None:
        absent("E2B's SDK was NOT tried: the server's sandboxes need root and bubblewrap")
    started = []

    def start(leaky=()):
        started.append(Machines(leaky))
        for name, value in started[-1].environment.items():
            monkeypatch.setenv(name, value)
        return started[-1]

    yield start
    for one in started:
        one.close()


def all_ended(server):
    """Tell whether every sandbox is ended before long: a process of its own sees to that."""
    deadline = time.monotonic() + 30
    while any(server.roots.values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(server.roots) and not any(server.roots.values())


def test_a_right_sandbox_holds_and_lets_honest_work_pass(machines):
    """E2B would be accused, or a copy that never came would pass for a refusal."""
    server = machines()
    assert set() == {name for name, hits in broken(E2B(), ATTACKS).items() if any(hits)}
    target = CommandTarget("e2b", E2B())
    try:
        controls = [target.adapt(one.case) for one in KERNEL if one.is_control]
        traces = [target.run(one) for one in controls if one is not None]
    finally:
        target.close()
    assert len(traces) > 3
    assert {True} == {step.answer.ok for trace in traces for step in trace.steps}
    assert all_ended(server)


def test_a_sandbox_that_shows_a_folder_of_this_machine_is_found(machines):
    """A leak would be missed since the place is far."""
    machines(leaky=(tempfile.gettempdir(),))
    found = {name for name, hits in broken(E2B(), ATTACKS).items() if any(hits)}
    assert {
        *("kernel-content", "kernel-attributes", "kernel-names", "kernel-list", "kernel-stat"),
        *("kernel-handle", "kernel-uring"),
    } == found


def test_what_changed_here_is_copied_before_the_next_op(machines):
    """The probe would be asked about a world that stood there before."""
    server, target, seen = machines(), CommandTarget("e2b", E2B()), []
    try:
        for content in (b"what stands first", b"what stands later"):
            world = WorldSpec(files={"/work/in/data.txt": content})
            case = Case(
                Capabilities(("/work",)), world, (READ,), ("kernel-content",), "kernel-test"
            )
            seen.append(target.run(target.adapt(case)).steps[0].answer.ok)
    finally:
        target.close()
    assert [True, True] == seen
    assert ["i1"] == [*server.roots]  # one sandbox for both


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
def test_no_sandbox_is_left_after_a_campaign_was_ended(machines, end):
    """Somebody would pay for a sandbox that nobody uses."""
    server = machines()
    program = Path(sys.executable).with_name("capfuzz")
    process = subprocess.Popen([program, "attack", "e2b"], stdout=subprocess.DEVNULL)
    while "POST /process.Process/SendInput" not in server.calls:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(end)
    process.wait()
    assert all_ended(server)


def test_what_it_calls_is_what_the_server_speaks(machines):
    """What the server shows would be about calls that the SDK makes no more."""
    server = machines()
    _, trace = tried(E2B(), ("fs_read", "/work/data.txt"), ("fs_read", "/workshop/secret.txt"))
    assert [True, False] == [step.answer.ok for step in trace.steps]
    assert all_ended(server)
    assert {
        "POST /v2/sandboxes",
        "POST /files",
        "POST /process.Process/Start",
        "POST /process.Process/SendInput",
        "DELETE /sandboxes",
    } == set(server.calls) - {"POST /process.Process/CloseStdin"}  # if there is time for it


def test_why_it_cannot_run_is_told_and_nobody_is_asked(monkeypatch):
    """A list of the targets would call a cloud, or say that it is here without a key."""
    monkeypatch.delenv("E2B_API_KEY", raising=False)
    monkeypatch.setenv("E2B_API_URL", "http://127.0.0.1:1")
    assert "E2B_API_KEY is not set" == E2B().unavailable()
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert "e2b is not installed: pip install 'capfuzz[e2b]'" == E2B().unavailable()


def test_it_says_everywhere_that_it_was_never_run_against_the_cloud():
    """Somebody would take what a local server shows for what E2B does."""
    page = Path(__file__).parents[2] / "docs/how-to/sandbox.md"
    said = [E2B.meaning, E2B().version(), *E2B.cannot.values(), *E2B.refuses.values()]
    said += [line for line in page.read_text().splitlines() if line.startswith("| `e2b`")]
    assert [] == [one for one in said if "never run against the cloud" not in one]

"""Machines elsewhere by their real SDKs, against servers on loopback that run what they are sent."""

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
from capfuzz.targets.sandboxes.vercel import Vercel

from ..absent import absent  # noqa: TID252 - it stands there once
from ..ctrl_c import hear_ctrl_c  # noqa: TID252 - it stands there once
from .e2b_server import E2BMachines
from .landing import honest
from .test_command import ATTACKS, KERNEL, broken, tried
from .vercel_server import VercelMachines

READ = ("fs_read", "/work/in/data.txt")
# By adapter: its server, how it is told where that is, and the calls that a run makes.
CLOUDS = {
    "e2b": (E2BMachines, lambda _: E2B()),
    "vercel": (VercelMachines, lambda server: Vercel(api=server.url)),
}
CALLS = {
    "e2b": {
        *("POST /v2/sandboxes", "POST /files", "DELETE /sandboxes/*"),
        *("POST /process.Process/Start", "POST /process.Process/SendInput"),
    },
    "vercel": {
        *("POST /v3/sandboxes", "GET /v2/sandboxes/*", "DELETE /v2/sandboxes/*"),
        *("POST /v2/sandboxes/sessions/*/fs/write", "POST /v2/sandboxes/sessions/*/stop"),
        *("POST /v2/sandboxes/sessions/*/cmd", "POST /v2/sandboxes/sessions/*/cmd/*/stdin"),
        "GET /v2/sandboxes/sessions/*/cmd/*/logs",
    },
}
# The campaign of a user's, whose adapter is told where the server is.
CAMPAIGN = """
import sys
from capfuzz.gate.cli import main
from capfuzz.targets.sandboxes.registry import ADAPTERS
from capfuzz.targets.sandboxes.vercel import Vercel
ADAPTERS["vercel"] = Vercel(api=sys.argv.pop(1))
main()
"""


@pytest.fixture(params=CLOUDS)
def cloud(request, monkeypatch):
    """Return a function that starts a server, and returns it with an adapter that calls it."""
    if os.geteuid() != 0 or shutil.which("bwrap") is None:
        absent(f"{request.param}: its SDK was NOT tried: the server needs root and bubblewrap")
    machines, adapter = CLOUDS[request.param]
    started = []

    def start(leaky=()):
        started.append(machines(leaky))
        for name, value in started[-1].environment.items():
            monkeypatch.setenv(name, value)
        return started[-1], adapter(started[-1])

    yield start
    for one in started:
        one.close()


def test_a_right_sandbox_holds_and_lets_honest_work_pass(cloud):
    """It would be accused, or a copy that never came would pass for a refusal."""
    server, adapter = cloud()
    assert set() == {name for name, hits in broken(adapter).items() if any(hits)}
    traces = honest(CommandTarget(adapter.name, adapter), KERNEL)
    assert len(traces) > 3
    assert {True} == {step.answer.ok for trace in traces for step in trace.steps}
    assert server.all_ended()


def test_a_sandbox_that_shows_a_folder_of_this_machine_is_found(cloud):
    """A leak would be missed since the place is far."""
    _, adapter = cloud(leaky=(tempfile.gettempdir(),))
    found = {name for name, hits in broken(adapter, ATTACKS).items() if any(hits)}
    assert {
        *("kernel-content", "kernel-attributes", "kernel-names", "kernel-list", "kernel-stat"),
        *("kernel-beginning", "kernel-handle", "kernel-outside", "kernel-uring"),
    } == found


def test_what_changed_here_is_copied_before_the_next_op(cloud):
    """The probe would be asked about a world that stood there before."""
    server, adapter = cloud()
    target, seen = CommandTarget(adapter.name, adapter), []
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
def test_no_sandbox_is_left_after_a_campaign_was_ended(cloud, end):
    """Somebody would pay for a sandbox that nobody uses."""
    server, adapter = cloud()
    command = [sys.executable, "-c", CAMPAIGN, server.url, "attack", adapter.name]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - it takes no lock that a server's thread may hold
    )
    while not any(one.endswith(("/SendInput", "/stdin")) for one in server.calls):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(end)
    process.wait()
    assert server.all_ended()


def test_what_it_calls_is_what_the_server_speaks(cloud):
    """What the server shows would be about calls that the SDK makes no more."""
    server, adapter = cloud()
    _, trace = tried(adapter, ("fs_read", "/work/data.txt"), ("fs_read", "/workshop/secret.txt"))
    assert [True, False] == [step.answer.ok for step in trace.steps]
    assert server.all_ended()
    # The last is made if there is time for it.
    assert CALLS[adapter.name] == set(server.calls) - {"POST /process.Process/CloseStdin"}


@pytest.mark.parametrize(
    ("adapter", "variable", "kept", "said", "package"),
    [
        (E2B(), "E2B_API_KEY", "", "E2B_API_KEY is not set", "e2b"),
        *(
            (Vercel(), one, kept, f"set VERCEL_OIDC_TOKEN, or {said}", "vercel-sandbox")
            for one, kept, said in (
                ("VERCEL_TEAM_ID", "t", "VERCEL_TEAM_ID"),
                ("VERCEL_TOKEN", "", "VERCEL_TOKEN, VERCEL_TEAM_ID, VERCEL_PROJECT_ID"),
            )
        ),
    ],
)
def test_why_it_cannot_run_is_told_and_nobody_is_asked(
    monkeypatch, adapter, variable, kept, said, package
):
    """A list of the targets would call a cloud, or say that it is here without an account."""
    for one in [name for name in os.environ if name.startswith(("E2B_", "VERCEL_"))]:
        monkeypatch.delenv(one)
    monkeypatch.setenv("E2B_API_URL", "http://127.0.0.1:1")
    for one in ("VERCEL_TOKEN", "VERCEL_TEAM_ID", "VERCEL_PROJECT_ID"):
        monkeypatch.setenv(one, kept)
    monkeypatch.delenv(variable, raising=False)
    assert said == adapter.unavailable()
    absent_sdk = type("Absent", (type(adapter),), {"module": "no_such.module"})()
    told = f"{package} is not installed: pip install 'capfuzz[{adapter.name}]'"
    assert told == absent_sdk.unavailable()


def test_an_account_that_the_sdk_is_told_otherwise_is_enough(monkeypatch):
    """Whoever linked a project would be told to set what the SDK does not need."""
    monkeypatch.delenv("VERCEL_TOKEN", raising=False)
    monkeypatch.setenv("VERCEL_OIDC_TOKEN", "t")
    assert Vercel().unavailable() is None


@pytest.mark.parametrize("adapter", [E2B(), Vercel()], ids=lambda one: one.name)
def test_it_says_everywhere_that_it_was_never_run_against_the_cloud(adapter):
    """Somebody would take what a local server shows for what a cloud does."""
    page = Path(__file__).parents[2] / "docs/how-to/sandbox.md"
    said = [adapter.meaning, adapter.version()]
    said += [*adapter.cannot.values(), *adapter.refuses.values()]
    rows = [line for line in page.read_text().splitlines() if f"| `{adapter.name}`" in line]
    assert 1 == len(rows)
    assert [] == [one for one in (*said, *rows) if "never run against the cloud" not in one]

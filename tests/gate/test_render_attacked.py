"""An attack is about what ``capfuzz render`` prints: seen at the processes that attacks start."""

import json
import os
import shlex
import shutil
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.attacks.naive import within
from capfuzz.engine import Capabilities
from capfuzz.gate import render as printing
from capfuzz.gate.cli import cli
from capfuzz.targets import TargetError, probe
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.processes import MARK
from capfuzz.targets.rendering.registry import SYSTEMS
from capfuzz.targets.sandboxes.base import layout_for
from capfuzz.targets.sandboxes.e2b import E2B
from capfuzz.targets.sandboxes.elsewhere import Elsewhere
from capfuzz.targets.sandboxes.registry import ADAPTERS, ENGINES, adapter_of
from capfuzz.targets.sandboxes.trying import unavailable
from capfuzz.targets.sandboxes.vercel import Vercel
from click.testing import CliRunner

from ..absent import absent  # noqa: TID252 - it stands there once
from ..targets.e2b_server import E2BMachines  # noqa: TID252 - it stands there once
from ..targets.starting import watched  # noqa: TID252 - it stands there once
from ..targets.test_command import here  # noqa: TID252 - it stands there once
from ..targets.vercel_server import VercelMachines  # noqa: TID252 - it stands there once

# Whatever is registered, and each engine with runtimes that are chosen for it.
NAMES = (*ADAPTERS, *(f"{engine}:{one}" for engine in ENGINES for one in ("runc", "runsc")))
# What is printed and started by no attack, and why.
UNATTACKED = {
    "oci": "the files of runc, for whatever runs a bundle",
    "seccomp": "one part of a sandbox, which runc and landlock-seccomp are attacked with",
    "docker-run": "for an image of the user's; the warnings say that it was never run",
    "kubernetes": "needs a cluster; the warnings say that it was never run",
    "kata": "needs a cluster; the warnings say that it was never run",
    "firecracker": "needs KVM and a kernel image; the warnings say that it was never run",
    "mcp-roots": "an answer of a client, which confines nothing",
}
# What runs in these is a guest of the suite's own, so no command is printed: their files alone are.
GUESTS = frozenset({"wasmtime", "monty"})
SCRIPTED = frozenset({"node", "deno"})
CLOUDS = {"e2b": E2BMachines, "vercel": VercelMachines}
WORLD = WorldSpec(files={"/work/data.txt": b"honest data", "/work/out/report.txt": b"a report"})
READ = ("fs_read", "/work/data.txt")
GRANTS = {
    "places": Capabilities(("/work",), ("/work/out",)),
    "written alone": Capabilities((), ("/work",)),
    "a network": Capabilities(("/work",), (), ("127.0.0.1",)),
}
# What keeps a budget where a system has no place for it.
WALL = str(Capabilities().max_wall)
CAP = f'"$@" 2>&1 | stdbuf -o0 head -c {Capabilities().max_output_bytes}'
CAPPED = ("bash", "-o", "pipefail", "-c", CAP, "bash")
AROUND = ("timeout", "--signal=KILL", WALL, *CAPPED)
PROGRAM = str(Path(probe.__file__).with_name("deadline.py"))
AROUND_ALL = (sys.executable, "-S", PROGRAM, WALL, *CAPPED)
LINGERING = frozenset({"landlock", "landlock-seccomp", "sandlock"})  # they end no processes
LIMITED = Capabilities(("/work",), ("/work/out",), max_output_bytes=4096, max_wall=20)


@pytest.fixture
def cloud(monkeypatch):
    """Return a function that starts a server, which the adapter of a cloud then calls."""
    started = []

    def start(name):
        if os.geteuid() != 0 or shutil.which("bwrap") is None:
            absent(f"{name}: its SDK was NOT tried: the server needs root and bubblewrap")
        server = CLOUDS[name]()
        started.append(server)
        for variable, value in server.environment.items():
            monkeypatch.setenv(variable, value)
        adapter = Vercel(api=server.url) if name == "vercel" else E2B()
        monkeypatch.setitem(SYSTEMS, name, replace(SYSTEMS[name], adapter=adapter))
        return adapter, server

    yield start
    for one in started:
        one.close()


@pytest.fixture
def attack(monkeypatch, tmp_path):
    """
    Return a function that attacks under a grant, and tells what was printed, started and ended.

    What was started is None where the system cannot express the grant. ``look`` is called
    meanwhile. On disk: nothing below ``/dev`` is rendered.
    """
    monkeypatch.setenv("TMPDIR", tempfile.gettempdir())

    def attacked(adapter, grant, look=lambda: None, op=READ):
        refused = pytest.raises(TargetError, match="did not start")
        expected = refused if refuses(adapter) else nullcontext()
        target = CommandTarget(adapter.name, adapter)
        try:
            made = printed(target, grant, monkeypatch, tmp_path)
            case = target.adapt(Case(grant, WORLD, (op,), ("kernel-content",), "kernel-test"))
            if case is None:
                return made, None, []
            with watched(monkeypatch) as (started, ran):
                with expected:
                    target.run(case)
                look()
                process = next(one for one in started if one.folder.startswith(target._own))
                ran.clear()
                target.close()
            return made, process, ran
        finally:
            target.close()

    return attacked


def refuses(adapter):
    """
    Tell whether a system that is installed refuses this machine; skips what is not installed.

    It is started all the same: what it is started with is seen before it says no.
    """
    if f"{adapter.name} does not run here: " in (unavailable(adapter) or ""):
        return True
    return here(adapter) is None


def printed(target, grant, monkeypatch, tmp_path):
    """
    Return what ``capfuzz render`` prints for the probe under a grant, or that it refuses.

    An attack has beside it what nobody types: a folder and a name of its own, a mark by which it
    finds its processes, and the probe's file, which stands inside and is not granted.
    """
    render, own = printing.rendered, target._own
    beside = {
        "inside": (target._probe,),
        "environment": (f"{MARK}={own}",),
        "folder": f"{own}/configuration",
        "mark": os.path.basename(own),
    }

    def rendered(system, grant, layout, *, wider):
        return render(system, grant, replace(layout, **beside), wider=wider)

    (tmp_path / "GRANT.toml").write_text(toml(target._real(grant)))
    with monkeypatch.context() as patch:
        patch.setattr(printing, "rendered", rendered)
        done = CliRunner().invoke(cli, typed(target, tmp_path), standalone_mode=False)
    return done.stderr if done.return_value else json.loads(done.stdout)


def toml(grant):
    """Return a grant as a user writes it."""
    fields = {one: list(getattr(grant, one)) for one in ("fs_read", "fs_write", "net_hosts")}
    fields |= {one: getattr(grant, one) for one in ("max_output_bytes", "max_wall")}
    return "\n".join(f"{name} = {json.dumps(given)}" for name, given in fields.items())


def typed(target, tmp_path):
    """Return the words that a user types for a grant that stands in a file."""
    system, _, runtime = target.spec.partition(":")
    layout = layout_for(target._probe)
    command = (layout.script,) if system in SCRIPTED else layout.command
    words = ["render", str(tmp_path / "GRANT.toml"), "--to", system, "--wider", "--json"]
    words += [f"--port={one}" for one in target._listeners.opened]
    return [*words, *([f"--runtime={runtime}"] if runtime else []), "--", *command]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("grant", GRANTS.values(), ids=GRANTS)
def test_an_attack_starts_what_is_printed(name, grant, cloud, attack):
    """An attack would be about another sandbox than the one that is handed out."""
    adapter = adapter_of(name)
    if isinstance(adapter, Elsewhere):
        adapter, _ = cloud(name)
    made, process, ran = attack(adapter, grant)
    if process is None:
        assert "cannot express net_hosts 127.0.0.1" in made
        return
    check_words(name, process, tuple(made["command"]), tuple(made["files"]))
    assert made["files"] == process.files
    assert ([tuple(made["ending"])] if made["ending"] else []) == ran
    assert {"0", "1", "2"} == process.descriptors
    new = {key for key, value in process.environment.items() if os.environ.get(key) != value}
    assert {MARK, "PATH", "CAPFUZZ_SECRET"} == new


@pytest.mark.slow
@pytest.mark.parametrize("name", [one for one in NAMES if one not in {*GUESTS, *CLOUDS}])
def test_an_attack_on_budgets_starts_all_that_is_printed(name, attack):
    """Budgets would be printed that no attack has ever had around it."""
    flood = ("use_output", "/work/data.txt", 1_000_000)
    made, process, ran = attack(adapter_of(name), LIMITED, op=flood)
    assert tuple(made["command"]) == process.words
    assert made["files"] == process.files
    assert "20" in process.words
    assert any("head -c 4096" in one for one in process.words)
    assert [] == ran


def check_words(name, process, words, files):
    """Hold the words that a process was started with against a command line."""
    if name in GUESTS:
        (file,) = files
        assert () == words
        assert process.words[-1] in {file, f"{process.folder}/{file}"}
    else:
        assert words[-len(process.words) :] == process.words
        around = AROUND_ALL if name in LINGERING else AROUND
        assert words[: -len(process.words)] in {(), around}


@pytest.mark.slow
@pytest.mark.parametrize("name", CLOUDS)
def test_a_cloud_is_called_for_what_is_printed(name, cloud, attack):
    """A program of ours stands between what is printed and the cloud, and could ask for more."""
    adapter, server = cloud(name)
    found = []
    made, _, _ = attack(adapter, GRANTS["places"], lambda: found.extend(copied(server)))
    plan = json.loads(made["files"]["plan.json"])
    assert [] == [one for one in found if not within(one, plan["copied"])]
    assert set(plan["copied"]) == {
        place for place in plan["copied"] if any(within(one, [place]) for one in found)
    }
    wanted, program = CALLED[name](server, plan)
    assert wanted == {key: server.wanted["i1"].get(key) for key in wanted}
    assert program == server.programs[-1]


def copied(server):
    """Return the files that stand in the one sandbox of a server, but for what it began with."""
    root = server.roots["i1"]
    found = [os.path.join(at, one) for at, _, files in os.walk(root) for one in files]
    begun_with = {"/etc/passwd", "/bin", "/lib", "/lib64"}
    return [one for one in (place.removeprefix(root) for place in found) if one not in begun_with]


def asked_of_e2b(server, plan):
    """Return what E2B is asked for, by a plan."""
    wanted = {
        "timeout": plan["lasts"],
        "allow_internet_access": plan["internet"],
        "metadata": {"capfuzz": plan["mark"]},
    }
    return wanted, ["/bin/bash", "-l", "-c", f"cd / && exec {shlex.join(plan['command'])}"]


def asked_of_vercel(server, plan):
    """Return what Vercel is asked for, by a plan without hosts."""
    assert ([], []) == (plan["names"], plan["ranges"])
    wanted = {
        "timeout": 1000 * plan["lasts"],
        "persistent": False,
        "networkPolicy": {"mode": "deny-all"},
        "tags": {"capfuzz": plan["mark"]},
    }
    return wanted, plan["command"]


CALLED = {"e2b": asked_of_e2b, "vercel": asked_of_vercel}


def test_whatever_is_rendered_is_compared_or_named():
    """A new system would be printed, and nobody would ask whether that is what is attacked."""
    assert set(SYSTEMS) == {*ADAPTERS, *UNATTACKED}

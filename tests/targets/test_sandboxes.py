"""What each adapter makes of a grant, and whether it says why it cannot run."""

import os
import shlex
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from capfuzz.engine import Capabilities
from capfuzz.targets.planted import scratch
from capfuzz.targets.sandboxes.bare import Bare
from capfuzz.targets.sandboxes.base import layout_for
from capfuzz.targets.sandboxes.firejail import Firejail
from capfuzz.targets.sandboxes.registry import ADAPTERS
from capfuzz.targets.sandboxes.trying import refusal

from .test_command import here, tried

MANY = 70  # more places than one program's command line has room for


class Refusing(Bare):
    """A system that says why it does not run anything."""

    def render(self, grant, layout):
        """Return a command that fails as runtimes do, with a line and the reason."""
        return replace(
            super().render(grant, layout),
            command=("sh", "-c", "echo starting >&2; echo no such namespace >&2; exit 1"),
        )


def test_a_system_that_does_not_run_says_why():
    """A campaign would be begun with it, or nobody would learn what is missing."""
    assert "bare does not run here: starting no such namespace" == refusal(Refusing())
    assert refusal(Bare()) is None


class Raising(Bare):
    """A system that ends in a traceback, of which more stands there than is kept."""

    def render(self, grant, layout):
        """Return a command that fails in a long chain of calls."""
        code = (
            "def call(left):\n    if left: (lambda: call(left - 1))()\n"
            "    raise RuntimeError('no key\\nfor the cloud')\ncall(40)"
        )
        return replace(super().render(grant, layout), command=(sys.executable, "-c", code))


def test_a_system_that_ends_in_a_traceback_says_why_alone():
    """The reason would stand below the flattened frames of a library, or be cut off."""
    assert "bare does not run here: RuntimeError: no key for the cloud" == refusal(Raising())


def test_trying_a_system_leaves_nothing(tmp_path, monkeypatch):
    """A list of targets would leave folders behind."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert tmp_path.as_posix() in scratch()  # where it would be seen
    before = list(tmp_path.iterdir())
    assert refusal(Bare()) is None
    assert before == list(tmp_path.iterdir())


def test_firejail_hides_nothing_beside_a_place_that_lies_in_a_granted_one():
    """What is written below a folder of the root's would be all that is left of that folder."""
    grant = Capabilities(("/work",), ("/work/out", "/usr/local/out"))
    profile = Firejail().render(grant, layout_for("/probe.py")).files["capfuzz.profile"]
    lines = profile.splitlines()
    assert [] == [one for one in lines if one.startswith(("whitelist /work", "whitelist /usr"))]
    assert lines.index("read-only /work") < lines.index("read-write /work/out")


def test_codex_denies_what_stands_beside_a_granted_place_or_tells_it(tmp_path, monkeypatch):
    """A setting beside the granted one would be open, and nobody told of a name that is a pattern."""
    monkeypatch.setattr("capfuzz.targets.sandboxes.codex._MORE", str(tmp_path))
    (tmp_path / "deep").mkdir()
    for name in ("deep/granted", "deep/other", "alone", "a[b]", "caf\u00e9"):
        (tmp_path / name).write_text("")
    (tmp_path / "link").symlink_to("alone")
    grant = Capabilities((f"{tmp_path}/deep/granted", f"{tmp_path}/alone/below"))
    made = ADAPTERS["codex"].render(grant, layout_for("/probe.py"))
    denied = [line for line in made.files["home/config.toml"].splitlines() if '"deny"' in line]
    assert [f'"{tmp_path}/{one}" = "deny"' for one in ("alone", "deep/other")] == denied
    left = [f"'{tmp_path}/{one}': cannot be hidden" for one in ("a[b]", "caf\\xe9")]
    assert left == list(made.warnings)


WITH_PROGRAMS = {
    "bwrap": "bwrap is not installed: apt install bubblewrap, or your distribution's package",
    "node": "node is not installed: apt install nodejs, or your distribution's package",
    "deno": "deno is not installed: pip install deno",
    **{
        name: f"{name} is not installed: apt install {name}, or your distribution's package"
        for name in ("crun", "firejail", "podman", "runc")
    },
    "docker": "docker is not installed: apt install docker.io, or your distribution's package",
    "gvisor": "runsc is not installed: apt install runsc, or your distribution's package",
    "nspawn": (
        "systemd-nspawn is not installed: apt install systemd-container, or your distribution's"
        " package"
    ),
    "unshare": "unshare is not installed: apt install util-linux, or your distribution's package",
}


@pytest.mark.parametrize(("name", "told"), WITH_PROGRAMS.items())
def test_what_is_not_installed_is_told_with_what_brings_it(name, told, monkeypatch):
    """A reader would look up what a program's package is called."""
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    assert told == ADAPTERS[name].unavailable()


SLOW = """
from dataclasses import replace
from capfuzz.targets.sandboxes.bare import Bare
from capfuzz.targets.sandboxes.trying import refusal

class Slow(Bare):
    def render(self, grant, layout):
        return replace(super().render(grant, layout), command=("sleep", "{seconds}"))

refusal(Slow())
"""


def test_what_is_tried_ends_with_whoever_tries_it(tmp_path):
    """A system that hangs would hang for ever once the list of targets was killed."""
    seconds = f"600.{os.getpid()}"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", SLOW.format(seconds=seconds)], env=environment
    ) as process:
        assert until(lambda: left(seconds))
        process.kill()
    assert until(lambda: not left(seconds))


def left(seconds):
    """Return whether a process sleeps for so long."""
    found = subprocess.run(["pgrep", "-xf", f"sleep {seconds}"], capture_output=True, check=False)
    return found.returncode == 0


def until(holds):
    """Return whether something comes to hold within some seconds."""
    deadline = time.monotonic() + 20
    while not (held := holds()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return held


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda one: one.name)
@pytest.mark.parametrize(
    "reads",
    [("/./work/.",), ("//work", "/work/"), tuple(f"/work/{number}" for number in range(MANY))],
    ids=["dots", "twice", "many"],
)
def test_a_grant_opens_however_it_is_spelt_and_however_long_it_is(adapter, reads):
    """A campaign would end in the middle, since generated grants look like this."""
    folders_alone = "files granted" in here(adapter).cannot
    grant = Capabilities((*reads, "/work" if folders_alone else "/work/data.txt"))
    breaches, trace = tried(adapter, ("fs_read", "/work/data.txt"), grant=grant)
    assert ((), True) == (breaches, trace.steps[0].answer.ok)


@pytest.mark.parametrize("name", ["a,b", "a*", "a..b", "${HOME}", "a ", "a  b", "#a"])
def test_firejail_is_not_asked_about_what_it_has_no_name_for(name):
    """It would take a name for a pattern and open more, or not start at all."""
    assert Firejail().expressed(Capabilities((f"/work/{name}",))) is None
    assert Firejail().expressed(Capabilities(("/work/a b",))) == Capabilities(("/work/a b",))


BELOW = """
import subprocess, sys
from dataclasses import replace
from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import ended, layout_for
from capfuzz.targets.sandboxes.registry import ADAPTERS
from capfuzz.targets.sandboxes.trying import written

name, top, folder, mark = sys.argv[1:]
script = f"cat {top}/below/file; echo written > {top}/file; echo written > {top}/below/file"
layout = replace(
    layout_for("/bin/true"), command=("/bin/sh", "-c", script), folder=folder, mark=mark
)
rendered = ADAPTERS[name].render(Capabilities((top,)), layout)
written(rendered, folder)
subprocess.run(rendered.command, cwd=folder, stdin=subprocess.DEVNULL, check=False)
ended(rendered)
print(open(f"{top}/below/file").read())
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT tried: it needs root")
@pytest.mark.parametrize("name", ["docker", "runc", "unshare"])
def test_programs_for_root_are_found_where_they_stand(name, monkeypatch):
    """What is installed would be told not to be, where PATH has no folder of root's in it."""
    here(ADAPTERS[name])
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert ADAPTERS[name].unavailable() is None
    breaches, trace = tried(ADAPTERS[name], ("fs_read", "/work/data.txt"))
    assert ((), True) == (breaches, trace.steps[0].answer.ok)


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT tried: mounting needs root")
@pytest.mark.parametrize("name", ["bwrap", "docker", "firejail", "nsjail", "nspawn", "podman"])
def test_a_mount_below_what_may_be_read_may_not_be_written(name, tmp_path):
    """What lies on another file system would be open: a read-only bind may leave it as it is."""
    here(ADAPTERS[name])
    below = tmp_path / "top" / "below"
    below.mkdir(parents=True)
    told = (name, f"{tmp_path}/top", f"{tmp_path}/folder", f"capfuzz-{os.getpid()}-below")
    run = shlex.join((sys.executable, "-c", BELOW, *told))
    script = f"mount -t tmpfs none {below}; echo planted > {below}/file; exec {run}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-euc", script], capture_output=True, text=True, check=True
    )
    assert ["planted", "planted"] == done.stdout.split(), done.stderr
    assert not (tmp_path / "top" / "file").exists()

"""``capfuzz render``: what it prints does, typed into a shell, what the grant says."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from capfuzz.targets.sandboxes.registry import ADAPTERS

from ..targets.test_command import here as attackable  # noqa: TID252 - it stands there once

COMMANDS = (
    "bwrap",
    "landlock",
    "landlock-seccomp",
    "sandlock",
    "nsjail",
    "unshare",
    "nspawn",
    "firejail",
    "podman",
    "runc",
    "gvisor",
)
NAME = f"render-{os.getpid()}"  # others that test at the same time have another
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


@pytest.fixture
def grant(tmp_path):
    """Return a function that writes a grant of a planted tree into GRANT.toml."""
    for place in ("work/out", "other"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "work/honest.txt").write_text("honest\n")
    (tmp_path / "other/secret.txt").write_text("secret\n")

    def write(*lines):
        places = [f'fs_read = ["{tmp_path}/work"]', f'fs_write = ["{tmp_path}/work/out"]']
        (tmp_path / "GRANT.toml").write_text("\n".join([*places, *lines]))

    write()
    return write


def here(name):
    """Skip what cannot run here; CI may not go without, but for a few."""
    attackable(ADAPTERS[name])


def typed(run, tmp_path, name, *command, options=()):
    """Return what becomes of what is printed for a command, typed into a shell."""
    words = ("render", "GRANT.toml", "--to", name, "--name", NAME, "-o", "made", *options)
    done = run(*words, "--", *command)
    assert (0, "") == (done.returncode, "".join(lines_beside_warnings(done.stderr)))
    return subprocess.run(
        ["bash", "-c", done.stdout],
        cwd=tmp_path,
        env={**os.environ, "PATH": PATH},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def lines_beside_warnings(text):
    """Return what was said that is no warning."""
    return [line for line in text.splitlines() if not line.startswith("warning: ")]


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_printed_opens_what_the_grant_names_and_no_more(name, grant, run, tmp_path):
    """A reader who types it would have another sandbox than the one that is attacked."""
    here(name)
    script = f"""
cat {tmp_path}/work/honest.txt
cat {tmp_path}/other/secret.txt
echo honest > {tmp_path}/work/out/new
echo hostile > {tmp_path}/work/new
echo hostile > {tmp_path}/other/new
"""
    done = typed(run, tmp_path, name, "sh", "-c", script)
    assert "honest\n" in done.stdout
    assert "secret\n" not in done.stdout
    written = {str(one.relative_to(tmp_path)) for one in tmp_path.glob("*/**/new")}
    assert {"work/out/new"} == written


def test_codex_opens_of_the_settings_of_the_machine_what_is_granted_alone(grant, run, tmp_path):
    """Its own smallest set of places has all of /etc in it: accounts and keys would be read."""
    here("codex")
    (tmp_path / "GRANT.toml").write_text('fs_read = ["/etc/security/limits.conf", "/etc/passwd/x"]')
    script = "cd /etc; cat security/limits.conf; cat passwd fstab security/*.conf 2> /dev/null"
    done = typed(run, tmp_path, "codex", "sh", "-c", script)
    assert Path("/etc/security/limits.conf").read_text() * 2 == done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_printed_can_be_typed_again(name, grant, run, tmp_path):
    """A sandbox would run once, and then stumble over what it left."""
    here(name)
    once, again = (typed(run, tmp_path, name, "echo", "it runs").stdout for _ in range(2))
    assert ("it runs\n", "it runs\n") == (once, again)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_deadline_ends_all_of_it(name, grant, run, tmp_path):
    """A program would run on after its time."""
    here(name)
    grant("max_wall = 1")
    seconds = f"271.{COMMANDS.index(name)}{os.getpid()}"  # others may sleep at the same time
    done = typed(run, tmp_path, name, "sleep", seconds)
    assert done.returncode in {0, -9, 137}  # of `runtime delete`, of what was ended
    deadline = time.monotonic() + 5  # what is killed ends a moment later
    while (left := _asleep(seconds)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "" == left
    assert [] == [*Path("/sys/fs/cgroup").glob(f"**/{NAME}")]


def _asleep(seconds):
    """Return the numbers of processes that sleep for so long."""
    asked = ["pgrep", "-f", f"sleep {re.escape(seconds)}"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_output_ends_at_its_budget(name, grant, run, tmp_path):
    """A program would flood whoever reads it."""
    here(name)
    grant("max_output_bytes = 9000")
    done = typed(run, tmp_path, name, "sh", "-c", "yes 12345678 | head -n 100000; yes 12345678 >&2")
    assert "12345678\n" * 1000 == done.stdout


@pytest.mark.parametrize("name", ["runc", "podman", "docker"])
def test_processes_end_at_their_budget(name, grant, run, tmp_path):
    """A fork bomb would be nobody's affair."""
    here(name)
    grant("max_ops = 3")
    done = typed(run, tmp_path, name, "sh", "-c", "for n in 1 2 3 4 5; do sleep 1 & done; wait")
    assert "annot fork" in done.stdout


_CALLS = """
import ctypes, os, socket, subprocess, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *words):
    done = getattr(libc, name)(*words)
    print(name, "allowed" if done >= 0 else os.strerror(ctypes.get_errno()))
call("unshare", 0x10000000)
call("syscall", 425, 1, 0)
for family in (socket.AF_UNIX, socket.AF_INET):
    call("socket", family, socket.SOCK_STREAM, 0)
thread = threading.Thread(target=print, args=("thread allowed",))
thread.start()
thread.join()
print("process", subprocess.run(["echo", "allowed"], capture_output=True, text=True).stdout)
print("pair", *map(type, socket.socketpair()))
"""


@pytest.mark.parametrize("name", ["runc", "landlock-seccomp"])
def test_the_seccomp_profile_bars_what_no_grant_names_and_nothing_honest(
    name, grant, run, tmp_path
):
    """A runtime would not read the profile, or it would bar honest programs, or nobody."""
    here(name)
    done = typed(run, tmp_path, name, "/usr/bin/python3", "-c", _CALLS)
    barred = ("unshare", "syscall", "socket", "socket")
    assert [f"{name} Operation not permitted" for name in barred] == done.stdout.splitlines()[:4]
    assert "thread allowed\nprocess allowed\n" in done.stdout
    assert "pair <class" in done.stdout


def test_what_the_profile_bars_is_open_without_it(grant, run, tmp_path):
    """The profile would be praised for what something else bars."""
    here("runc")
    typed(run, tmp_path, "runc", "/usr/bin/python3", "-c", _CALLS)
    file = tmp_path / "made/config.json"
    config = json.loads(file.read_text())
    del config["linux"]["seccomp"]
    file.write_text(json.dumps(config))
    script = f"cd {tmp_path}/made; runc --root state run {NAME}; runc --root state delete -f {NAME}"
    freed = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert "unshare allowed\nsyscall Bad address\nsocket allowed" in freed.stdout


def test_a_place_mounted_below_one_that_is_only_read_is_only_read(grant, run, tmp_path):
    """What is mounted below a folder would be open to be written, though the folder is not."""
    here("runc")
    done = run("render", "GRANT.toml", "--to", "runc", "-o", "made", "--", "touch", "work/sub/new")
    (tmp_path / "work/sub").mkdir()
    file = tmp_path / "made/config.json"
    file.write_text(file.read_text().replace('"work/sub/new"', f'"{tmp_path}/work/sub/new"'))
    script = f"mount -t tmpfs x {tmp_path}/work/sub\n{done.stdout}\nls {tmp_path}/work/sub"
    made = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "bash", "-c", script],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Read-only file system\n" == made.stdout[-len("Read-only file system\n") :]


def test_one_file_is_printed_for_a_pipe(grant, run):
    """A reader such as kubectl or jq would stumble over a heading."""
    for name in ("kubernetes", "seccomp"):
        done = run("render", "GRANT.toml", "--to", name)
        assert 0 == done.returncode
        assert isinstance(json.loads(done.stdout), dict)
        assert "warning: fs_" in done.stderr


def test_several_files_have_headings(grant, run):
    """Nobody could tell where one ends."""
    done = run("render", "GRANT.toml", "--to", "runc")
    assert "==> config.json <==\n{" in done.stdout
    assert "==> run in the folder of these <==\ntimeout " in done.stdout


def test_all_can_be_had_as_json(grant, run, tmp_path):
    """A script would have to part text."""
    made = json.loads(
        run("render", "GRANT.toml", "--to", "runc", "--json", "--", "echo", "x").stdout
    )
    assert {"command", "ending", "files", "warnings"} == made.keys()
    assert ["/usr/bin/echo", "x"] == json.loads(made["files"]["config.json"])["process"]["args"]


def test_a_file_that_is_there_is_left_alone(grant, run, tmp_path):
    """Somebody's own file would be gone."""
    (tmp_path / "made").mkdir()
    (tmp_path / "made/nsjail.cfg").write_text("mine\n")
    done = run("render", "GRANT.toml", "--to", "nsjail", "-o", "made")
    assert 2 == done.returncode
    assert "nsjail.cfg: is there already and differs; name another folder" in done.stderr
    assert "mine\n" == (tmp_path / "made/nsjail.cfg").read_text()


@pytest.mark.parametrize(
    ("lines", "words", "said"),
    [
        ((), ("--to", "bwarp"), "--to: 'bwarp' is no system; did you mean bwrap?"),
        ((), (), "Missing option '--to'"),
        (("max_opps = 3",), ("--to", "bwrap"), "GRANT.toml:3: 'max_opps' is no key of a grant"),
        (
            ('net_hosts = ["api.internal"]',),
            ("--to", "bwrap"),
            "net_hosts api.internal: bwrap opens",
        ),
        (("max_wall = 0",), ("--to", "bwrap"), "max_wall 0: no time is left"),
        ((), ("--to", "mcp-roots"), "a root is not only for reading"),
        ((), ("--to", "bwrap", "--image", "x"), "--image: bwrap has none"),
        (
            ('net_hosts = ["api.internal"]',),
            ("--to", "vercel", "--port", "443", "--port", "22"),
            "ports 443, 22: vercel opens every port of a host or none; --wider accepts that",
        ),
        ((), ("--to", "kubernetes", "--runtime", "../r"), "'../r' is no name of a RuntimeClass"),
        ((), ("--to", "deno", "--port", "70000"), "--port': 70000 is not in the range 1<=x<=65535"),
        ((), ("--to", "runc", "--name", "../x"), "--name: '../x' must be a label"),
        ((), ("--to", "unshare", "-o", "GRANT.toml"), "GRANT.toml: cannot be written: "),
        ((), ("--to", "unshare", "-o", "a" * 300), "a: cannot be written: File name too long"),
        ((), ("--to", "runc", "-o", ""), "--output: is empty; name a folder"),
        ((), ("--to", "bwrap", "--", ""), "COMMAND: its first word is empty; name a program"),
    ],
)
def test_what_cannot_be_rendered_is_told_in_one_line(lines, words, said, grant, run):
    """A misunderstanding would be a traceback, or a sandbox that is wider than was asked for."""
    grant(*lines)
    done = run("render", "GRANT.toml", *words)
    assert (2, "") == (done.returncode, done.stdout)
    assert said in done.stderr
    assert "Traceback" not in done.stderr

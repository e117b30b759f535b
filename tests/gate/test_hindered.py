"""A machine on which little can be measured (no room, no /proc, no loopback, no PATH): a line each."""

import os
import shlex
import subprocess
import sys

import pytest
from capfuzz.targets.sandboxes.registry import ADAPTERS
from capfuzz.targets.sandboxes.user_namespaces import refused

from ..absent import absent  # noqa: TID252 - it stands there once
from .conftest import CAPFUZZ

LOOPBACK = "ip link set lo up"
FULL = f"""
{LOOPBACK}
mount -t tmpfs -o size=1m none "$TMPDIR"
dd if=/dev/zero of="$TMPDIR/fill" bs=4k count=254 2>/dev/null
"""
NO_FOLDER = f"""
{LOOPBACK}
for one in /tmp /var/tmp "$TMPDIR"; do mount --bind $one $one; mount -o remount,bind,ro $one; done
cd /proc
"""
NO_PROC = f"{LOOPBACK}; mount -t tmpfs none /proc"
PROC = "/proc is needed and is not mounted: mount -t proc proc /proc"
FEW = ("--family", "kernel-files", "--profile", "quick")


@pytest.fixture
def hindered(tmp_path):
    """Return a function that runs a command in mounts and a network of its own, after a script."""
    if refused():
        absent(refused())
    user = () if os.geteuid() == 0 else ("--user", "--map-root-user")

    def run(script, *arguments, program=CAPFUZZ):
        command = shlex.join([str(program), *arguments])
        line = f'{script}\n{command}; status=$?; echo "left: $(ls -A $TMPDIR)"; exit $status'
        return subprocess.run(
            ["unshare", *user, "--mount", "--net", "sh", "-c", line],
            env={**os.environ, "COLUMNS": "200", "TMPDIR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture(autouse=True)
def _here():
    missing = ADAPTERS["landlock"].unavailable()
    if missing:
        absent(missing)


@pytest.mark.parametrize(
    "words",
    [
        ("attack", "landlock", *FEW),
        ("attack", "py:os.path:join", "--as", "path", "--profile", "quick"),
        ("attack", "py:shutil:unpack_archive", "--as", "archive", "--profile", "quick"),
        ("posture", "landlock"),
    ],
)
def test_no_room_for_what_is_planted_is_told_in_one_line(words, hindered, tmp_path):
    """A full disk would look like a fault of the suite, and fill further."""
    done = hindered(FULL, *words)
    told = f"{tmp_path}: files cannot be planted here: No space left on device; make room there, "
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {told}")
    assert (2, "left: fill\n") == (done.returncode, done.stdout)


def test_no_folder_for_temporary_files_is_told_in_one_line(hindered):
    """It would end in a traceback before anything has begun."""
    done = hindered(NO_FOLDER, "attack", "--profile", "quick")
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: No usable temporary directory found in [")
    assert line.endswith("]: make room in one, or set TMPDIR to a folder that has some")
    assert 2 == done.returncode


def test_no_room_for_one_system_loses_no_other(hindered):
    """The whole matrix would be lost to the first that found no room."""
    done = hindered(FULL, "matrix", "--targets", "landlock,landlock-seccomp", *FEW)
    assert 2 == done.returncode
    assert "Traceback" not in done.stderr
    for name in ("landlock", "landlock-seccomp"):
        assert f"{name}: inconclusive: /" in done.stdout


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("attack", "landlock", *FEW), "landlock"),
        (("attack", "cmd:python3 {probe}", *FEW), "cmd:python3 {probe}"),
        (("posture", "landlock"), "landlock"),
    ],
)
def test_that_proc_is_not_there_is_told_in_one_line(words, name, hindered):
    """Nobody would guess from a socket that could not be bound what is missing."""
    done = hindered(NO_PROC, *words)
    assert (2, f"Error: {name}: cannot run here: {PROC}\n") == (done.returncode, done.stderr)


@pytest.mark.parametrize("words", [("matrix", "--targets", "landlock,podman"), ("targets",)])
def test_a_list_says_of_each_system_that_proc_is_not_there(words, hindered):
    """One that reads the table of mounts would take the list with it."""
    done = hindered(NO_PROC, *words)
    assert "Traceback" not in done.stderr
    assert 2 <= done.stdout.count("/proc is needed")


def test_root_is_told_nothing_about_user_namespaces(hindered):
    """The reason that a system gives would be followed by one that has nothing to do with it."""
    code = "from capfuzz.targets.sandboxes.user_namespaces import refused; print(repr(refused()))"
    done = hindered(NO_PROC, "-c", code, program=sys.executable)
    assert "''\nleft: \n" == done.stdout


def test_that_loopback_is_down_is_told_in_one_line(hindered):
    """It would end in a traceback when the first packet was looked for."""
    done = hindered("", "attack", "landlock", *FEW)
    told = "Error: the loopback device is down here: ip link set lo up\n"
    assert (2, told) == (done.returncode, done.stderr)


def test_an_empty_search_path_is_the_usual_one(run):
    """A list of what can be attacked would end in a traceback, and the control run be left out."""
    listed = run("targets", PATH="")
    assert (0, "") == (listed.returncode, listed.stderr)
    done = run("attack", "landlock", *FEW, PATH="")
    assert 0 == done.returncode
    assert "unshare is not installed" not in done.stdout

"""Whatever becomes of a campaign against a sandbox, nothing of it stays on the machine."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from capfuzz.attacks.kernel import FAR
from capfuzz.targets.outlived import marked
from capfuzz.targets.planted import remove, remove_cgroups
from capfuzz.targets.processes import MARK
from capfuzz.targets.sandboxes.registry import ADAPTERS

from ..ctrl_c import hear_ctrl_c  # noqa: TID252 - it stands there once
from .remains import Watched
from .test_command import SANDBOXES, here

_SWEEP = "from capfuzz.targets.planted import sweep_stale; sweep_stale()"
_LOOKING = 0.1  # seconds
_STARTING, _RUNNING, _ENDING = 60, 240, 30  # seconds
_SHORT = ("--family", "kernel-others", "--family", "kernel-tasks")


@pytest.fixture
def begun(tmp_path):
    """Begin a campaign; return what watches it, the process, and the file in which it writes."""
    watched, said = Watched(tmp_path), tmp_path / "said"
    program = shutil.which("capfuzz", path=str(Path(sys.executable).parent))

    def begin(adapter, *arguments):
        command = [program, "attack", here(adapter).name, *arguments]
        with said.open("w") as out:
            process = subprocess.Popen(
                command,
                env={**os.environ, "TMPDIR": str(tmp_path)},
                stdout=out,
                stderr=out,
                preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - no thread runs here
            )
        watched.look(process.pid)
        return watched, process, said

    yield begin
    watched.end()


@pytest.mark.parametrize("adapter", SANDBOXES, ids=lambda one: one.name)
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
def test_nothing_is_left_after_a_campaign_was_ended(end, adapter, begun, tmp_path):
    """Anything of ours would stay on the machine of somebody who presses Ctrl-C."""
    watched, process, said = begun(adapter)
    deadline = time.monotonic() + _STARTING
    while not (attacked := watched.attacked) and time.monotonic() < deadline:
        assert process.poll() is None, said.read_text()
        time.sleep(_LOOKING)
        watched.look(process.pid)
    assert attacked, said.read_text()
    _end(process, end, watched, tmp_path)
    assert {} == watched.left()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bwrap", "landlock", "sandlock", "runc"])
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
def test_nothing_is_left_where_it_was_ended_in_overtime(end, name, begun, tmp_path):
    """What ignores every signal and has left its group would be let loose on somebody's machine."""
    watched, process, said = begun(ADAPTERS[name], "--family", "kernel-spend")
    deadline = time.monotonic() + _STARTING
    while not (seen := _in_overtime(tmp_path)) and time.monotonic() < deadline:
        assert process.poll() is None, said.read_text()
    watched.look(process.pid)
    assert seen, said.read_text()
    _end(process, end, watched, tmp_path)
    assert {} == watched.left()
    assert [] == marked(str(tmp_path))


def _in_overtime(folder):
    """Tell whether several processes of a bounded sandbox would not end if they were asked to."""
    places = [Path(f"/proc/{pid}") for pid in marked(str(folder))]
    bounded = any(b"head -c 4096" in _text(one / "cmdline") for one in places)
    return bounded and sum(map(_is_deaf, places)) > 3


def _is_deaf(place):
    ignored = _text(place / "status").partition(b"SigIgn:")[2].split()[:1]
    return any(int(one, 16) >> (signal.SIGTERM - 1) & 1 for one in ignored)


def _text(place):
    try:
        return place.read_bytes()
    except OSError:  # ended meanwhile
        return b""


def _end(process, how, watched, folder):
    """End a campaign; of one that is killed outright, remove what is left once the kernel has its due."""
    process.send_signal(how)
    process.wait(60)
    if how == signal.SIGKILL:  # the kernel ends what it has started, a while after it
        deadline = time.monotonic() + _ENDING
        while "processes" in watched.left() and time.monotonic() < deadline:
            time.sleep(_LOOKING)
        environment = {**os.environ, "TMPDIR": str(folder)}
        subprocess.run([sys.executable, "-c", _SWEEP], env=environment, check=True)


@pytest.mark.slow
@pytest.mark.parametrize("adapter", SANDBOXES, ids=lambda one: one.name)
def test_nothing_is_left_after_a_campaign_came_to_its_own_end(adapter, begun):
    """Each run of somebody's would leave a little more, though nobody interrupted it."""
    watched, process, said = begun(adapter, *_SHORT)
    deadline = time.monotonic() + _RUNNING
    while process.poll() is None and time.monotonic() < deadline:
        watched.look(process.pid)
        time.sleep(_LOOKING)
    assert process.poll() in {0, 1}, said.read_text()
    assert watched.attacked, said.read_text()
    assert {} == watched.left()


# What a process leaves that ends by itself, and as what that is counted.
LEAKS = {
    "a process": ("stay()", {"processes"}),
    "a namespace": (
        "stay('unshare', '--user', '--map-root-user', '--net')",
        {"processes", "namespaces"},
    ),
    "a folder": ("os.mkdir(f'{own}/kept')", {"folders"}),
    **{
        f"a folder in {home}": (f"os.mkdir(f'{home}/{{name}}-kept')", {"folders"})
        for home in FAR.values()
        if Path(home).is_dir()
    },
}
_LISTENER = "listener = {}; stay(pass_fds=[listener.fileno()])"
LISTENERS = {
    "TCP": "socket.create_server(('127.0.0.1', 0))",
    "UDP": "bound(socket.AF_INET, ('127.0.0.1', 0))",
    "unix": "bound(socket.AF_UNIX, tempfile.mkdtemp() + '/socket')",
    "abstract": "bound(socket.AF_UNIX, chr(0) + tempfile.mkdtemp())",
}
_LEAVING = """
import contextlib, os, socket, subprocess, sys, tempfile
own = tempfile.mkdtemp(prefix="capfuzz-")
name = os.path.basename(own)
def stay(*around, **more):
    subprocess.run([*around, "sh", "-c", "sleep 60 > /dev/null &"], check=True, **more)
def bound(family, place):
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.bind(place)
    return made
{code}
print(name, flush=True)
sys.stdin.read()
with contextlib.suppress(OSError):  # something is left in it
    os.rmdir(own)
"""
# In a namespace of mounts of its own; what it prints is what was counted.
_MOUNTING = """
import subprocess, sys
sys.path.insert(0, sys.argv[1])
from remains import Watched
watched = Watched(sys.argv[2])
def mount():
    subprocess.run(["mount", "-t", "tmpfs", "none", "/mnt"], check=True)
def keep():
    open("/dev/shm/name", "w").close()
    inside = ["unshare", "--net=/dev/shm/name", "sh", "-c", "echo; read end"]
    held = subprocess.Popen(inside, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    held.stdout.readline()
    watched.look(held.pid)
    held.communicate()
{code}
print(*sorted(watched.left()))
"""
MOUNTS = {
    "a mount": ("mount()", "mounts"),
    "a namespace by its name": ("keep()", "mounts namespaces"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_what_is_left_is_counted(leak, tmp_path):
    """Whatever a campaign left, the tests above would find that all is as it was."""
    code, kinds = LEAKS[leak]
    assert kinds == _left_by(code, tmp_path)


@pytest.mark.parametrize("listener", LISTENERS)
def test_a_listener_that_is_left_is_counted(listener, tmp_path):
    """A port would stay taken, and nobody would know by whom."""
    assert {"processes", "sockets"} == _left_by(_LISTENER.format(LISTENERS[listener]), tmp_path)


def test_a_control_group_that_is_left_is_counted(tmp_path):
    """Each container of a campaign that was killed would leave one for ever."""
    top = Path("/sys/fs/cgroup")
    home = top / "pids" if (top / "pids").is_dir() else top  # the older or newer kind
    if not os.access(home, os.W_OK):
        pytest.skip(f"NOT tried: whoever runs this may make no control group in {home}")
    assert {"control groups"} == _left_by(f"os.mkdir(f'{home}/{{name}}')", tmp_path)


@pytest.mark.parametrize("mount", MOUNTS)
def test_a_mount_that_is_left_is_counted(mount, tmp_path):
    """A folder of the machine's would stay covered, and its device busy."""
    here(ADAPTERS["bwrap"])  # a user who is not root may make no namespace elsewhere
    code, kinds = MOUNTS[mount]
    alone = ["--mount", "--propagation", "private", *(["-Ur"] if os.geteuid() else [])]
    covered = 'mount -t tmpfs none /dev/shm && exec "$@"'
    arguments = [_MOUNTING.format(code=code), str(Path(__file__).parent), str(tmp_path)]
    before = Path("/proc/self/mounts").read_text()
    done = subprocess.run(
        ["unshare", *alone, "sh", "-c", covered, "sh", sys.executable, "-c", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert kinds == done.stdout.strip()
    assert before == Path("/proc/self/mounts").read_text()


def _left_by(code, folder):
    """Return the kinds of what a process leaves that ends by itself, and remove all of it."""
    environment = {**os.environ, "TMPDIR": str(folder), MARK: f"{folder}/capfuzz-x"}
    watched = Watched(folder)
    with subprocess.Popen(
        [sys.executable, "-c", _LEAVING.replace("{code}", code)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        name = process.stdout.readline().strip()
        assert name.startswith("capfuzz-")
        watched.look(process.pid)
    left = watched.left()
    watched.end()
    remove_cgroups(name)
    for home in FAR.values():
        remove(f"{home}/{name}-kept")
    return left.keys()

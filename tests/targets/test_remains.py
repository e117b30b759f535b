"""Whatever becomes of a campaign against a sandbox, nothing of it stays on the machine."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from capfuzz.targets.processes import MARK

from .remains import Watched
from .test_command import SANDBOXES, here

_SWEEP = "from capfuzz.targets.planted import sweep_stale; sweep_stale()"
_LOOKING = 0.1  # seconds
_STARTING, _RUNNING = 60, 240  # seconds
_SHORT = ("--family", "kernel-others")


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
                preexec_fn=_hear_ctrl_c,  # noqa: PLW1509 - no thread runs here
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
    process.send_signal(end)
    process.wait(60)
    if end == signal.SIGKILL:
        time.sleep(1)
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        subprocess.run([sys.executable, "-c", _SWEEP], env=environment, check=True)
    assert {} == watched.left()


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


LEAKS = {
    "processes": "stay()",
    "namespaces": "stay('unshare', '--user', '--map-root-user', '--net')",
    "folders": "tempfile.mkdtemp(prefix='capfuzz-')",
}
_LISTENER = "listener = {}; stay(pass_fds=[listener.fileno()])"
LISTENERS = {
    "TCP": "socket.create_server(('127.0.0.1', 0))",
    "UDP": "bound(socket.AF_INET, ('127.0.0.1', 0))",
    "unix": "bound(socket.AF_UNIX, tempfile.mkdtemp() + '/socket')",
    "abstract": "bound(socket.AF_UNIX, chr(0) + tempfile.mkdtemp())",
}
_LEAVING = """
import socket, subprocess, sys, tempfile
def stay(*around, **more):
    subprocess.run([*around, "sh", "-c", "sleep 60 > /dev/null &"], check=True, **more)
def bound(family, place):
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.bind(place)
    return made
"""


@pytest.mark.parametrize("kind", LEAKS)
def test_what_is_left_is_counted(kind, tmp_path):
    """Whatever a campaign left, the tests above would find that all is as it was."""
    assert kind in _left_by(LEAKS[kind], tmp_path)


@pytest.mark.parametrize("listener", LISTENERS)
def test_a_listener_that_is_left_is_counted(listener, tmp_path):
    """A port would stay taken, and nobody would know by whom."""
    assert "sockets" in _left_by(_LISTENER.format(LISTENERS[listener]), tmp_path)


def _hear_ctrl_c():
    """Hear Ctrl-C, though a shell that runs the tests in the background does not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _left_by(code, folder):
    """Return the kinds of what a process leaves that ends by itself, and remove all of it."""
    environment = {**os.environ, "TMPDIR": str(folder), MARK: f"{folder}/capfuzz-x"}
    program = f"{_LEAVING}\n{code}\nprint(flush=True)\nsys.stdin.read()"
    watched = Watched(folder)
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert b"\n" == process.stdout.readline()
        watched.look(process.pid)
    left = watched.left()
    watched.end()
    return left

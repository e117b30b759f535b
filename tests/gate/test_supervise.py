"""Nothing is left behind: after success, Ctrl-C, SIGTERM and a killed process."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..ctrl_c import hear_ctrl_c  # noqa: TID252 - it stands there once

SLOW = """
import os, time

def slow(root, path):
    open("started", "w").close()
    if path != "data.txt":
        time.sleep(1.5)
    return os.path.join(root, path)
"""


def planted():
    """Return the trees that suites have planted."""
    folders = (Path("/dev/shm"), Path("/tmp"))
    return {tree for folder in folders if folder.is_dir() for tree in folder.glob("capfuzz-[0-9]*")}


def wait_for(condition):
    """Wait until ``condition`` holds; the test fails by its own assertion if it never does."""
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)


@pytest.fixture
def attacking(tmp_path, target):
    """Start an attack on a slow function in a process group of its own, and end it after all."""
    from .conftest import CAPFUZZ

    target(SLOW)
    process = subprocess.Popen(
        [CAPFUZZ, "attack", "py:target:slow", "--as", "path"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - no thread runs here
    )
    wait_for((tmp_path / "started").exists)
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def trees(tmp_path):
    """Return the trees planted below this test's own temporary folder."""
    return list(tmp_path.glob("capfuzz-[0-9]*"))


@pytest.mark.parametrize(
    ("how", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_an_interrupted_attack_leaves_nothing(how, status, attacking, tmp_path):
    """Ctrl-C would leave planted files and a running process behind."""
    assert trees(tmp_path)
    os.killpg(attacking.pid, how)
    _, said = attacking.communicate(timeout=30)
    assert attacking.returncode == status
    assert "Traceback" not in said
    assert trees(tmp_path) == []


def test_a_killed_worker_leaves_nothing_and_gives_no_verdict(attacking, tmp_path):
    """A target that kills its process would end the suite with a clean status."""
    (child,) = children(attacking.pid)
    os.kill(child, signal.SIGKILL)
    _, said = attacking.communicate(timeout=30)
    assert attacking.returncode == 2
    assert "was ended by SIGKILL" in said
    assert trees(tmp_path) == []


def test_a_killed_suite_takes_its_worker_with_it(attacking, tmp_path):
    """A worker would go on attacking after the suite was killed."""
    (child,) = children(attacking.pid)
    os.kill(attacking.pid, signal.SIGKILL)
    attacking.wait(timeout=30)
    wait_for(lambda: not alive(child) and not trees(tmp_path))
    assert not alive(child)
    assert trees(tmp_path) == []


def children(pid):
    """Return the processes that ``pid`` has started."""
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def alive(pid):
    """Tell whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


DOUBLED = """
import os, signal, sys, time
from capfuzz.gate.supervise import supervised

one = getattr(signal, sys.argv[1])
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), one))
sys.exit(supervised(lambda heart: time.sleep(60) or 0, "it"))
"""


@pytest.mark.parametrize(
    ("how", "status"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_a_request_to_end_is_heard_while_the_process_is_doubled(how, status, tmp_path):
    """Ctrl-C at the beginning of a campaign would be lost, and it would run to its end."""
    done = subprocess.run(
        [sys.executable, "-c", DOUBLED, how.name],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        preexec_fn=hear_ctrl_c,
        check=False,
    )
    assert status == done.returncode
    assert "ignored" not in done.stderr

"""The control run: attacks land where nothing confines them, and nothing is left of it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from capfuzz.attacks.case import Verdict
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.targets import control as module
from capfuzz.targets.control import SPACES, control
from capfuzz.targets.processes import program
from capfuzz.targets.sandboxes.base import missing_root

KERNEL = load(sorted(CORPUS.glob("kernel-*.json")))
ATTACKS = [one for one in KERNEL if not one.is_control]
DENIED = {
    op[0]
    for one in ATTACKS
    for op, said in zip(one.case.ops, one.case.verdicts, strict=True)
    if said is Verdict.DENY
}
OF_ROOT = {
    *("fs_chown", "fd_chown", "fs_handle", "net_raw", "net_packet"),
    *("priv_setuid", "priv_bpf", "priv_mount"),
}


def landed(rights):
    """Return which kinds land, tried by root with all its rights or with none."""
    code = program("capfuzz.targets.control", "main", f"{rights}, 'capfuzz-{os.getpid()}-control'")
    done = subprocess.run(
        ["unshare", *SPACES, sys.executable, "-c", code], stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture
def _root():
    if missing_root():
        pytest.skip("namespaces without a user namespace around them: it needs root")


@pytest.mark.slow
@pytest.mark.usefixtures("_root")
def test_every_kind_lands_with_the_rights_of_root():
    """What cannot land would be held by every sandbox, and prove nothing."""
    assert dict.fromkeys(DENIED, True) == landed(rights=True)


@pytest.mark.slow
@pytest.mark.usefixtures("_root")
def test_what_needs_a_right_of_root_does_not_land_without_it():
    """A sandbox would be praised for keeping from a user what no user can do."""
    assert OF_ROOT == {kind for kind, hit in landed(rights=False).items() if not hit}


@pytest.mark.slow
def test_it_is_made_once():
    """Each of many sandboxes would cost the time of another run."""
    control.cache_clear()
    first = control()
    before = time.perf_counter()
    assert first is control()
    assert time.perf_counter() - before < 1
    assert "" == first.told or missing_root() or "no control run" not in first.told


def test_without_a_run_only_what_honest_work_shows_to_be_possible_is_tried(monkeypatch):
    """A sandbox would hold what nobody has seen to land."""
    monkeypatch.setattr(module, "missing", lambda name: f"{name} is not installed")
    made = control.__wrapped__()
    assert "no control run without a sandbox: unshare is not installed" in made.told
    honest = {op[0] for one in KERNEL if one.is_control for op in one.case.ops}
    assert {"fs_read", "fs_write", "fs_list", "net_tcp"} <= honest
    assert DENIED - honest == DENIED & made.missed
    assert {"proc_signal", "net_unix", "env_read", "proc_background"} <= made.missed


@pytest.mark.slow
def test_nothing_is_left_of_a_run_that_was_killed(tmp_path):
    """Processes or mounts of ours would stay on somebody's machine."""
    before = Path("/proc/self/mounts").read_text()
    process = subprocess.Popen(
        [sys.executable, "-c", "from capfuzz.targets.control import control; control()"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not _named(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert _named(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    deadline = time.monotonic() + 20
    while _named(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [] == _named(tmp_path)
    assert before == Path("/proc/self/mounts").read_text()


def _named(folder):
    """Return the processes that name a folder in their command line, as the probe's does."""
    found = subprocess.run(["pgrep", "-af", folder], capture_output=True, text=True, check=False)
    return found.stdout.splitlines()

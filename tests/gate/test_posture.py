"""The posture of a sandbox on the command line: table, JSON and exit status."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from capfuzz.attacks.escapes import ESCAPES
from capfuzz.targets.sandboxes.bwrap import Bubblewrap

from ..absent import absent  # noqa: TID252 - it stands there once

CAPFUZZ = shutil.which("capfuzz", path=str(Path(sys.executable).parent))
UNCONFINED = "cmd:/usr/bin/env python3 -S {probe}"


def typed(*words):
    """Return the status and what was printed."""
    done = subprocess.run([CAPFUZZ, "posture", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_nothing_open_is_told_with_status_0():
    """A pipeline would fail over a right sandbox."""
    reason = Bubblewrap().unavailable()
    if reason is not None:
        absent(f"bwrap was NOT looked at: {reason}")
    status, out, err = typed("bwrap", "--json", "-")
    assert 0 == status, out + err
    told = json.loads(out)
    assert "not seen" == told["verdict"]
    assert [one.name for one in ESCAPES] == [one["name"] for one in told["scenarios"]]
    assert {None} == {one["evidence"] for one in told["signs"]}
    limited = {one["name"]: one["limits"] for one in told["limits"]}
    assert {"memory": [], "processes": [], "processor time": []} == limited


@pytest.mark.slow
def test_something_open_is_told_with_status_1():
    """A sandbox that confines nothing would pass."""
    status, out, err = typed(UNCONFINED)
    assert 1 == status, out + err
    assert "environment: the environment of whoever starts it can be read" in out
    assert "environment, " in out.partition("\nopen: ")[2]
    assert "limit of memory: nothing is seen that limits it (64 of 64 MiB could be held)" in out


@pytest.mark.slow
def test_what_is_no_sandbox_is_refused():
    """Somebody would wait for an answer that cannot come."""
    status, _, err = typed("engine")
    assert (2, "engine: not a sandbox of the system") == (
        status,
        err.strip().removeprefix("Error: ").partition(";")[0],
    )

"""What a campaign leaves in the background: what is ours ends with it, what is not runs on."""

import os
import signal
import subprocess
import sys

import pytest

from .test_supervise import alive

# A process without any mark in its environment, whose parent ends at once.
CAMPAIGN = """
import subprocess, sys
from capfuzz.gate.supervise import supervised

def work(heart):
    left = 'echo $$; exec tail -f /dev/null "$0" > /dev/null'
    command = ["env", "-i", "setsid", "--fork", "sh", "-c", left, sys.argv[1]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        print(started.stdout.readline(), flush=True)
    if sys.argv[2] == "killed":
        heart.beat(-1)
        subprocess.run(["sleep", "60"])
    return 0

sys.exit(supervised(work, "it"))
"""


def lives_on(name, how):
    """Tell whether a process of this name lives on that a campaign has left in the background."""
    with subprocess.Popen(
        [sys.executable, "-c", CAMPAIGN, name, how],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as campaign:
        pid = int(campaign.stdout.readline())
        assert (2 if how == "killed" else 0) == campaign.wait(60)
    found = alive(pid)
    if found:
        os.kill(pid, signal.SIGKILL)
    return found


@pytest.mark.parametrize("how", ["to its own end", "killed"])
@pytest.mark.parametrize("name", ["/tmp/capfuzz-1-a/configuration", "from capfuzz.gate.x import y"])
def test_what_is_ours_has_ended_when_a_campaign_has(name, how):
    """A sandbox would end a while after the suite, and hold its ports and mounts until then."""
    assert not lives_on(name, how)


def test_what_a_target_started_for_others_runs_on():
    """A server of the machine's that a target found asleep would be ended with the campaign."""
    assert lives_on("/srv/database", "to its own end")

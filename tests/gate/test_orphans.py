"""What a campaign leaves in the background: what is ours ends with it, what is not runs on."""

import os
import signal
import subprocess
import sys

import pytest
from capfuzz.targets.processes import MARK

from .test_supervise import alive

# A process with an environment of its own, whose parent ends at once.
CAMPAIGN = """
import subprocess, sys
from capfuzz.gate.supervise import supervised

def work(heart):
    how, *left = sys.argv[1:]
    command = ["env", "-i", "setsid", "--fork", *left]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        print(started.stdout.readline(), flush=True)
    if how == "killed":
        heart.beat(-1)
        subprocess.run(["sleep", "60"])
    return 0

sys.exit(supervised(work, "it"))
"""
STAYS = ("sh", "-c", 'echo $$; exec tail -f /dev/null "$0" > /dev/null')
ENDS = ("sh", "-c", "echo $$; sleep 2; exit")


def lives_on(how, *left):
    """Tell whether a process lives on that a campaign has left in the background."""
    with subprocess.Popen(
        [sys.executable, "-c", CAMPAIGN, how, *left],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as campaign:
        pid = int(campaign.stdout.readline())
        assert (2 if how == "killed" else 0) == campaign.wait(60)
    found = alive(pid)
    if found:
        os.kill(pid, signal.SIGKILL)
    return found


OURS = {
    "marked": ("env", f"{MARK}=/of/ours", *STAYS, "/srv/database"),
    "only beginning": (*STAYS, "from capfuzz.gate.x import y"),
    "ends by itself": (*ENDS, "/tmp/capfuzz-1-a/configuration"),
}


@pytest.mark.parametrize("how", ["to its own end", "killed"])
@pytest.mark.parametrize("left", OURS)
def test_what_is_ours_has_ended_when_a_campaign_has(left, how):
    """A sandbox would end a while after the suite, and hold its ports and mounts until then."""
    assert not lives_on(how, *OURS[left])


def test_what_a_target_started_for_others_runs_on():
    """A server of the machine's that a target found asleep would be ended with the campaign."""
    assert lives_on("to its own end", *STAYS, "/srv/database")

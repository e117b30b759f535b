"""Standard streams that are closed or full: the verdict stays what it is, and one line is enough."""

import subprocess

import pytest

from .conftest import CAPFUZZ

QUICK = f"{CAPFUZZ} attack engine --profile quick --family budget-ops"
UNCONFINED = f"{CAPFUZZ} posture 'cmd:/usr/bin/env python3 -S {{probe}}'"


def typed(line):
    """Return the status and what stands in standard error."""
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_changes_no_verdict(closed):
    """A service that runs without streams would be told a traceback, or nothing with status 2."""
    status, err = typed(f"{QUICK} {closed}")
    assert (0, False) == (status, "Traceback" in err), err


def test_a_full_standard_error_is_no_finding():
    """A gate would take a full disk for a hole in the sandbox."""
    assert (2, "") == typed(f"{QUICK} 2>/dev/full")


def test_a_full_standard_error_is_no_finding_of_a_command_that_attacks_nothing():
    """Whoever asks for what a grant becomes would be told of a finding."""
    assert (2, "") == typed(f"{CAPFUZZ} lint no-such-file 2>/dev/full")


@pytest.mark.slow
def test_a_posture_that_cannot_be_printed_is_told_in_one_line():
    """A traceback would stand where a person looks for what to do."""
    told = "Error: standard output: cannot write the report: No space left on device\n"
    assert (2, told) == typed(f"{UNCONFINED} >/dev/full")

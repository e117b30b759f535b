"""The driver: it stops at the first hard refusal, and at nothing else."""

import pytest
from capfuzz.engine import SandboxedAgent

READ = ("fs_read", "/work/data.txt")


def test_a_run_without_a_hard_refusal_is_completed(world):
    """Else a denied op or an error would end an honest run."""
    ops = [READ, ("fs_read", "/etc/passwd"), ("fs_read", "/work/none"), None, ("tool", "summarize")]
    run = SandboxedAgent(world.box()).run_all(ops)
    assert ["completed", [True, False, False, False, True]] == [
        run.stopped_reason,
        [result.ok for result in run.results],
    ]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"max_ops": 2}, "max_ops"),
        ({"max_wall": 2}, "max_wall"),
        ({"max_output_bytes": 12}, "max_output_bytes"),
    ],
)
def test_a_run_stops_with_the_first_hard_refusal(world, changes, reason):
    """Else the agent would go on behind a tripped breaker."""
    taken = []
    ops = (taken.append(n) or READ for n in range(9))
    run = SandboxedAgent(world.box(**changes)).run_all(ops)
    assert ["hard_limit", [None, None, reason], [0, 1, 2]] == [
        run.stopped_reason,
        [result.violation for result in run.results],
        taken,
    ]


def test_no_ops_are_a_completed_run(world):
    """Else an agent with nothing to do would seem to have failed."""
    assert ([], "completed") == SandboxedAgent(world.box()).run_all([])


def test_a_new_driver_gets_no_new_budget(world):
    """Else whoever makes another agent over the same sandbox would start anew."""
    box = world.box(max_ops=1)
    SandboxedAgent(box).run_all([READ, READ])
    run = SandboxedAgent(box).run_all([READ, READ])
    assert [["halted"], "hard_limit"] == [[r.violation for r in run.results], run.stopped_reason]


def test_a_run_that_ends_on_its_last_op_says_why(world):
    """Else a run cut off by its last op would seem completed."""
    assert "hard_limit" == SandboxedAgent(world.box(max_ops=0)).run_all([READ]).stopped_reason

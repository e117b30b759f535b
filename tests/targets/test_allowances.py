"""What limits memory, processes and processor time is told where something does, and not elsewhere."""

import pytest
from capfuzz.targets.allowances import allowances
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.sandboxes.bare import Bare
from capfuzz.targets.sandboxes.bwrap import Bubblewrap
from capfuzz.targets.sandboxes.oci import RUNC

from .leaks import Leak, Leaky, commanded, configured
from .test_command import here

MEMORY, PROCESSES, PROCESSOR = "memory", "processes", "processor time"


def told(adapter):
    """Return what is told of a sandbox, by the name of what can be limited."""
    target = CommandTarget(adapter.name, adapter)
    try:
        return {one.name: one for one in allowances(target)}
    finally:
        target.close()


def changed(adapter, change):
    """Return an adapter with a change of what it renders."""
    return Leaky(here(adapter), Leak("posture", "a limit", change))


def under(limit):
    """Return the change that starts it under a limit of a process (prlimit(1))."""
    return commanded(lambda words, _floor: ["prlimit", limit, "--", *words])


def with_resources(**more):
    """Return the change by which a bundle limits more."""
    return configured(lambda config: config["linux"]["resources"].update(more))


def test_where_nothing_is_limited_all_is_used():
    """What the suite itself is limited to would be a merit of every sandbox."""
    found = told(Bare())
    assert {MEMORY: (), PROCESSES: (), PROCESSOR: ()} == {
        name: one.limits for name, one in found.items()
    }
    assert "64 of 64 MiB could be held" == found[MEMORY].used
    assert "32 of 32 could be started" == found[PROCESSES].used
    assert found[PROCESSOR].used.endswith(" of 0.5 s were had")


@pytest.mark.parametrize(
    ("name", "limit", "seen"),
    [
        (MEMORY, "--as=80000000", "RLIMIT_AS 80000000"),
        (MEMORY, "--data=60000000", "RLIMIT_DATA 60000000"),
        (PROCESSES, "--nproc=2000", "RLIMIT_NPROC 2000"),
        (PROCESSOR, "--cpu=100", "RLIMIT_CPU 100"),
    ],
)
def test_a_limit_of_a_process_is_told(name, limit, seen):
    """A sandbox that sets limits would be told to have none."""
    found = told(changed(Bubblewrap(), under(limit)))
    assert {name: (seen,)} == {one.name: one.limits for one in found.values() if one.limits}
    if name == MEMORY:
        held = int(found[MEMORY].used.partition(" ")[0])
        assert 0 < held < 64


def test_a_limit_of_a_control_group_is_told():
    """Engines limit by groups, which a program inside need not see."""
    found = told(changed(RUNC, with_resources(memory={"limit": 50 * 1024 * 1024})))
    assert ["pids.max 1000"] == [*found[PROCESSES].limits]
    (seen,) = found[MEMORY].limits
    assert seen in {"memory.limit_in_bytes 52428800", "memory.max 52428800"}
    assert "64 of 64 MiB could be held" != found[MEMORY].used


def test_a_share_of_a_processor_is_told():
    """A sandbox that keeps a program from taking a whole processor would be told not to."""
    found = told(changed(RUNC, with_resources(cpu={"quota": 20_000, "period": 100_000})))
    (seen,) = found[PROCESSOR].limits
    assert seen in {"cpu.cfs_quota_us 20000", "cpu.max 20000 100000"}

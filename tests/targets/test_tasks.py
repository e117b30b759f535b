"""Processes and threads that the probe keeps to be counted: bounded, seen from outside, and ended."""

import json
import subprocess
import sys
import time

import pytest
from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.attacks.trace import Effect
from capfuzz.engine import Capabilities
from capfuzz.targets import probe
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.command_forms import adapted
from capfuzz.targets.sandboxes.bare import Bare
from capfuzz.targets.sandboxes.base import claims_of
from capfuzz.targets.sandboxes.docker import Docker
from capfuzz.targets.sandboxes.landlock import Landlock
from capfuzz.targets.sandboxes.oci import CRUN, GVISOR, RUNC
from capfuzz.targets.sandboxes.podman import Podman
from capfuzz.targets.tasks import Tasks

OPS = {
    "use_processes": (5,),
    "use_threads": (5,),
    "priv_unshare": (),
}
SEEN = {
    "use_processes": (Effect("use", "processes", 5),),
    "use_threads": (Effect("use", "threads", 5),),
    "priv_unshare": (Effect("tool", "user-namespace"),),
}
COUNTED = {"use_processes", "use_threads"}
_ENDING = 3  # seconds, fewer than they live by themselves


@pytest.fixture
def asked(tmp_path):
    """Return what asks the probe for an op that keeps tasks, and the probe."""
    place = tmp_path / "probe.py"
    place.write_text(probe.program())
    command = [sys.executable, "-S", str(place)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:

        def ask(kind, *given):
            line = {"id": 1, "method": kind, "params": {"arguments": given}}
            process.stdin.write(json.dumps(line) + "\n")
            return json.loads(process.stdout.readline())

        yield ask, process
        process.kill()


@pytest.mark.parametrize("kind", OPS)
def test_what_is_kept_is_seen_until_it_is_let_go(kind, asked):
    """A sandbox would hold for want of somebody who looks, or tasks would gather in it."""
    ask, _ = asked
    tasks = Tasks()
    assert "result" in ask(kind, *OPS[kind], tasks.mark)
    assert SEEN[kind] == tasks.shown((kind,))
    assert "result" in ask("use_end")
    assert () == tasks.shown((kind,))


@pytest.mark.parametrize("kind", OPS)
def test_what_is_kept_ends_with_the_program(kind, asked):
    """It would live on where the suite is killed, on the machine of somebody who attacks nothing more."""
    ask, process = asked
    tasks = Tasks()
    ask(kind, *OPS[kind], tasks.mark)
    process.kill()
    process.wait()
    deadline = time.monotonic() + _ENDING
    while tasks.shown((kind,)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert () == tasks.shown((kind,))


@pytest.mark.parametrize("kind", sorted(COUNTED))
def test_there_are_never_more_than_a_few_dozen(kind, asked):
    """A vector of somebody else's could take all that a machine has."""
    ask, _ = asked
    tasks = Tasks()
    ask(kind, 100_000, tasks.mark)
    assert (Effect("use", kind.removeprefix("use_"), 64),) == tasks.shown((kind,))


def test_what_bears_another_name_is_not_counted(asked):
    """Two campaigns that run at once would accuse each other's sandboxes."""
    ask, _ = asked
    ask("use_processes", 5, Tasks().mark)
    assert () == Tasks().shown(("use_processes",))


def test_a_task_in_the_namespace_of_what_has_started_it_is_no_escape(asked):
    """A sandbox would be accused that has started a process, whatever namespace that is in."""
    ask, _ = asked
    tasks = Tasks()
    ask("use_processes", 5, tasks.mark)
    assert () == tasks.shown(("priv_unshare",))


def test_those_alone_are_asked_that_say_they_limit_it_and_can_be_seen_from_here():
    """What is documented would be a fault; and what another kernel has would never be seen."""
    counting = [RUNC, CRUN, Docker(), Docker("crun"), Podman(), Podman("runc")]
    blind = [GVISOR, Docker("runsc"), Podman("runsc"), Docker("io.containerd.kata.v2"), Landlock()]
    assert [COUNTED] * 6 == [COUNTED & claims_of(one) for one in counting]
    assert [set()] * 5 == [COUNTED & claims_of(one) for one in blind]
    assert [True] * 4 + [False] * 2 == ["priv_unshare" in claims_of(one) for one in counting]
    assert not any("priv_unshare" in claims_of(one) for one in blind)


def test_a_grant_keeps_its_limit_where_it_is_tried_alone():
    """The limit would be another than the one that is judged by, or honest work would meet it."""
    small = Capabilities(fs_read=("/work/",), max_ops=16)
    world = WorldSpec(files={"/work/data.txt": b"honest data"})
    limits = {}
    for op in (("use_processes", 4), ("fs_read", "/work/data.txt")):
        case = adapted(Case(small, world, (op,), ("kernel-tasks",), "generated"), Bare())
        limits[op[0]] = case.grant.max_ops
    assert {"use_processes": 16, "fs_read": 1_000} == limits
    assert (
        adapted(Case(small, world, (("use_threads", 4),), ("x",), "generated"), Landlock()) is None
    )


def test_nothing_that_was_kept_is_left_when_the_next_op_is_asked():
    """Honest work after it would meet a limit that is used up."""
    world = WorldSpec(files={"/work/data.txt": b"honest data"})
    grant = Capabilities(fs_read=("/work/",), max_ops=16)
    op = ("use_processes", 4)
    target = CommandTarget("bare", Bare())
    try:
        case = target.adapt(Case(grant, world, (op, op), ("kernel-tasks",) * 2, "generated"))
        seen = [step.effects[0].size for step in target.run(case).steps]
        assert [4, 4] == seen
    finally:
        target.close()

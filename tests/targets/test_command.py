"""Sandboxes of the system: what they hold is seen from outside."""

import errno
import os
import signal
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.kernel import FAR
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError, victim
from capfuzz.targets import command as module
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.planted import remove_cgroups
from capfuzz.targets.probe import landlock
from capfuzz.targets.sandboxes.bare import Bare
from capfuzz.targets.sandboxes.base import layout_for, refused
from capfuzz.targets.sandboxes.bwrap import Bubblewrap
from capfuzz.targets.sandboxes.docker import Docker
from capfuzz.targets.sandboxes.landlock import Landlock
from capfuzz.targets.sandboxes.oci import RUNC
from capfuzz.targets.sandboxes.podman import Podman
from capfuzz.targets.sandboxes.registry import ADAPTERS
from capfuzz.targets.spec import Options
from capfuzz.targets.spec import load as load_target

from ..absent import absent  # noqa: TID252 - it stands there once
from ..attacks.bite_sandboxes import IN_SANDBOXES  # noqa: TID252 - it stands there once
from .landing import honest, landed

# The engines once more, with a runtime that is a sandbox itself.
SANDBOXES = (*ADAPTERS.values(), Docker("runsc"), Podman("runsc"))
# One needs control groups of one kind, two are large installs, the last are somebody's account: CI may
# go without. `test_elsewhere` has servers of its own for those.
MACHINES_OWN = {"crun", "docker", "podman", "e2b", "vercel"}
KERNEL = load(sorted(CORPUS.glob("kernel-*.json")))
ATTACKS = tuple(one for one in KERNEL if not one.is_control)
GRANT = Capabilities(fs_read=("/work/",), fs_write=("/work/out/",))
FILES = {
    "/work/data.txt": b"honest data",
    "/work/out/report.txt": b"honest report",
    "/workshop/secret.txt": b"secret of the workshop",
    "/other/secret.txt": b"secret of other",
}
# What was found, and seen again by hand: the technique, by the adapter's name.
FAULTS = {
    # 20.20.2: FileHandle.utimes, where one may only read; a place named as three granted ones begin.
    "node": {"kernel-attributes", "kernel-beginning"},
    "deno": {"kernel-attributes"},  # 2.9.8: fchmod, fchown and futimes of node:fs, likewise
    # srt 0.0.83, Codex 0.171.0: a process between it and bubblewrap lives on where it is killed.
    "srt": {"kernel-outlived", "kernel-crowd"},
    "codex": {"kernel-outlived", "kernel-crowd"},
}


def here(adapter):
    """Return an adapter that can run here; CI may not go without, but for a few."""
    reason = adapter.unavailable()
    if reason is not None and adapter.name.partition(":")[0] in MACHINES_OWN:
        pytest.skip(f"{adapter.name} was NOT attacked: {reason}")
    if reason is not None:
        absent(f"{adapter.name} was NOT attacked: {reason}")
    return adapter


def tried(adapter, *ops, grant=GRANT, links=()):
    """Return the breaches of ops tried in a sandbox, and the trace."""
    world = WorldSpec(files=FILES, links=dict(links))
    case = Case(grant, world, ops, ("kernel-content",) * len(ops), "kernel-test")
    target = CommandTarget(adapter.name, adapter)
    try:
        adapted = target.adapt(case)
        assert adapted is not None
        trace = target.run(adapted)
        return judge(trace).breaches, trace
    finally:
        target.close()


def broken(adapter, vectors=ATTACKS):
    """Return the techniques by which a sandbox is broken, by any of its vectors."""
    return landed(adapter, vectors, lambda vector, _: vector.technique)


@pytest.mark.slow
def test_every_attack_lands_where_nothing_is_confined():
    """An attack that cannot land would be held by every sandbox, and prove nothing."""
    found = broken(Bare())
    assert set(IN_SANDBOXES) == set(found)
    missed = {name for name, hits in found.items() if not all(hits)}
    assert {"kernel-inherited"} == missed  # nothing is inherited of us; `test_leaky` shows it


def test_a_temporary_folder_may_have_a_longer_name_than_a_socket_address(tmp_path, monkeypatch):
    """No sandbox could be attacked where TMPDIR is long: unix(7) has room for 108 bytes."""
    long = tmp_path / ("l" * 100)
    long.mkdir()
    monkeypatch.setenv("TMPDIR", str(long))
    monkeypatch.setattr(tempfile, "tempdir", None)
    breaches, _ = tried(Bare(), ("net_unix",))
    assert ["confined"] == [one.invariant for one in breaches]
    assert [] == list(long.iterdir())


def test_a_temporary_folder_that_no_grant_can_name_is_told(tmp_path, monkeypatch):
    """Every attack on a sandbox would end in a traceback there, and leave what it planted."""
    folder = tmp_path / "two\nlines"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with pytest.raises(TargetError, match=r"^TMPDIR: .* set it to another folder$"):
        load_target("cmd:python3 -S {probe}", Options())
    assert [] == list(folder.iterdir())


def test_a_case_that_is_replayed_is_judged_as_it_is_stated():
    """A finding that is mended would stay one: what a link made inside leads to would be honest."""
    vectors = [one for one in ATTACKS if one.technique == "kernel-made-link"]
    replayed = [replace(one, case=replace(one.case, family="replay", source="")) for one in vectors]
    assert {False} == set(broken(here(Bubblewrap()), replayed)["kernel-made-link"])
    assert {True} == set(broken(Bare(), replayed)["kernel-made-link"])


@pytest.mark.parametrize("adapter", SANDBOXES, ids=lambda one: one.name)
def test_a_right_sandbox_holds_and_lets_honest_work_pass(adapter):
    """A right sandbox would be accused, or its refusals would prove nothing."""
    found = broken(here(adapter), KERNEL)
    assert set() == {name for name, hits in found.items() if any(hits)} - FAULTS.get(
        adapter.name, set()
    )
    traces = honest(CommandTarget(adapter.name, adapter), KERNEL)
    assert len(traces) > 10
    assert {True} == {step.answer.ok for trace in traces for step in trace.steps}


GRANTS = {
    "roots that share letters": (("/work", "/workshop"), ("/work/out",)),
    "a file": (("/work/data.txt",), ()),
    "written below what is read": (("/work",), ("/work/out",)),
    "read below what is written": (("/work/out",), ("/work",)),
    "written alone": ((), ("/work/out",)),
    "a folder that is not there": (("/nowhere", "/work"), ()),
    "nothing": ((), ()),
}


@pytest.mark.parametrize("adapter", SANDBOXES, ids=lambda one: one.name)
@pytest.mark.parametrize("name", GRANTS)
def test_a_grant_of_any_shape_opens_what_it_names_and_no_more(adapter, name):
    """One comfortable grant would be all that was ever tried."""
    reads, writes = GRANTS[name]
    ops = [
        *(("fs_read", path) for path in FILES),
        *(("fs_append", path, " and more") for path in FILES),
    ]
    if name == "a file" and "files granted" in here(adapter).cannot:
        return
    grant = Capabilities(reads, writes)
    breaches, trace = tried(here(adapter), *ops, grant=grant)
    assert () == breaches
    allowed = [one.op[1] for one in trace.steps if one.answer.ok and one.op[0] == "fs_read"]
    opened = adapter.expressed(grant).fs_read
    assert [
        path
        for path in FILES
        if path.startswith(tuple(f"{one}/" for one in opened)) or path in opened
    ] == allowed


@pytest.mark.parametrize("adapter", SANDBOXES, ids=lambda one: one.name)
def test_the_granted_network_is_open(adapter):
    """A refused network would be held without anybody having asked for it to be open."""
    open_net = Capabilities(fs_read=("/work/",), net_hosts=("127.0.0.1",))
    if "net_tcp" in {**here(adapter).cannot, **refused(adapter)}:  # never closed, or never open
        return
    breaches, trace = tried(adapter, ("net_tcp",), grant=open_net)
    assert ((), True) == (breaches, trace.steps[0].answer.ok)


def test_a_drawn_case_is_asked_with_its_writes_and_without_links_that_a_system_follows():
    """Nothing but reads would ever be drawn, and nothing at all for a system that follows links."""
    world = WorldSpec(files=FILES, links={"/work/door": "/other"})
    ops = (("fs_write", "/other/secret.txt", b"overwritten"), ("fs_read", "/other/secret.txt"))
    case = Case(GRANT, world, ops, ("outside",) * 2, "generated")
    target = CommandTarget("node", here(ADAPTERS["node"]))
    try:
        asked = target.adapt(case)
    finally:
        target.close()
    assert ["fs_write", "fs_read"] == [op[0] for op in asked.ops]
    assert {} == dict(asked.world.links)


def test_what_a_system_documents_that_it_does_not_confine_is_not_asked():
    """A documented limit would be told as a fault."""
    target = CommandTarget("landlock", here(Landlock()))
    try:
        kinds = {
            op[0]
            for one in KERNEL
            if (case := target.adapt(one.case)) is not None
            for op in case.ops
        }
    finally:
        target.close()
    assert set() == kinds & set(Landlock.cannot)


def test_what_waits_in_a_control_group_of_ours_is_ended():
    """A container that was about to start when its runtime was killed would wait for ever."""
    here(RUNC)
    top, name = Path("/sys/fs/cgroup"), f"capfuzz-{os.getpid()}-test"
    group = (top / "pids" if (top / "pids").is_dir() else top) / name  # the older or newer kind
    inner = group / "inner"  # as an engine makes one for each container
    inner.mkdir(parents=True)
    with subprocess.Popen(["sleep", "60"]) as process:
        (inner / "cgroup.procs").write_text(str(process.pid))
        remove_cgroups(name)
        assert -signal.SIGKILL == process.wait(10)
    assert not group.exists()


def test_a_sandbox_that_does_not_start_is_told():
    """A campaign would hang, or hold what never ran."""

    class Broken(Bare):
        def render(self, grant, layout):
            return replace(super().render(grant, layout), command=("false",))

    with pytest.raises(TargetError, match="did not start"):
        tried(Broken(), ("fs_read", "/work/data.txt"))


def test_the_spec_names_the_sandbox():
    """The command line would not find it."""
    here(Bubblewrap())
    target = load_target("bwrap", Options())
    try:
        assert Surface.COMMAND == target.surface
    finally:
        target.close()
    assert landlock.abi() > 0 or Landlock().unavailable() is not None
    assert layout_for("/probe").command[-1] == "/probe"


@pytest.mark.parametrize("name", ["scratch", "Far", "Listeners", "Victim"])
def test_what_was_planted_is_gone_where_more_cannot_be(name, home, monkeypatch):
    """A disk that fills up would stay full with what was planted before it was."""

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    before = {one for place in FAR.values() for one in Path(place).glob(f"capfuzz-{os.getpid()}-*")}
    monkeypatch.setattr(module, name, full)
    with pytest.raises(OSError, match="No space"):
        CommandTarget("bare", Bare())
    after = {one for place in FAR.values() for one in Path(place).glob(f"capfuzz-{os.getpid()}-*")}
    assert ([], set()) == ([*home.iterdir()], after - before)


def test_nothing_is_left_of_a_process_to_be_attacked_that_does_not_start(home, monkeypatch):
    """A process of ours, and its folder, would stay until the campaign ends."""
    monkeypatch.setattr(
        victim, "_CODE", "import os; os.read(0, 99); os.write(1, b'0\\n'); os.read(0, 1)"
    )
    with pytest.raises(TargetError, match="did not start"):
        victim.Victim()
    assert [] == [*home.iterdir()]

"""The probe as a guest of Monty: what it tries really happens where everything is mounted."""

import json
import os
import re
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.attacks.kernel import FAR, KINDS
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.engine import Capabilities
from capfuzz.targets import probe
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.planted import LEVELS
from capfuzz.targets.sandboxes.base import layout_for
from capfuzz.targets.sandboxes.monty import OFFERED, Monty

from ..absent import absent  # noqa: TID252 - it stands there once
from .landing import landed

KERNEL = load(sorted(CORPUS.glob("kernel-*.json")))
ATTACKS = [one for one in KERNEL if not one.is_control]
# A worker inherits nothing, no environment is given, and a mount follows no link out of it.
OUT_OF_REACH = {"env_read", "fds_inherited", "proc_root"}


class Changed(Monty):
    """Monty with other mounts than those of the grant."""

    def __init__(self, change):
        self._change = change

    def render(self, grant, layout):
        """Return the command with mounts that may be wrong."""
        rendered = super().render(grant, layout)
        feeds = json.loads(rendered.files["feeds.json"])
        floor = f"{grant.fs_read[0].rpartition(f'/{LEVELS}/')[0]}/{LEVELS}"
        return replace(rendered, files={"feeds.json": json.dumps(self._change(feeds, floor))})


def mount(place, mode):
    """Return a place at its own name."""
    return {"host_path": place, "virtual_path": place, "mode": mode}


def everything(_feeds, _floor):
    """Return the machine's root, to be written."""
    return [[mount("/", "read-write")]]


def beside(place, mode):
    """Return one mount too many."""
    return lambda feeds, floor: [[*feeds[0], mount(floor + place, mode)], *feeds[1:]]


def writable(feeds, _floor):
    """Return every mount to be written."""
    return [[{**one, "mode": "read-write"} for one in feed] for feed in feeds]


@pytest.fixture(autouse=True)
def here():
    """Tell that Monty is here; CI may not go without."""
    missing = Monty().unavailable()
    if missing:
        absent(f"Monty was NOT tried: {missing}")


def test_every_attack_lands_where_everything_is_mounted():
    """An attack that cannot land would be held, and prove nothing."""
    found = landed(Changed(everything), ATTACKS, lambda _, case: case.ops[-1][0])
    assert OUT_OF_REACH == {kind for kind, hits in found.items() if not all(hits)}
    tried = {op[0] for vector in ATTACKS for op in vector.case.ops} & {*OFFERED, *FAR}
    assert tried == {*found}


LEAKS = {
    "a sibling mounted": (
        beside("/workshop", "read-only"),
        {"kernel-list", "kernel-outside", "kernel-stat"},
    ),
    "a sibling mounted to be written": (
        beside("/workshop", "read-write"),
        {"kernel-content", "kernel-list", "kernel-names", "kernel-outside", "kernel-stat"},
    ),
    "what may be read mounted to be written": (writable, {"kernel-content", "kernel-names"}),
}


@pytest.mark.parametrize(("change", "techniques"), LEAKS.values(), ids=LEAKS)
def test_a_wrong_mount_is_found(change, techniques):
    """A host that mounts too much would pass, though what it runs reaches what was not granted."""
    vectors = [one for one in ATTACKS if "/work/" in one.case.grant.fs_read]  # where a sibling is
    found = landed(Changed(change), vectors, lambda vector, _: vector.technique)
    assert techniques == {name for name, hits in found.items() if any(hits)}


FEEDS = {
    "written below what is read": (("/w",), ("/w/out",), [["/w"], ["/w/out:w"]]),
    "read below what is written": (("/w/in",), ("/w",), [["/w:w"]]),
    "read below what is written below what is read": (
        ("/w", "/w/out/in"),
        ("/w/out",),
        [["/w"], ["/w/out:w"]],
    ),
    "apart": (("/work", "/w"), ("/out",), [["/w", "/work", "/out:w"]]),
    "twice": (("/w/", "/w", "/w/sub"), ("/w//",), [["/w:w"]]),
    "nothing": ((), (), [[]]),
}


@pytest.mark.parametrize(("reads", "writes", "feeds"), FEEDS.values(), ids=FEEDS)
def test_mounts_of_a_feed_lie_apart(reads, writes, feeds):
    """Monty would refuse to start, or a place be open that was not granted so."""
    made = Monty().render(Capabilities(reads, writes), layout_for("probe.py"))
    told = [
        [one["virtual_path"] + ":w" * (one["mode"] == "read-write") for one in feed]
        for feed in json.loads(made.files["feeds.json"])
    ]
    assert feeds == told
    assert (len(feeds) > 1) == any(
        "mounts of one feed must lie apart" in one for one in made.warnings
    )


@pytest.mark.parametrize(
    ("path", "asked"), [("/work/a\\b.txt", False), ("/work/c:d", False), ("/other/a\\b", True)]
)
def test_an_honest_name_that_monty_is_documented_to_refuse_is_not_asked(path, asked):
    """A documented limit would be told as honest work refused, or a real attack left out."""
    case = Case(
        Capabilities(("/work",)),
        WorldSpec(files={path: b"what stands there"}),
        (("fs_read", path),),
        ("kernel-content",),
        "kernel-test",
    )
    target = CommandTarget("monty", Monty())
    try:
        assert asked == (target.adapt(case) is not None)
    finally:
        target.close()


def test_what_monty_started_ends_with_it():
    """Its workers, which carry no mark of ours, would stay where the suite was killed."""
    target = CommandTarget("monty", Monty())
    try:
        case = target.adapt(next(one for one in KERNEL if one.is_control).case)
        target.run(case)
        own = target._child.process.pid
        workers = Path(f"/proc/{own}/task/{own}/children").read_text().split()
        os.kill(own, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while any(map(runs, workers)) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert workers
        assert [] == [one for one in workers if runs(one)]
    finally:
        target.close()


def runs(pid):
    """Tell whether a process has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except FileNotFoundError:
        return False


def test_that_its_worker_is_missing_is_told(monkeypatch):
    """Every attack would end with a start that failed, where the client alone is installed."""
    monkeypatch.setenv("MONTY_BIN", "/nowhere/monty")
    assert "/nowhere/monty" in Monty().unavailable()


def test_what_it_says_that_it_tries_is_what_the_guest_tries():
    """Ops would be asked that the guest does not know, and all of them be held."""
    guest = Path(probe.__file__).with_name("guest.py").read_text()
    assert set(re.findall(r'^    "(\w+)": \1,$', guest, re.MULTILINE)) == OFFERED
    assert set(KINDS) >= OFFERED

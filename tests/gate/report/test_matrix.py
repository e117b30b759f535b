"""Many systems in one table: what is said of each, and what the exit status makes of it."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from capfuzz.gate.matrix.results import Cell, Matrix, Outcome, System
from capfuzz.gate.matrix.shown import show
from capfuzz.gate.matrix.writing import to_html, to_json, to_markdown

from ...absent import absent  # noqa: TID252 - it stands there once

# A bubblewrap that shares the network, and one that never starts, in the place of two adapters.
LEAKY = """
import sys
from dataclasses import replace
from capfuzz.gate.cli import main
from capfuzz.targets.sandboxes.bwrap import Bubblewrap
from capfuzz.targets.sandboxes.registry import ADAPTERS

class Leaky(Bubblewrap):
    def render(self, grant, layout):
        made = super().render(grant, layout)
        at = made.command.index("--die-with-parent")
        command = (*made.command[:at], "--share-net", *made.command[at:])
        return replace(made, command=command)

class Silent(Bubblewrap):
    def unavailable(self):
        print("runc is tried", file=sys.stderr)
        return None

    def render(self, grant, layout):
        return replace(super().render(grant, layout), command=("false",))

ADAPTERS["bwrap"] = Leaky()
ADAPTERS["runc"] = Silent()
sys.argv[0] = "capfuzz"
main()
"""
HOSTILE = "<script>alert(1)</script>@team|"
FAMILY = ("--profile", "quick", "--family", "kernel-others")


def matrix(*words, code=None, **environment):
    """Return what ``capfuzz matrix`` made of these words, in a process of its own."""
    program = ["-c", code] if code else ["-c", "from capfuzz.gate.cli import main; main()"]
    return subprocess.run(
        [sys.executable, *program, "matrix", *words],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **environment},
    )


def needed(*programs):
    """Skip where a program is not there, and fail in CI."""
    for one in programs:
        if shutil.which(one) is None:
            absent(f"{one} is not installed; nothing was attacked")


def test_every_system_that_was_named_stands_beside_the_others():
    """A system would be missing from the table, or its times made up."""
    needed("bwrap", "unshare")
    done = matrix("--targets", "bwrap, unshare", *FAMILY, "--json", "-")
    told = json.loads(done.stdout)
    assert (0, ["bwrap", "unshare"]) == (done.returncode, [one["name"] for one in told["systems"]])
    for one in told["systems"]:
        cell = one["families"]["kernel-others"]
        assert ("held", 0) == (cell["outcome"], cell["broken"])
        assert cell["whole"] >= cell["asked"] > 0  # session keys are asked of few
        assert 0 < one["op_s"] < one["cold_start_s"]
        assert "held" == one["report"]["verdict"]
    assert "bwrap: held" in done.stderr


def test_a_leak_and_a_failed_start_do_not_hide_behind_another_system():
    """One system's fault would be lost, or end the attack on all."""
    needed("bwrap", "unshare")
    done = matrix("--targets", "bwrap,runc,unshare", *FAMILY, "--json", "-", code=LEAKY)
    told = {one["name"]: one for one in json.loads(done.stdout)["systems"]}
    assert 1 == done.returncode
    assert "broken" == told["bwrap"]["families"]["kernel-others"]["outcome"]
    assert told["bwrap"]["report"]["findings"]
    assert ("inconclusive", {}) == (told["runc"]["verdict"], told["runc"]["families"])
    assert "runc: did not start" in told["runc"]["why_not"]
    assert told["runc"]["version"]
    assert 1 == done.stderr.count("runc is tried")  # which takes its time: a daemon is started
    assert "held" == told["unshare"]["verdict"]


def test_a_system_that_is_not_here_says_why(tmp_path):
    """Nobody would know whether it was held or left out."""
    done = matrix("--targets", "bwrap", *FAMILY, PATH=str(tmp_path))
    assert 2 == done.returncode
    assert "bwrap: not here: bwrap is not installed" in done.stdout
    assert "  bwrap is not installed" in done.stderr.splitlines()[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--targets", "bwrop"), "--targets bwrop: no such sandbox; did you mean bwrap?"),
        (
            ("--targets", "docker:a/b"),
            "--targets docker:a/b: docker: 'a/b' is no name of a runtime",
        ),
        (("--targets", ""), "--targets '': a name is empty; write one or more of capfuzz targets"),
        (("--targets", ","), "--targets ',': a name is empty; "),
        (("--targets", "landlock,"), "--targets 'landlock,': a name is empty; "),
        (("--family", "kernel-fils"), "--family kernel-fils: no such family"),
        (("--json", "/nowhere/m.json"), "/nowhere/m.json: cannot write the matrix"),
        (("--json", f"{'a' * 300}/m.json"), "cannot write the matrix: "),
        (("--json", "a" * 300), "cannot write the matrix: File name too long"),
        (("--json", "-", "--html", "-"), "--json and --html both write to standard output"),
    ],
)
def test_what_was_misspelt_is_told_before_anything_runs(words, said):
    """A long attack would run on something else, or its outcome be lost."""
    done = matrix(*words)
    assert (2, "") == (done.returncode, done.stdout)
    assert 1 == len(done.stderr.splitlines())
    assert said in done.stderr


def of(*systems, named=()):
    """Return a matrix of systems."""
    return Matrix(systems, "quick", 0, "a machine", "2026-01-01", frozenset(named))


NOT_HERE = System("nsjail", "namespaces", why_not="nsjail is not installed")


@pytest.mark.parametrize(
    ("named", "status"), [((), 2), (("nsjail",), 2)], ids=["nobody", "by name"]
)
def test_nothing_attacked_is_not_held(named, status):
    """A machine without any sandbox would pass."""
    assert status == of(NOT_HERE, named=named).exit_status


def test_a_system_that_is_not_here_does_not_fail_the_others(held):
    """A gate would need every sandbox there is."""
    there = System("bwrap", "namespaces", "1", report=held)
    assert 0 == of(there, NOT_HERE).exit_status
    assert 2 == of(there, NOT_HERE, named=("nsjail",)).exit_status


def test_what_was_not_asked_is_not_called_held(held):
    """A documented limit would count as a strength."""
    cells = {
        "one": Cell(Outcome.HELD, 3, 9),
        "two": Cell(Outcome.NOT_EXPRESSIBLE, 0, 4),
        "three": Cell(Outcome.INCONCLUSIVE, 4, 4),
    }
    there = System("bwrap", "namespaces", "1", report=held, cells=cells)
    text = to_markdown(of(there))
    rows = [line for line in text.splitlines() if line.startswith(("| one", "| two", "| three"))]
    assert ["| one | held 3/9 |", "| three | ? |", "| two | - |"] == rows
    families = json.loads(to_json(of(there)))["systems"][0]["families"]
    assert {"outcome": "not expressible", "asked": 0, "whole": 4, "broken": 0} == families["two"]


def shown(matrix):
    """Return the lines that a matrix prints where there is no terminal."""
    out = io.StringIO()
    show(matrix, out)
    return out.getvalue().splitlines()


def test_each_finding_is_told_on_the_terminal_before_its_replay_line(broken):
    """Nobody could tell which of a system's faults a line of JSON replays, or name it to a baseline."""
    told = shown(of(System("bwrap", "namespaces", "1", report=broken)))
    assert len(broken.findings) > 1
    for one in broken.findings:
        said = f"  {one.severity} {one.id}: {one.invariant} by {one.technique}: {one.observed}"
        assert f"  {one.replay}" == told[told.index(said) + 1]


def test_a_hostile_finding_is_one_line_and_obeyed_by_no_terminal(hostile):
    """A target could write over the verdict, or make up a finding of another system's."""
    told = shown(of(System("bwrap", "namespaces", "1", report=hostile)))
    assert 1 + 2 * len(hostile.findings) == len(told)
    assert all(line.isprintable() for line in told)


@pytest.mark.parametrize(
    ("families", "systems", "said"),
    [
        (("one",), ("bwrap",), "1 system against 1 family"),
        (("one", "two"), ("bwrap", "runc"), "2 systems against 2 families"),
    ],
    ids=["one", "two"],
)
def test_the_page_counts_systems_and_families_in_words(held, families, systems, said):
    """The head of the page would be no English."""
    cells = {family: Cell(Outcome.HELD, 1, 1) for family in families}
    page = to_html(of(*(System(one, "", "1", report=held, cells=cells) for one in systems)))
    assert f"<title>capfuzz: {said}</title>" in page
    assert f">{said}; " in page


def test_hostile_names_do_no_harm_in_markdown(hostile):
    """A finding could write into the page of a repository."""
    there = System("bwrap", HOSTILE, HOSTILE, report=replace(hostile, spec="bwrap"))
    outside = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", to_markdown(of(there)))
    assert "<script>" not in outside
    assert "@team" not in outside

"""The pytest plugin, as a project's own pytest runs it."""

import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from capfuzz.attacks.invariants import INVARIANTS

from ..ctrl_c import hear_ctrl_c  # noqa: TID252 - it stands there once

pytestmark = pytest.mark.slow  # every test runs pytest, and most an attack

LINKS = """
from capfuzz.targets.broken.session import links_followed

open("loads", "a").write("x")
make = links_followed
"""
FAMILIES = ["path-links", "tool-names"]
QUICK = ("--capfuzz-profile=quick", *(f"--capfuzz-family={one}" for one in FAMILIES))
SUITE = ("--capfuzz=py:target:make", *QUICK)
MARKED = """
import pytest

pytestmark = pytest.mark.capfuzz("py:target:make", profile="quick", family=["path-links"])

def test_box(capfuzz_cell):
    capfuzz_cell.check()
"""


@pytest.fixture
def tested(tmp_path):
    """Return a function that runs pytest in an empty project, as strictly as one can be set up."""

    def run(*words, **environment):
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-W", "error", "--strict-markers", *words],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "200", "TMPDIR": str(tmp_path), **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    (tmp_path / "target.py").write_text(LINKS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nxfail_strict = true\n")
    return run


def outcomes(path):
    """Return the outcome of each test of a JUnit file, by class and name."""
    return {
        (one.get("classname"), one.get("name")): next((inner.tag for inner in one), "passed")
        for one in ET.parse(path).iter("testcase")
    }


def counts(done):
    """Return how many tests came out how, by the last line that pytest printed."""
    last = done.stdout.splitlines()[-1]
    return {what: int(count) for count, what in re.findall(r"(\d+) (\w+)", last.split(" in ")[0])}


def test_each_family_and_invariant_is_a_test_with_the_finding_as_its_message(tested, tmp_path):
    """A team would see one red test for hundreds, and search elsewhere for what it means."""
    done = tested(*SUITE, "--junitxml=one.xml", "-rs")
    assert done.returncode == 1
    found = outcomes(tmp_path / "one.xml")
    expected = {(f"capfuzz.{family}", name) for family in FAMILIES for name in INVARIANTS}
    assert expected == found.keys()
    failed = {key for key, outcome in found.items() if outcome == "failure"}
    assert failed == {("capfuzz.path-links", name) for name in ("confined", "no-effect-on-denial")}
    assert found["capfuzz.path-links", "fail-closed"] == "passed"
    assert found["capfuzz.tool-names", "within-budget"] == "skipped"
    for line in (
        r"error CF-[0-9a-f]{10}: confined by link-to-file",
        r'   grant  \{"fs_read": \["/work/"\]',
        r'    op 1  \["fs_read", "/work/door"\]',
        "observed  accepted; read '/etc/passwd'",
        "expected  refused, with no effect",
        "     why  The text of the path is judged",
        r"capfuzz replay '\{.*\}' py:target:make",
        r"SKIPPED \[\d\] .*: not observable",
        "broken: 277 attacks, 5 controls, 0 generated",
    ):
        assert re.search(f"^{line}", done.stdout, re.MULTILINE), line
    assert "Traceback" not in done.stdout + done.stderr
    assert leftovers(tmp_path) == []


def test_workers_share_one_attack_and_come_to_the_same(tested, tmp_path):
    """Two workers would attack one served folder at a time, or a test change with the worker."""
    tested(*SUITE, "--junitxml=one.xml")
    (tmp_path / "loads").unlink()
    done = tested(*SUITE, "-n2", "--junitxml=two.xml")
    assert outcomes(tmp_path / "one.xml") == outcomes(tmp_path / "two.xml")
    assert (tmp_path / "loads").read_text() == "x"
    assert "broken: 277 attacks" in done.stdout
    assert leftovers(tmp_path) == []


def test_pytests_own_ways_to_choose_work(tested, tmp_path):
    """A person who works on one fault would wait for all tests, every time."""
    (tmp_path / "test_own.py").write_text("def test_own(): pass")
    assert counts(tested(*SUITE, "-k", "confined and links")) == {"failed": 1, "deselected": 24}
    assert counts(tested(*SUITE, "-x", "-k", "links")) == {
        "failed": 1,
        "passed": 2,
        "skipped": 2,
        "deselected": 13,
    }
    assert counts(tested(*SUITE, "--lf")) == {"failed": 2, "deselected": 23}
    assert counts(tested(*SUITE, "capfuzz::path-links::confined")) == {"failed": 1}
    both = tested(*SUITE, "test_own.py", "capfuzz::tool-names::confined", "-n2")
    assert counts(both) == {"passed": 2}
    typo = tested(*SUITE, "capfuzz::tool-name")
    assert "not found: capfuzz::tool-name; did you mean capfuzz::tool-names?" in typo.stdout


def test_without_the_option_nothing_is_imported_or_attacked(tested, tmp_path):
    """Every project in whose environment capfuzz is would pay for it."""
    (tmp_path / "test_own.py").write_text(
        "import sys\n"
        "def test_own():\n"
        "    ours = {one for one in sys.modules if one.startswith('capfuzz')}\n"
        "    assert ours == {'capfuzz', 'capfuzz.gate', 'capfuzz.gate.plugin'}\n"
    )
    done = tested("-p", "no:hypothesispytest")
    assert counts(done) == {"passed": 1}, done.stdout
    assert "capfuzz:" not in done.stdout


DEADLY = "import os\nclass Box:\n    def run(self, op): {}\ndef make(caps, world): return Box()\n"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("os._exit(0)", "could not be measured: py:target:make: ended the process by itself"),
        ("os.abort()", "could not be measured: py:target:make: was ended by SIGABRT"),
        ("return False", "inconclusive: tool: every control was refused"),
    ],
)
def test_a_target_that_proves_nothing_fails_every_test_and_stops_nothing(
    body, said, tested, tmp_path
):
    """Pytest would die with the target, or be green over nothing."""
    (tmp_path / "target.py").write_text(DEADLY.format(body))
    (tmp_path / "test_own.py").write_text("def test_own(): pass")
    done = tested("--capfuzz=py:target:make", "--capfuzz-family=tool-names")
    told = counts(done)
    assert (done.returncode, told["passed"]) == (1, 1)
    assert told["failed"] >= 1
    assert said in done.stdout


def test_a_hand_written_test_names_its_target_in_a_mark(tested, tmp_path):
    """A project could not keep its attacks among its own tests, or look at a report."""
    looks = "\ndef test_report(capfuzz_report):\n    assert capfuzz_report.verdict == 'broken'\n"
    (tmp_path / "test_box.py").write_text(MARKED + looks)
    done = tested("-rA")
    assert counts(done) == {"failed": 2, "passed": 8, "skipped": 3}
    assert "FAILED test_box.py::test_box[path-links-confined]" in done.stdout
    assert "PASSED test_box.py::test_report" in done.stdout
    assert (tmp_path / "loads").read_text() == "x"


def test_an_accepted_finding_is_an_expected_failure(tested, run, tmp_path):
    """A known finding would keep a team's tests red, or disappear from their sight."""
    (tmp_path / "test_box.py").write_text(MARKED.replace('"])', '"], baseline="b.toml")'))
    asked = ("py:target:make", "--profile=quick", "--family=path-links")
    terms = ("--reason=see #12", "--owner=ana")
    assert run("baseline", "update", "b.toml", *asked, *terms).returncode == 0
    accepted = tested("-rx")
    assert (accepted.returncode, counts(accepted)) == (
        0,
        {"passed": 7, "skipped": 3, "xfailed": 2},
    )
    assert re.search(r"XFAIL .*accepted CF-\w+ by ana: see #12", accepted.stdout)
    path = tmp_path / "b.toml"
    path.write_text(path.read_text() + "expires = 2001-01-01\n")
    expired = tested()
    assert counts(expired) == {"failed": 2, "passed": 7, "skipped": 3}
    assert re.search(r"baseline  expired: accepted CF-\w+ until 2001-01-01", expired.stdout)


def test_the_target_of_the_configuration_is_attacked_where_no_path_is_named(tested, tmp_path):
    """Whoever runs one test of many would wait for an attack; or nobody would be attacked."""
    (tmp_path / "pytest.ini").write_text("[pytest]\ncapfuzz_target = py:target:make\n")
    (tmp_path / "test_own.py").write_text("def test_own(): pass")
    assert counts(tested(*QUICK, "--collect-only"))["tests"] == 25
    assert counts(tested(*QUICK, "test_own.py")) == {"passed": 1}
    assert not (tmp_path / "loads").exists()


SECTION = '[tool.capfuzz]\ntarget = "py:target:make"\nprofile = "quick"\nfamily = ["tool-names"]\n'
FAULTY = {
    "no target": (
        "def test_box(capfuzz_cell): pass",
        "",
        "capfuzz: no target: name one, or say target in [tool.capfuzz]",
    ),
    "a typo in the mark": (
        MARKED.replace("profile=", "profil="),
        "",
        "capfuzz: no such setting: 'profil'; did you mean profile?",
    ),
    "a typo in a family": (
        MARKED.replace("path-links", "path-link"),
        "",
        "capfuzz: --family path-link: no such family; did you mean path-links?",
    ),
    "a typo in the file": (
        MARKED,
        SECTION + "sed = 3\n",
        "capfuzz: pyproject.toml: [tool.capfuzz] has no key 'sed'; did you mean seed?",
    ),
}


@pytest.mark.parametrize(("test", "section", "said"), FAULTY.values(), ids=FAULTY)
def test_a_mistake_is_told_in_one_line(test, section, said, tested, tmp_path):
    """A typo would cost a search through a traceback."""
    (tmp_path / "test_box.py").write_text(test)
    (tmp_path / "pyproject.toml").write_text(section)
    done = tested()
    assert done.returncode == 2
    assert said in done.stdout
    assert "Traceback" not in done.stdout


def test_the_section_of_the_project_counts_wherever_pytest_is_run(tested, tmp_path):
    """A test that is run from its own folder would attack something else, or nothing."""
    (tmp_path / "pytest.ini").unlink()
    (tmp_path / "pyproject.toml").write_text(f"{SECTION}[tool.pytest.ini_options]\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_box.py").write_text(
        "def test_box(capfuzz_report):\n"
        "    told = capfuzz_report\n"
        "    assert (told.spec, told.families) == ('py:target:make', ('tool-names',))\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest"],
        cwd=tmp_path / "tests",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert counts(done) == {"passed": 1}, done.stdout


SLOW = """
import time
from capfuzz.targets.broken.session import links_followed

class Box:
    def __init__(self, caps, world): self.box = links_followed(caps, world)
    def run(self, op):
        open("started", "w").close()
        time.sleep(0.2)
        return self.box.run(op)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_attack_ends_with_pytest_and_what_is_left_goes_with_the_next_run(how, tested, tmp_path):
    """A killed test run would go on attacking for minutes, and fill the disk."""
    (tmp_path / "target.py").write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "--capfuzz=py:target:Box"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - no thread runs here
    )
    wait_for((tmp_path / "started").exists)
    group = members(process.pid)
    assert len(group) >= 3  # pytest, the parent that watches, the attack
    os.kill(process.pid, how)
    process.wait(timeout=60)
    wait_for(lambda: not members(process.pid))
    assert members(process.pid) == []
    (tmp_path / "target.py").write_text(LINKS)
    tested(*SUITE, "-k", "confined")
    assert leftovers(tmp_path) == []


def members(group):
    """Return the live processes of a group."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(place.name))
    return found


def wait_for(condition):
    """Wait until ``condition`` holds; the test fails by its own assertion if it never does."""
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)


def leftovers(folder):
    """Return what an attack or the plugin has left below a temporary folder."""
    return list(folder.glob("capfuzz-[0-9]*"))

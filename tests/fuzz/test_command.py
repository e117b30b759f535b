"""If these fail, ``capfuzz fuzz`` misses what it should find, leaves something, or says it wrongly."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from capfuzz.fuzz import outcome
from capfuzz.targets.planted import is_alive

from ..ctrl_c import hear_ctrl_c  # noqa: TID252 - it stands there once

CAPFUZZ = Path(sys.executable).parent / "capfuzz"
WITHOUT = "import sys; sys.modules['atheris'] = None; from capfuzz.gate.cli import main; main()"
BROKEN = "py:capfuzz.targets.broken.session"


def left_by(pid):
    """Return the folders and processes that a command has left."""
    marked = [
        entry
        for entry in Path("/proc").glob("[0-9]*/environ")
        if f"capfuzz-{pid}-".encode() in _read(entry)
    ]
    return [*Path("/dev/shm").glob(f"capfuzz-{pid}-*"), *marked]


def _read(file):
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_a_broken_target_is_found_saved_and_replayed(run, home):
    """Broken: the whole way from a fuzzed input to a file under version control."""
    done = run(
        *("fuzz", "path", f"{BROKEN}:prefix_without_boundary"),
        *("--time", 60, "--json", "report.json", "--findings", "found"),
    )
    assert 1 == done.returncode, done.stderr
    report = json.loads((home / "report.json").read_text())
    assert ("broken", "generated") == (report["verdict"], report["findings"][0]["family"])
    assert report["counts"]["generated"] > 0
    assert report["counts"]["controls"] > 0
    files = sorted((home / "found").iterdir())
    assert {one["id"] for one in report["findings"] if one["severity"] == "error"} == {
        file.stem for file in files
    }
    for file in files:
        assert 1 == run("replay", file, f"{BROKEN}:prefix_without_boundary").returncode
        assert 0 == run("replay", file).returncode


def test_the_engine_holds_and_nothing_is_saved(run, home):
    """Broken: the engine is accused, or a run without findings writes files."""
    done = run("fuzz", "path", "--time", 2, "--workers", 2)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "held: 0 attacks" in done.stdout
    assert "runs (" in done.stderr
    assert not (home / "capfuzz-findings").exists()


def test_corpus_files_are_fuzzed_without_a_target(run):
    """Broken: the harness that asks no target."""
    done = run("fuzz", "corpus-file", "--time", 2)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "corpus-file (files)" in done.stdout
    assert 2 == run("fuzz", "corpus-file", "engine").returncode


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"),
    [("Dies", "was ended by SIGSEGV"), ("Leaves", "ended itself with exit status 0")],
)
def test_an_input_that_ends_the_process_is_a_finding(run, home, name, said):
    """Broken: the reproducer is lost with the worker, or the death is no finding."""
    done = run("fuzz", "path", f"py:sandbox:{name}", "--time", 60)

    assert 1 == done.returncode, done.stdout + done.stderr
    assert f"the process {said}" in done.stdout
    (file,) = (home / "capfuzz-findings").iterdir()
    again = run("replay", file, f"py:sandbox:{name}")
    assert (1, True) == (again.returncode, said in again.stdout)
    assert 0 == run("replay", file, "py:sandbox:Box").returncode


@pytest.mark.slow
def test_with_all_a_worker_that_died_is_started_again_and_others_are_found_too(run, home):
    """Broken: what comes after a death is lost."""
    (home / "sandbox.py").write_text(
        (home / "sandbox.py").read_text()
        + "\nclass Both(Dies):\n"
        + "    def look(self, path):\n"
        + "        super().look(path)\n"
        + "        if path.startswith('/workshop'):\n"
        + "            self.world.vfs.write('/etc/passwd', b'x')\n"
    )
    done = run("fuzz", "path", "py:sandbox:Both", "--time", 12, "--all", "--json", "r.json")

    assert 1 == done.returncode, done.stdout + done.stderr
    found = {one["invariant"] for one in json.loads((home / "r.json").read_text())["findings"]}
    assert {"fail-closed", "no-effect-on-denial"} <= found


def test_a_target_that_refuses_everything_is_inconclusive(run):
    """Broken: a target that does no honest work is held."""
    done = run("fuzz", "path", "py:sandbox:Refuses", "--time", 1)

    assert 2 == done.returncode, done.stdout + done.stderr
    assert "inconclusive" in done.stdout


def test_files_beside_the_target_are_not_taken_for_the_library(run, home):
    """Broken: a stray ``unicodedata.py`` in the folder where somebody stands ends every worker."""
    (home / "unicodedata.py").write_text("raise RuntimeError('not the library')")
    done = run("fuzz", "path", "--time", 1)

    assert 0 == done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_a_target_that_tires_while_it_is_fuzzed_is_not_held(run):
    """Broken: refusing everything from some moment on looks like holding."""
    done = run("fuzz", "path", "py:sandbox:Tires", "--time", 8)

    assert 2 == done.returncode, done.stdout + done.stderr
    assert "is refused by now" in done.stdout


@pytest.mark.slow
def test_a_grant_at_which_the_process_dies_is_replayed_too(run, home):
    """Broken: a death that no case can be told of is lost, or cannot be shown again."""
    (home / "grants.py").write_text(
        "import os\n"
        "from capfuzz.targets.session import engine_factory\n"
        "def fails(caps, world):\n"
        "    if any('\\uff0e' in root for root in caps.fs_read):\n"
        "        os._exit(9)\n"
        "    return engine_factory(caps, world)\n"
    )
    done = run("fuzz", "grant", "py:grants:fails", "--time", 60)

    assert 1 == done.returncode, done.stdout + done.stderr
    assert "ended itself with exit status 9" in done.stdout
    (file,) = (home / "capfuzz-findings").iterdir()
    assert 1 == run("replay", file, "py:grants:fails").returncode
    assert 0 == run("replay", file).returncode


def test_without_atheris_one_line_says_what_to_do(home):
    """Broken: a traceback, or an exit status that reads like a finding."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, "fuzz", "path"],
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )

    assert 2 == done.returncode
    assert ["Error: atheris is not installed: pip install 'capfuzz[fuzz]'"] == (
        done.stderr.splitlines()
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["host", f"{BROKEN}:nul_truncates", "--as", "path"], "the host harness asks"),
        (["path", "py:nowhere:Box"], "cannot import nowhere"),
        (["path", "--corpus", "nowhere"], "is not a folder"),
        (["path", "--findings", "sandbox.py"], "is not a folder"),
        (
            ["path", "py:sandbox:Box", "--as", "path", "--root", ".", "--workers", "2"],
            "--workers 1",
        ),
    ],
)
def test_what_cannot_work_is_told_in_one_line(run, words, said):
    """Broken: minutes pass before a typing error is told, or it looks like a finding."""
    done = run("fuzz", *words, "--time", 1)

    assert 2 == done.returncode, done.stdout + done.stderr
    assert said in done.stderr
    assert 1 == len(done.stderr.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_it_is_interrupted(home, how):
    """Broken: workers run on, or what they planted stays, after Ctrl-C or a kill."""
    path = "py:capfuzz.targets.right.path:lexical_join"
    words = [CAPFUZZ, "fuzz", "path", path, "--as", "path", "--time", "60", "--workers", "2"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    parent = subprocess.Popen(
        words,
        cwd=home,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - no thread runs here
        **quiet,
    )
    child = _first_child(parent.pid)
    workers = _workers(child)
    os.kill(parent.pid, how)
    parent.wait(30)
    for _ in range(100):
        if not any(is_alive(pid) for pid in (child, *workers)):
            break
        time.sleep(0.1)
    subprocess.run([CAPFUZZ, "attack", "py:nowhere:x"], check=False, capture_output=True)

    assert [] == [one for pid in (parent.pid, child, *workers) for one in left_by(pid)]


def _is_worker(pid):
    return b"worker" in _read(Path(f"/proc/{pid}/cmdline"))


def _first_child(pid):
    while True:
        found = _children(pid)
        if found:
            return found[0]
        time.sleep(0.05)


def _workers(pid):
    while True:
        found = [one for one in _children(pid) if _is_worker(one)]
        if len(found) == 2:
            return found
        time.sleep(0.05)


def _children(pid):
    return [int(word) for word in _read(Path(f"/proc/{pid}/task/{pid}/children")).split()]


def test_an_input_that_no_case_can_be_told_of_is_made_smaller():
    """Broken: a finding about files or grants carries all of the input that found it."""
    assert b"ac" == outcome.smaller(b"xxaxxxxxxcx", lambda data: b"a" in data and b"c" in data)

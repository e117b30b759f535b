"""A campaign shared by processes: the same report, whatever becomes of a process."""

import json
import os
import signal
import subprocess
import time

import pytest
from capfuzz.gate import crew
from capfuzz.gate.crew import Hands
from capfuzz.gate.errors import UsageError
from capfuzz.gate.hand import Closed, Hand, Setup
from capfuzz.targets.options import Options
from capfuzz.targets.spec import Options as Asked

from ..ctrl_c import hear_ctrl_c  # noqa: TID252 - it stands there once

# Follows climbs, and does what a test says where an attack asks for a secret.
CLIMBS = """
import os, signal
from capfuzz.engine import Sandbox

class Box:
    def __init__(self, caps, world):
        self.box = Sandbox(caps, vfs=world.vfs, net=world.net, tools=world.tools, clock=world.clock)
        self.world = world

    def run(self, op):
        if type(op) is tuple and op[:1] == ("fs_read",) and len(op) == 2 and type(op[1]) is str:
            if op[1] == {path!r}:
                {act}
            if "/../" in op[1] and op[1].startswith("/work/"):
                try:
                    self.world.vfs.read(op[1])
                    return True
                except OSError:
                    return False
        return self.box.run(op)
"""
SECRET = "/etc/passwd"
ONCE = "if not os.path.exists('{0}'): open('{0}', 'w').close(); {1}"
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
# Few cases, and a limit that no busy machine makes an op run into.
FEW = ("--op-timeout", 60, "--profile", "quick", "--family", "path-traversal")


def climbs(act="pass", path=SECRET):
    """Return the source of a faulty target."""
    return CLIMBS.format(path=path, act=act)


def report(run, tmp_path, *arguments):
    """Attack the target and return the exit status and the report but for its duration."""
    done = run("attack", "py:target:Box", *FEW, *arguments, "--json", "r.json")
    told = json.loads((tmp_path / "r.json").read_text())
    del told["duration_s"]
    return done, told


@pytest.mark.slow
def test_two_processes_report_what_one_does(run, target, tmp_path):
    """The same seed would tell another thing on another machine."""
    target(climbs())
    more = ("--family", "budget-limits", "--family", "generated")
    alone, first = report(run, tmp_path, *more)
    shared, second = report(run, tmp_path, *more, "-j", 2)
    assert first == second
    assert (1, 1) == (alone.returncode, shared.returncode)
    assert alone.stderr == shared.stderr
    assert "broken" == first["verdict"]


@pytest.mark.slow
def test_a_process_that_is_killed_loses_nothing(run, target, tmp_path):
    """What a process had found when the machine ran out of memory would be lost, and untold."""
    target(climbs())
    _, undisturbed = report(run, tmp_path)
    target(climbs(ONCE.format("killed", KILLED)))
    _, disturbed = report(run, tmp_path, "-j", 2)
    (notice,) = disturbed.pop("notices")
    assert "was ended by SIGKILL; tried again" in notice
    assert (tmp_path / "killed").exists()
    del undisturbed["notices"]
    assert undisturbed == disturbed


@pytest.mark.slow
def test_a_process_that_ends_twice_costs_one_task_alone(run, target, tmp_path):
    """One attack that ends every process would hide all that the others find, or never end."""
    target(climbs("os._exit(0)"))
    done, told = report(run, tmp_path, "-j", 2)
    assert (1, "broken") == (done.returncode, told["verdict"])
    assert any("the process ended by itself, twice" in one for one in told["remarks"])
    assert any("ended by itself; tried again" in one for one in told["notices"])
    assert {"confined"} <= {one["invariant"] for one in told["findings"]}


@pytest.mark.slow
def test_hangs_end_a_shared_campaign_where_they_end_a_single_one(run, target, tmp_path):
    """A target that hangs would be asked on by one process after the other."""
    target(climbs().replace("if op[1]", "while '/../../' in op[1]: pass\n            if op[1]", 1))
    _, alone = report(run, tmp_path, "--op-timeout", 0.5)
    _, shared = report(run, tmp_path, "--op-timeout", 0.5, "-j", 2)
    assert alone == shared
    assert any("left out" in one for one in shared["remarks"])


def test_what_cannot_be_measured_is_told_in_one_line(run, target):
    """A target that cannot be loaded would look like a crash of the processes."""
    target(climbs())
    done = run("attack", "py:target:Nobody", "-j", 2)
    assert (2, "") == (done.returncode, done.stdout)
    assert ["Error: py:target:Nobody: target has no Nobody"] == done.stderr.splitlines()


BAD = {
    "one folder": (("--as", "path", "--root", ".", "-j", 2), "--root .: several processes"),
    "cluster": (("--cluster", "tcp://127.0.0.1:1", "-j", 2), "-j 2: the cluster at tcp://"),
}


@pytest.mark.parametrize(("arguments", "said"), BAD.values(), ids=BAD)
def test_what_processes_cannot_share_is_refused(arguments, said, run, target):
    """Canaries would vanish while another process is asked, and a right target would be accused."""
    target(climbs())
    done = run("attack", "py:target:Box", *arguments)
    assert (2, "") == (done.returncode, done.stdout)
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {said}")


def test_a_missing_extra_is_told(monkeypatch):
    """Whoever has no Dask would see a traceback."""
    monkeypatch.setattr(crew, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'capfuzz\[cluster\]'"):
        Hands(cluster="local").check(Options())


# --- one process ------------------------------------------------------------------------------

JOBS = """
import os, signal, time
from dataclasses import dataclass


@dataclass
class Doing:
    what: str

    def __str__(self):
        return self.what

    def done(self, ground):
        ground.target._heart.beat(0.3 if self.what == "hang" else 60)
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while self.what == "hang" or not os.path.exists("go"):
            time.sleep(0.01)
        return os.getpid()

    def lost(self, how, *, hung):
        return how, hung
"""


@pytest.fixture
def hand(tmp_path, monkeypatch):
    """Return a hand whose process can import ``jobs``."""
    (tmp_path / "jobs.py").write_text(JOBS)
    monkeypatch.syspath_prepend(str(tmp_path))
    setup = Setup(
        "engine", Asked(), "quick", 0, ("generated",), (), str(tmp_path), (str(tmp_path),)
    )
    made = Hand(setup)
    yield made
    made.close()


def doing(what):
    """Return a job of the module that both processes know."""
    import jobs

    return jobs.Doing(what)


def test_a_process_that_hangs_for_good_is_ended(hand):
    """A target that blocks all signals would stop the campaign for good."""
    answer = hand.do(doing("hang"))
    assert ("hung where it could not be interrupted, twice", True) == answer.result
    assert (
        "hang: the process hung where it could not be interrupted; tried again in a new one",
    ) == (answer.notices)


def test_a_process_is_kept_for_the_next_job(hand, tmp_path):
    """Loading a target would cost as much as attacking it, once for every task."""
    (tmp_path / "go").touch()
    assert hand.do(doing("wait")).result == hand.do(doing("wait")).result


def test_closing_ends_a_process_and_its_job(hand):
    """An interrupted campaign would leave processes behind, or begin a job again."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as threads:
        under_way = threads.submit(hand.do, doing("wait"))
        while hand._process is None:
            time.sleep(0.01)
        process = hand._process._process
        hand.close()
        with pytest.raises(Closed):
            under_way.result()
    assert -signal.SIGKILL == process.returncode


SLOW = """
import os, time

def slow(root, path):
    if "/.." in path or path.startswith(".."):
        open(f"started-{os.getpid()}", "w").close()
        time.sleep(1.5)
        return None
    return os.path.join(root, path)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_campaign_leaves_nothing(how, tmp_path, target):
    """Processes would go on attacking, and planted trees would stay, after Ctrl-C or a kill."""
    from .conftest import CAPFUZZ
    from .test_supervise import alive, trees, wait_for

    target(SLOW)
    process = subprocess.Popen(
        [
            CAPFUZZ,
            "attack",
            "py:target:slow",
            "--as",
            "path",
            "-j",
            "2",
            "--family",
            "path-traversal",
        ],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - no thread runs here
    )
    try:
        wait_for(lambda: len([*tmp_path.glob("started-*")]) >= 2)
        assert trees(tmp_path)
        os.kill(process.pid, how)
        process.communicate(timeout=100)  # every process of it holds these pipes open
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    started = [int(one.name.partition("-")[2]) for one in tmp_path.glob("started-*")]
    wait_for(lambda: not any(map(alive, started)))
    assert [] == [pid for pid in started if alive(pid)]
    assert [] == trees(tmp_path)


# Read before anything else by each process that only begins.
BEGINNING = """
import os, sys, time
if any("hand_process" in one for one in sys.orig_argv):
    open(f"begun-{os.getpid()}", "w").close()
    time.sleep(60)
"""


# Of the files that a process opens, those that stand where temporary ones do.
OPENED = """
import os, sys
here = os.environ["TMPDIR"]
if any("hand_process" in one for one in sys.orig_argv):
    def note(what, told):
        if what == "open" and type(told[0]) is str and os.path.dirname(told[0]) == here:
            os.mkdir(f"{here}-{os.path.basename(told[0])}")
    sys.addaudithook(note)
"""


@pytest.mark.slow
def test_no_process_looks_for_the_folder_for_temporary_files(tmp_path, target, run):
    """A file would stay in it for each process that is killed while it looks."""
    target(climbs())
    (tmp_path / "sitecustomize.py").write_text(OPENED)
    (tmp_path / "t").mkdir()
    around = {"TMPDIR": str(tmp_path / "t"), "PYTHONPATH": str(tmp_path)}
    done = run("attack", "py:target:Box", *FEW, "-j", "2", **around)
    assert 1 == done.returncode, done.stderr
    assert [] == [*tmp_path.glob("t-*")]


@pytest.mark.slow
@pytest.mark.parametrize("send", [os.killpg, os.kill])
def test_processes_that_are_only_beginning_end_with_the_campaign(send, tmp_path, target):
    """They would print tracebacks after Ctrl-C, and come up when nobody needs them any more."""
    from .conftest import CAPFUZZ
    from .test_supervise import alive, wait_for

    target(SLOW)
    (tmp_path / "sitecustomize.py").write_text(BEGINNING)
    process = subprocess.Popen(
        [CAPFUZZ, "attack", "py:target:slow", "--as", "path", "-j", "2"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - no thread runs here
    )
    wait_for(lambda: len([*tmp_path.glob("begun-*")]) >= 2)
    send(process.pid, signal.SIGINT)
    process.wait(60)
    begun = [int(one.name.partition("-")[2]) for one in tmp_path.glob("begun-*")]
    left = [pid for pid in begun if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert ([], 2, 130) == (left, len(begun), process.returncode)
    assert "Traceback" not in process.communicate()[1]

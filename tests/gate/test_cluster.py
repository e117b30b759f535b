"""A campaign on Dask: its own local cluster, and a scheduler that somebody else has started."""

import json
import subprocess
import sys

import pytest

from .test_crew import FEW, ONCE, climbs

pytestmark = pytest.mark.slow

SCHEDULER = """
import sys, time
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(
        n_workers=int(sys.argv[1]), threads_per_worker=1, dashboard_address=None
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
KILLS_WORKER = "os.kill(os.getppid(), signal.SIGKILL)"


@pytest.fixture
def scheduler(tmp_path):
    """Return a function that starts a cluster of so many workers and returns its address."""
    started = []

    def start(workers):
        (tmp_path / "scheduler.py").write_text(SCHEDULER)
        started.append(
            subprocess.Popen(
                [sys.executable, "scheduler.py", str(workers)],
                cwd=tmp_path,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        )
        return started[0].stdout.readline().strip()

    yield start
    for one in started:
        one.communicate()  # the end of its input is the end of it


def report(run, tmp_path, *arguments):
    """Attack the target and return the report but for its duration."""
    done = run("attack", "py:target:Box", *FEW, *arguments, "--json", "r.json")
    assert 1 == done.returncode, done.stderr
    told = json.loads((tmp_path / "r.json").read_text())
    del told["duration_s"]
    return told


def test_a_local_cluster_reports_what_one_process_does(run, target, tmp_path):
    """A nightly campaign on many machines would tell another thing than the one at a desk."""
    target(climbs())
    assert report(run, tmp_path) == report(run, tmp_path, "--cluster", "local", "-j", 2)


def test_a_worker_that_is_killed_loses_nothing(run, target, tmp_path, scheduler):
    """What a machine had found when it went down would be lost, and untold."""
    target(climbs())
    undisturbed = report(run, tmp_path)
    target(climbs(ONCE.format("killed", KILLS_WORKER)))
    disturbed = report(run, tmp_path, "--cluster", scheduler(2))
    assert (tmp_path / "killed").exists()
    notices = disturbed.pop("notices")
    assert any("the worker of the cluster was lost; tried again" in one for one in notices)
    del undisturbed["notices"]
    assert undisturbed == disturbed


def test_no_scheduler_is_told_in_one_line(run, target):
    """A wrong address would wait for good, or show a traceback."""
    target(climbs())
    done = run("attack", "py:target:Box", "--cluster", "tcp://127.0.0.1:1")
    (line,) = done.stderr.splitlines()
    assert (2, "") == (done.returncode, done.stdout)
    assert line.startswith("Error: --cluster tcp://127.0.0.1:1: no scheduler answers there")


def test_a_scheduler_without_workers_is_told_in_one_line(run, target, scheduler):
    """A campaign would wait for workers that nobody starts."""
    target(climbs())
    address = scheduler(0)
    done = run("attack", "py:target:Box", "--cluster", address)
    assert (2, f"Error: --cluster {address}: has no workers\n") == (done.returncode, done.stderr)


def test_a_module_that_a_worker_has_not_is_told(run, target, tmp_path, scheduler):
    """Whoever forgot to install a target on the cluster would see a traceback of the cluster."""
    address = scheduler(1)
    target("import sys\nif '-c' in sys.orig_argv: import nowhere\n" + climbs())
    done = run("attack", "py:target:Box", *FEW, "--cluster", address)
    assert 2 == done.returncode
    assert "cannot import target: ModuleNotFoundError" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr

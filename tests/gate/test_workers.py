"""Processes for tasks: every task is done once, and nothing is left when it ends too soon."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest
from capfuzz.gate.workers import cores, done

from ..ctrl_c import hear_ctrl_c  # noqa: TID252 - it stands there once
from .test_supervise import alive, children, trees, wait_for

TASKS = """
import os, sys, tempfile, threading, time
from capfuzz.targets.planted import scratch

memory, opened = [], []
if any("forkserver" in one for one in sys.orig_argv):
    sys.addaudithook(lambda what, told: opened.append(told[0]) if what == "open" else None)

def attempt(task):
    if task == "plant":
        return scratch()
    if task == "remember":
        memory.append(task)
        return len(memory)
    if task == "opened":
        made = (one for one in opened if type(one) is str)
        return [one for one in made if os.path.dirname(one) == tempfile.gettempdir()]
    if task == "wait":
        time.sleep(600)
    if task == "die":
        os._exit(3)
    if task == "raise":
        raise ValueError("a fault of our own")
    assert threading.current_thread() is threading.main_thread()
    return task * 2

def lost(task, problem):
    return f"lost: {problem}"
"""
DIED = "lost: the process died in which this was attacked"
SLOW = """
import sys, time
sys.path.insert(0, ".")
from capfuzz.gate.workers import done
from capfuzz.targets.planted import scratch

def attempt(task):
    scratch()
    open(f"started-{task}", "w").close()
    while True:
        time.sleep(0.1)

if __name__ == "__main__":
    list(done(range(4), 2, attempt, attempt))
"""


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    """Return a module that the workers can import, too."""
    (tmp_path / "worker_tasks.py").write_text(TASKS)
    monkeypatch.syspath_prepend(tmp_path)
    import worker_tasks

    yield worker_tasks
    del sys.modules["worker_tasks"]


def test_every_task_is_done_once(tasks):
    """A target would be skipped or tried twice, and the counts would lie."""
    found = sorted(done(range(7), 3, tasks.attempt, tasks.lost))
    assert [(n, 2 * n) for n in range(7)] == found


def test_a_process_that_dies_takes_only_its_task_with_it(tasks):
    """One bad target would end the whole run, or be tried for ever."""
    found = list(done([1, "die", 2, "die", 3], 1, tasks.attempt, tasks.lost))
    assert [(1, 2), ("die", DIED), (2, 4), ("die", DIED), (3, 6)] == found


def test_a_fault_of_our_own_loses_its_task_and_is_told(tasks):
    """A mistake of ours would hang the run, or nobody could find it."""
    (_, lost), after = done(["raise", 1], 1, tasks.attempt, tasks.lost)
    assert lost.startswith("lost: Traceback")
    assert lost.endswith("ValueError: a fault of our own\n")
    assert (1, 2) == after


def test_a_task_leaves_nothing_to_the_next(tasks):
    """What a target changes in its process would be held against the next one."""
    found = list(done(["remember", "remember"], 1, tasks.attempt, tasks.lost))
    assert [("remember", 1), ("remember", 1)] == found


def test_what_a_task_plants_is_gone_with_it(tasks):
    """A long run would fill the memory with trees."""
    running = done(["plant", "plant"], 1, tasks.attempt, tasks.lost)
    _, folder = next(running)
    assert os.path.basename(folder).startswith("capfuzz-")
    assert not os.path.exists(folder)
    running.close()


def test_no_process_looks_for_the_folder_for_temporary_files(tasks):
    """A file would stay in it for each process that is killed while it looks."""
    assert [("opened", [])] == list(done(["opened"], 1, tasks.attempt, tasks.lost))


def test_an_iteration_that_is_given_up_ends_the_workers(tasks):
    """Whoever has seen enough would leave processes behind."""
    import multiprocessing

    running = done([1, "wait", "wait"], 2, tasks.attempt, tasks.lost)
    next(running)
    assert multiprocessing.active_children()
    running.close()
    assert [] == multiprocessing.active_children()


def test_the_cores_are_those_of_this_process():
    """A container with one core would be given as many workers as the machine has cores."""
    assert len(os.sched_getaffinity(0)) == cores()


@pytest.fixture
def working(tmp_path):
    """Start a process whose workers never end, in a group of its own, and end it after all."""
    (tmp_path / "slow.py").write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, "slow.py"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - no thread runs here
    )
    wait_for((tmp_path / "started-1").exists)
    yield process
    with suppress(ProcessLookupError):  # workers that should have ended, too
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_parent(how, working, tmp_path):
    """Ctrl-C would leave workers that go on attacking, and what they planted."""
    workers = children(working.pid)
    assert len(workers) >= 2
    assert trees(tmp_path)
    send = os.killpg if how is signal.SIGINT else os.kill
    for _ in range(6):  # Python may drop one Ctrl-C that falls into a finaliser
        send(working.pid, how)
        with suppress(subprocess.TimeoutExpired):
            working.wait(timeout=10)
            break
    wait_for(lambda: not any(map(alive, workers)) and not trees(tmp_path))
    assert [] == [one for one in workers if alive(one)]
    assert [] == trees(tmp_path)

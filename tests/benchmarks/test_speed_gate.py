"""The gate between two commits: what it decides, on what, and that two engines stay apart."""

# ruff: noqa: E402 - the scripts are found by their folder

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SPEED = Path(__file__).parents[2] / "benchmarks" / "speed"
ENGINE = Path(__file__).parents[2] / "engine"
sys.path.insert(0, str(SPEED))

import commits
import engines
import instructions
import trial
from capfuzz.gate.bench.results import Outcome


def gated(*words):
    """Return how the gate ended, its output and its complaint."""
    command = [sys.executable, str(SPEED / "commits.py"), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def with_another_run(folder, body):
    """Return a copy of the engine whose ``run`` has another body, in which the old is ``ran``."""
    copied = Path(shutil.copytree(ENGINE, folder / "engine"))
    text = (copied / "sandbox.py").read_text()
    run = "    def run(self, op: object) -> Result:"
    assert 1 == text.count(run)
    ran = "    def ran(self, op: object) -> Result:"
    (copied / "sandbox.py").write_text(text.replace(run, f"{run}\n        {body}\n\n{ran}"))
    return copied


@pytest.mark.parametrize(
    ("ratios", "outcome", "status"),
    [
        ([1.0, 0.99, 1.01], Outcome.HELD, 0),
        ([1.06, 1.05, 1.07], Outcome.SLOWER, 1),
        ([1.02, 1.05, 1.08], Outcome.UNDECIDED, 2),
        ([0.5, 0.5, 0.5], Outcome.HELD, 0),
    ],
)
def test_processes_that_agree_decide(ratios, outcome, status):
    """Else one noisy process would fail the gate, or a slow engine would pass it."""
    found = commits.over_processes([{"run": one} for one in ratios], 0.03)
    assert ([outcome], status) == ([one.outcome for one in found], commits.exit_status(found))


def test_slower_counts_for_more_than_too_noisy():
    """Else one open question would hide an answer."""
    rounds = [{"a": 1.1, "b": one} for one in (1.0, 1.03, 1.06)]
    assert 1 == commits.exit_status(commits.over_processes(rounds, 0.03))


def test_more_processes_are_asked_while_they_disagree(monkeypatch):
    """Else the verdict on a busy machine would be "too noisy" for want of asking."""
    said = iter([1.02, 1.05, 1.02, 1.02, 1.02, 1.02, 1.02, 1.02])
    monkeypatch.setattr(commits, "_in_a_process", lambda *_: {"run": next(said)})
    assert [Outcome.HELD] == [one.outcome for one in commits.decided(ENGINE, ENGINE, 0.03)]
    assert 1 == len(list(said))  # the interval of seven is clear of the limit


def test_nine_processes_are_the_most(monkeypatch):
    """Else it would never end where nobody can say."""
    asked = []
    monkeypatch.setattr(
        commits, "_in_a_process", lambda *_: asked.append(1) or {"run": 1.0 + len(asked) % 2 / 10}
    )
    assert [Outcome.UNDECIDED] == [one.outcome for one in commits.decided(ENGINE, ENGINE, 0.03)]
    assert 9 == len(asked)


def test_two_engines_stay_apart(tmp_path):
    """Else both sides of a comparison would run the same code."""
    other = with_another_run(tmp_path, "return results.MALFORMED_OP")
    before = dict(sys.modules)
    op = ("tool", "summarize", "abc")
    said = [engines.Engine(folder).run(1, 1)(op).violation for folder in (ENGINE, other, ENGINE)]
    assert [None, "malformed_op", None] == said
    assert before == dict(sys.modules)


def test_what_is_timed_is_what_it_says():
    """Else a workload would time an early refusal, or a halt."""
    engine = engines.Engine(ENGINE)
    for one in commits._workloads(engine):
        said = [one.asked(engine)(item) for item in one.items[:200]]
        granted = [isinstance(each, str) or getattr(each, "ok", False) for each in said]
        wanted = {"granted": {True}, "refused": {False}}.get(one.name.split()[0], {True, False})
        assert wanted == set(granted), one.name
        assert not any(getattr(each, "hard", False) for each in said), one.name


@pytest.mark.parametrize("base", ["no-such-commit", ""])
def test_a_base_that_is_none_cannot_be_measured(base):
    """Else the gate would be green for want of a comparison."""
    status, out, err = gated(f"--base={base}")
    assert (2, "", 1) == (status, out, err.count("\n"))
    assert f"--base {base}" in err


def test_a_base_without_an_engine_cannot_be_measured(tmp_path):
    """Likewise, and without a traceback of the process that measures."""
    status, _, err = gated("--base", tmp_path)
    assert (2, 1) == (status, err.count("\n"))


@pytest.mark.slow
def test_an_engine_that_idles_is_caught(tmp_path):
    """The gate would pass anything; the head here does twice the work."""
    other = with_another_run(tmp_path, "for _ in range(50): pass\n        return self.ran(op)")
    status, out, _ = gated("--base", ENGINE, "--head", other)
    assert 1 == status
    assert "slower" in out


def test_the_trial_slows_the_check_of_this_engine(tmp_path):
    """Else it would compare the same code twice, and say that the gate does not bite."""
    shutil.copy(ENGINE / "sandbox.py", tmp_path)
    trial._slow_down(tmp_path / "sandbox.py")
    assert (ENGINE / "sandbox.py").read_text() != (tmp_path / "sandbox.py").read_text()
    with pytest.raises(SystemExit, match="has changed"):
        trial._slow_down(Path(shutil.copy(ENGINE / "paths.py", tmp_path)))


def test_without_valgrind_nothing_is_counted(monkeypatch):
    """Else a missing tool would show as a traceback."""
    monkeypatch.setitem(os.environ, "PATH", "")
    with pytest.raises(instructions.CountError, match="no valgrind"):
        instructions.instructions_an_op(ENGINE)

"""``capfuzz bench`` as a person runs it: exit statuses and files; no verdict hangs on a clock."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BOX = """
class Box:
    left = 10**9
    def __init__(self, caps, world):
        self.caps, self.world = caps, world
    def run(self, op):
        self.left -= 1
        print("noise on standard output")
        return self.left > 0 and op[0] == "tool" and op[1] in self.caps.allowed_tools

class Halting(Box):
    left = 70

class Nothing(Box):
    left = 0

class Hanging(Box):
    def run(self, op):
        while op[1] == "lookups": pass
        return super().run(op)

class Stuck(Box):
    def run(self, op):
        if op[1] == "lookups": sum(range(10**12))
        return super().run(op)

class Leaving(Box):
    def run(self, op):
        import os
        os._exit(0)

class Hangs(Box):
    def run(self, op):
        while True: pass

class Interrupting(Box):
    def run(self, op):
        import os, signal
        os.kill(os.getpid(), signal.SIGINT)
        raise KeyboardInterrupt

class Copied(Box):
    asked = 0
    def run(self, op):
        import os
        self.asked += 1
        if self.asked == 3: os.fork()
        return super().run(op)
"""
ONE = ("--only", "tool denied")
CAPFUZZ = Path(sys.executable).parent / "capfuzz"


@pytest.fixture
def saved(run, target, tmp_path):
    """Return a function that saves a measurement whose ratios are then multiplied."""
    target(BOX)

    def save(*factors):
        done = run("bench", "--save", "before.json", *ONE)
        assert 0 == done.returncode, done.stderr
        whole = json.loads((tmp_path / "before.json").read_text())
        ratios = whole["benchmarks"][0]["extra_info"]["ratios"]
        made = [ratio * factor for ratio, factor in zip(ratios, factors, strict=True)]
        whole["benchmarks"][0]["extra_info"]["ratios"] = made
        (tmp_path / "before.json").write_text(json.dumps(whole))
        return whole

    return save


@pytest.mark.slow
@pytest.mark.parametrize(
    ("factors", "status", "outcome"),
    [
        ((100, 100, 100), 0, "held"),
        ((0.01, 0.01, 0.01), 1, "slower"),
        ((0.01, 1, 100), 2, "too noisy to say"),
    ],
    ids=["faster", "slower", "noisy"],
)
def test_a_comparison_ends_with_its_status(factors, status, outcome, saved, run, tmp_path):
    """CI would pass a slowdown, or fail on noise. A hundredfold is no matter of a clock."""
    saved(*factors)
    done = run("bench", "--against", "before.json", "--json", "r.json", *ONE)
    assert status == done.returncode, done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    assert [outcome] == [one["outcome"] for one in report["comparison"]["changes"]]
    assert outcome in done.stdout


@pytest.mark.slow
def test_times_of_another_build_are_not_compared(saved, run, tmp_path):
    """Two builds of one version differ by half."""
    whole = saved(100, 100, 100)
    whole["machine_info"]["capfuzz_build"]["optimised"] ^= True
    (tmp_path / "before.json").write_text(json.dumps(whole))
    done = run("bench", "--against", "before.json", *ONE)
    assert 2 == done.returncode
    assert "was measured by another build or machine" in done.stderr
    assert 0 == run("bench", "--against", "before.json", "--allow-other-build", *ONE).returncode


@pytest.mark.slow
def test_standard_output_holds_the_report_alone(run, target):
    """What a target prints would break the JSON."""
    target(BOX)
    spelt = ("--only", "longer-tool-letters")  # it is asked in another process than the times
    done = run("bench", "py:target:Box", "--quick", "--json", "-", *ONE, *spelt)
    assert 0 == done.returncode, done.stderr
    report = json.loads(done.stdout)
    assert ["tool denied"] == [one["name"] for one in report["benchmarks"]]
    assert 1 == report["processes"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Halting", "does it halt?"),
        ("Nothing", "every honest op was refused"),
        ("Leaving", "ended the process"),
        ("Missing", "target has no Missing"),
        ("Interrupting", "raised while it was timed: KeyboardInterrupt"),
    ],
)
def test_what_cannot_be_timed_is_told_in_one_line(name, said, run, target):
    """Numbers of a halted session would look fine."""
    target(BOX)
    done = run("bench", f"py:target:{name}", "--quick", "--only", "tool allowed")
    assert 2 == done.returncode
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert 1 == len(errors)
    assert said in errors[0]
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_target_that_hangs_on_everything_is_told_by_its_first_op_of_each_kind(run, target):
    """Every workload would wait for every op, and nothing be shown for minutes."""
    target(BOX)
    done = run("bench", "py:target:Hangs", "--quick", "--op-timeout", 0.1)
    assert 2 == done.returncode
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert 4 == error.count("hangs on")
    assert "fs_read allowed: hangs on ('fs_read', '/work/control.txt')" in error


@pytest.mark.slow
def test_a_slow_target_is_given_up_soon(run, target):
    """Seconds an op would add up to half an hour without a word."""
    target(
        "import time\nclass Slow:\n def __init__(s, c, w): pass\n"
        " def run(s, op): time.sleep(1.0); return True\n"
    )
    done = run("bench", "py:target:Slow", "--quick", *ONE)
    assert 2 == done.returncode
    assert "Error: py:target:Slow: tool denied: over 100 ms an op" in done.stderr


@pytest.mark.slow
def test_a_copy_of_the_process_sends_nothing(run, target):
    """Two measurements would arrive as one, or a copy time on beside the first."""
    target(BOX)
    done = run("bench", "py:target:Copied", "--quick", *ONE)
    assert (0, 1) == (done.returncode, done.stdout.count("1 benchmark,")), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", [["bench", "--quick", *ONE], ["attack", "--profile", "quick"]])
@pytest.mark.parametrize("form", [[], ["--json", "-"]], ids=["table", "json"])
def test_a_full_disk_is_told_in_one_line(command, form, tmp_path):
    """The report would be lost behind a traceback."""
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [CAPFUZZ, *command, *form],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert 2 == done.returncode
    assert "Error: standard output: cannot write the report: No space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Hanging", "Stuck"])
def test_a_hostile_op_that_hangs_is_a_finding(name, run, target):
    """The measurement would never end, or the hang pass for a target that cannot be measured."""
    target(BOX)
    done = run("bench", f"py:target:{name}", "--quick", "--op-timeout", 0.05, "--json", "-", *ONE)
    assert 1 == done.returncode, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    assert [["tool", "lookups", "00"]] == finding["ops"]
    assert "no answer within the limit of 0.05 s" in finding["observed"]
    assert finding["replay"].endswith("--op-timeout 0.05 --only 'tool denied'")


@pytest.mark.slow
def test_a_target_that_hangs_on_honest_ops_cannot_be_measured(run, target):
    """Any attack on it would hang as well, and be taken for what makes it hang."""
    target(BOX)
    done = run("bench", "py:target:Hangs", "--op-timeout", 0.05, "--only", "climb")
    assert 2 == done.returncode
    assert "Error: py:target:Hangs: hangs on honest ops, such as" in done.stderr


@pytest.mark.slow
def test_growth_alone_is_measured_up_to_the_size_asked_for(run):
    """A large grant could not be looked at without the whole hunt, or not at all."""
    done = run("bench", "--quick", "--no-hunt", "--grants-up-to", 20_000, "--json", "-")
    assert 0 == done.returncode, done.stderr
    report = json.loads(done.stdout)
    sizes = {one["size"] for one in report["benchmarks"] if one["group"] in {"roots", "hosts"}}
    assert {1, 10, 100, 1_000, 10_000, 20_000} == sizes
    assert {0} == set(report["counts"].values())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "tool deny"], "no such benchmark; did you mean tool denied?"),
        (["--against", "none.json"], "none.json: cannot be read"),
        (["--save", "no/x.json"], "no/x.json: cannot write the report"),
        (["--fail-above", "0"], "'0' is no limit; write 5% or 0.05"),
        (["--fail-above", "nan"], "is no limit"),
        (["--no-hunt", "--only", "climb"], "--no-hunt leaves out what --only climb asks for"),
        (["--grants-up-to", "0"], "0 is not in the range 1<=x<=1000000"),
        (["--as", "eval"], "'eval' is not one of"),
        (["--save", ""], "--save is empty; name a file"),
        (["--save", "-"], "--save -: the times go to a file"),
        (["--against", ""], "--against is empty; name a file"),
        (["--only", "climb", "--save", "x.json"], "no benchmark is timed by --only climb"),
        (["--only", "climb", "--against", "engine"], "no benchmark is timed by --only climb"),
        (["mcp:touch started {root}"], "only session, path and host targets are timed"),
        (["http://127.0.0.1:9/", "--root", "."], "only session, path and host targets"),
        (["nonsense"], "known forms: engine, py:MODULE:NAME, py:MODULE:NAME --as path, py:MODULE"),
        (["--as", "path"], "a session target cannot be asked as path"),
    ],
)
def test_bad_input_is_told_before_anything_runs(arguments, said, run):
    """A typo would cost minutes."""
    done = run("bench", *arguments)
    assert 2 == done.returncode
    assert said in done.stderr
    assert "Traceback" not in done.stderr

"""The command line: exit statuses, one clear line for bad input, reports that are whole."""

import json
import re

import pytest

ENGINE = """
from capfuzz.engine import Sandbox

def make(caps, world):
    return Sandbox(caps, vfs=world.vfs, net=world.net, tools=world.tools, clock=world.clock)
"""
BAD_TARGETS = {
    "raises": (
        "def make(caps, world): raise RuntimeError('boom')",
        "py:target:make: the factory raised RuntimeError: boom",
    ),
    "no run": (
        "def make(caps, world): return object()",
        "py:target:make: the factory returned a object without run(op)",
    ),
    "no ok": (
        "class Box:\n    def run(self, op): return {'ok': False}\ndef make(c, w): return Box()",
        "run(op) returned a dict without .ok",
    ),
    "hangs": (
        "class Box:\n    def run(self, op):\n        while True: pass\ndef make(c, w): return Box()",
        "py:target:make: hung on ",
    ),
    "leaves": (
        "import os\nclass Box:\n    def run(self, op): os._exit(0)\ndef make(c, w): return Box()",
        "py:target:make: ended the process by itself, before there was a verdict",
    ),
    "crashes": (
        "import os\nclass Box:\n    def run(self, op): os.abort()\ndef make(c, w): return Box()",
        "py:target:make: was ended by SIGABRT",
    ),
    "refuses all": (
        "class Box:\n    def run(self, op): return False\ndef make(c, w): return Box()",
        None,
    ),
    "syntax": ("def make(:", "py:target:make: cannot import target: SyntaxError"),
    "not callable": ("make = 5", "py:target:make: make is a int, not something to call"),
}
BAD_ARGUMENTS = {
    "no module": (["py:nowhere:make"], "py:nowhere:make: cannot import nowhere"),
    "no name": (["py:target:nothing"], "py:target:nothing: target has no nothing"),
    "no colon": (["py:target"], "py:target: write py:MODULE:NAME"),
    "no py:": (["target:Box"], "target:Box: no such target; did you mean py:target:Box?"),
    "no such form": (["bubblewrap"], "bubblewrap: no such target; did you mean bwrap?"),
    "nothing": ([""], "SPEC: the name is empty; known forms: engine, "),
    "a part too many": (
        ["monty:x"],
        "monty:x: no such target; monty takes nothing after its name; did you mean monty?",
    ),
    "a part too many in any case": (
        ["Vercel:x"],
        "Vercel:x: no such target; vercel takes nothing ",
    ),
    "a runtime in another case": (
        ["Docker:runsc"],
        "Docker:runsc: no such target; did you mean docker:runsc?",
    ),
    "no folder": (["--json", "no/report.json"], "no/report.json: cannot write the report: "),
    "no file": (["--json", ""], "cannot write the report: the name is empty; name a file"),
    "a folder": (["--json", "."], ".: cannot write the report: it is a folder; name a file"),
    "no corpus": (["--corpus", "none.json"], "none.json: cannot be read: No such file"),
    "bad corpus": (["--corpus", "bad.json"], 'bad.json: top level: "surfaces" is a required'),
    "a typo": (
        ["--family", "path-travesal"],
        "--family path-travesal: no such family; did you mean path-traversal?",
    ),
}


@pytest.mark.parametrize(("source", "said"), BAD_TARGETS.values(), ids=BAD_TARGETS)
def test_a_target_that_cannot_be_measured_is_told_in_one_line(source, said, run, target, tmp_path):
    """CI would show a traceback, or take a broken set-up for a verdict."""
    target(source)
    done = run(
        "attack", "py:target:make", "--op-timeout", 0.3, "--profile", "quick", "--json", "r.json"
    )
    assert done.returncode == 2
    if said is not None:
        lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
        assert len(lines) == 1
        assert said in lines[0]
        assert not (tmp_path / "r.json").exists()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("arguments", "said"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS)
def test_bad_arguments_are_told_in_one_line(arguments, said, run, target, tmp_path):
    """A typo would cost a search through the sources."""
    target(ENGINE)
    (tmp_path / "bad.json").write_text('{"family": "bad"}')
    done = run("attack", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {said}")


def test_a_sandbox_in_which_nothing_honest_works_is_told_as_one(run, tmp_path):
    """Who attacks a launcher would be asked about the arguments of a function."""
    (tmp_path / "deaf.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n"
        "    told = {'jsonrpc': '2.0', 'id': json.loads(line)['id'], 'result': {'out': ''}}\n"
        "    print(json.dumps(told), flush=True)"
    )
    spec = f"cmd:python3 {tmp_path}/deaf.py {{probe}}"
    done = run("attack", spec, "--family", "kernel-files")
    (told,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert (done.returncode, done.stdout) == (2, "")
    assert told == (
        f"Error: {spec}: no honest command was answered rightly, so nothing can be measured; "
        "does the sandbox run the probe, and open to it what it is granted?"
    )


def test_that_nothing_of_a_family_can_be_asked_is_told(run):
    """A sandbox would be said to refuse honest work, or to hold what was never tried."""
    done = run("attack", "cmd:python3 -S {probe}", "--family", "kernel-tasks")
    assert (done.returncode, done.stdout) == (2, "")
    assert "of what was chosen nothing can be asked of it; name another family" in done.stderr


def test_what_is_left_out_after_hangs_is_told(run, target, tmp_path):
    """A report would count attacks that were never made, and look as if all else had held."""
    target(
        "class Box:\n    def run(self, op):\n        while '/../../' in str(op): pass\n"
        "        return True\ndef make(caps, world): return Box()"
    )
    run("attack", "py:target:make", "--op-timeout", 0.1, "--json", "r.json")
    report = json.loads((tmp_path / "r.json").read_text())
    (told,) = [one for one in report["remarks"] if "left out" in one]
    left, of = map(int, re.match(r"(\d+) of (\d+) attacks", told).groups())
    assert of == left + report["counts"]["attacks"]
    assert left > 1_000


def test_a_target_that_gives_up_on_the_way_is_not_held(run, target, tmp_path):
    """A server that broke down in the middle would look as if it had refused every attack."""
    target(
        "import os\nasked = 0\ndef place(root, path):\n    global asked\n    asked += 1\n"
        "    real = os.path.realpath(os.path.join(root, path))\n"
        "    inside = (real + '/').startswith(os.path.realpath(root) + '/')\n"
        "    return real if inside and asked < 200 else None"
    )
    done = run("attack", "py:target:place", "--as", "path", "--json", "r.json")
    report = json.loads((tmp_path / "r.json").read_text())
    assert (done.returncode, report["verdict"]) == (2, "inconclusive")
    assert any("is refused by now" in remark for remark in report["remarks"])


def test_debug_shows_the_traceback(run, target):
    """The author of a target could not see where it failed."""
    target("def make(caps, world): raise RuntimeError('boom')")
    done = run("attack", "py:target:make", "--debug")
    assert done.returncode == 2
    assert "Traceback" in done.stderr


def test_generated_cases_alone_come_with_honest_work(run):
    """Nothing that is refused would prove anything, and a right target could not be measured."""
    right = "py:capfuzz.targets.right.path:realpath_commonpath"
    done = run("attack", right, "--as=path", "--family=generated", "--profile=quick", "--json=-")
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"]) == (0, "held")
    assert report["counts"]["controls"] > 0
    assert report["counts"]["attacks"] == 0


def test_json_on_stdout_is_nothing_but_json(run, target):
    """A script could not read the report of a target that prints."""
    target(ENGINE.replace("    return", "    print('noise')\n    return"))
    done = run("attack", "py:target:make", "--profile", "quick", "--json", "-")
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"], report["findings"]) == (0, "held", [])
    assert report["target"] == {"spec": "py:target:make", "surface": "session"}
    assert report["counts"].keys() == {"attacks", "controls", "generated", "ops"}


def test_a_finding_fails_and_its_replay_line_shows_it_again(run, target, tmp_path):
    """Nobody could see for themselves what was found."""
    target(
        ENGINE
        + """
class Broken:
    def __init__(self, caps, world):
        self.box, self.world, self.roots = make(caps, world), world, caps.fs_read

    def run(self, op):
        if type(op) is tuple and len(op) == 2 and op[0] == "fs_read" and type(op[1]) is str:
            if any(op[1].startswith(root.rstrip("/")) for root in self.roots) and ".." not in op[1]:
                from capfuzz.engine import Result
                try:
                    return Result(True, self.world.vfs.read(op[1]))
                except (OSError, ValueError):
                    return Result(False)
        return self.box.run(op)
"""
    )
    done = run("attack", "py:target:Broken", "--profile", "quick", "--json", "r.json")
    report = json.loads((tmp_path / "r.json").read_text())
    assert (done.returncode, report["verdict"]) == (1, "broken")
    for finding in report["findings"]:
        if finding["severity"] == "error":
            again = run("replay", f"r.json#{finding['id']}", "py:target:Broken")
            assert again.returncode == 1
            assert f"{finding['invariant']} broken" in again.stdout
            held = run("replay", f"r.json#{finding['id']}", "engine")
            assert held.returncode == 0


def test_fail_on_lowers_the_bar(run, target):
    """A team that wants no over-blocking could not have it."""
    target(
        ENGINE
        + """
class Picky:
    def __init__(self, caps, world): self.box = make(caps, world)
    def run(self, op):
        if type(op) is tuple and "%" in str(op[1:2]):
            return self.box.run(("fs_read", "relative"))
        return self.box.run(op)
"""
    )
    asked = ("attack", "py:target:Picky", "--profile", "quick", "--family", "path-honest")
    assert run(*asked).returncode == 0
    assert run(*asked, "--fail-on", "warning").returncode == 1


def test_help_has_examples_and_starts_fast_modules_only(run):
    """A newcomer would not know what to type."""
    for command in ("attack", "replay"):
        done = run(command, "--help")
        assert done.returncode == 0
        assert "Examples:" in done.stdout


def test_targets_lists_every_form(run):
    """A person could not see what can be attacked."""
    done = run("targets")
    assert done.returncode == 0
    for form in ("engine", "py:MODULE:NAME", "--as path", "--as host"):
        assert form in done.stdout


def test_the_demo_shows_eight_decisions_and_that_the_denials_changed_nothing(run):
    """The first thing a newcomer runs would not show what it promises."""
    done = run("demo")
    assert done.returncode == 0
    for decision in ("path_traversal", "fs_read_denied", "fs_write_denied", "egress_denied"):
        assert decision in done.stdout
    assert "stopped: hard_limit" in done.stdout
    assert "the denials changed nothing" in done.stdout
    assert "files changed: ['/work/out/report.txt']" in done.stdout

"""If these fail, whoever puts capfuzz into a pipeline gets a broken job, or one that always passes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from ..absent import absent  # noqa: TID252 - it stands there once

ROOT = Path(__file__).parents[2]
ACTION = YAML(typ="safe").load(ROOT / "action.yml")
HERE = Path(sys.executable).parent
TARGET = """
import os

def held(root, path):
    place = os.path.realpath(os.path.join(root, path))
    return place if place.startswith(os.path.realpath(root) + os.sep) else None

def broken(root, path):
    return os.path.join(root, path)
"""
ASKED = {"as": "path", "profile": "quick"}


class Job:
    """A job that runs the action's own steps, as a runner would, in a folder of its own."""

    def __init__(self, folder, **inputs):
        self.folder = folder
        defaults = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
        self.inputs = {**defaults, **{name.replace("_", "-"): one for name, one in inputs.items()}}
        self.outputs = {}
        self.files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        (folder / "target.py").write_text(TARGET)

    def run(self, name, **context):
        """Run the step of this name and return how it ended."""
        [step] = [one for one in ACTION["runs"]["steps"] if one["name"] == name]
        assert "bash" == step["shell"]
        assert "${{" not in step["run"]  # nothing of an input may become part of a script
        values = {key: self._filled(str(one), context) for key, one in step["env"].items()}
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env={
                **os.environ,
                "PATH": f"{HERE}{os.pathsep}{os.environ['PATH']}",
                "RUNNER_TEMP": str(self.folder),
                **{key: str(file) for key, file in self.files.items()},
                **values,
                **context.get("environment", {}),
            },
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        written = self.files["GITHUB_OUTPUT"]
        lines = written.read_text().splitlines() if written.exists() else []
        self.outputs.update(line.split("=", 1) for line in lines)
        return ended

    def _filled(self, text, context):
        """Return a value with its expressions as a runner fills them in."""
        known = {
            **{f"inputs.{name}": one for name, one in self.inputs.items()},
            **{f"steps.attack.outputs.{name}": one for name, one in self.outputs.items()},
            "github.action_path": context.get("action", str(ROOT)),
        }
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: known[match[1]], text)


@pytest.mark.parametrize(("name", "status"), [("held", "0"), ("broken", "1"), ("none", "2")])
def test_the_verdict_is_that_of_the_attack(tmp_path, name, status):
    """A job that passes over a finding is worse than no job."""
    job = Job(tmp_path, target=f"py:target:{name}", **ASKED)
    attack = job.run("Attack")
    assert 0 == attack.returncode, attack.stderr  # the report has yet to be uploaded
    assert status == job.outputs["status"]
    assert int(status) == job.run("Verdict").returncode


SYSTEMS = {"bwrap": "0", f"cmd:{sys.executable} -S {{probe}}": "1", "bwrap:none": "2"}


@pytest.mark.slow
@pytest.mark.parametrize(("target", "status"), SYSTEMS.items(), ids=["right", "open", "unknown"])
def test_a_sandbox_of_the_system_is_gated_as_well(tmp_path, target, status):
    """A launcher that confines nothing would pass, or its command reach the action in pieces."""
    if shutil.which("bwrap") is None:
        absent("bubblewrap is not installed; nothing was attacked")
    job = Job(tmp_path, target=target, profile="quick", arguments="--family kernel-others")
    attack = job.run("Attack")
    assert (status, 0) == (job.outputs["status"], attack.returncode), attack.stderr


def test_findings_are_in_the_summary_and_ready_for_code_scanning(tmp_path):
    """A finding that nobody sees is not mended."""
    job = Job(tmp_path, target="py:target:broken", **ASKED)
    job.run("Attack")
    sarif = json.loads(Path(job.outputs["sarif"]).read_text())
    found = {one["ruleId"] for one in sarif["runs"][0]["results"]}
    assert found
    assert "py:target:broken" in job.files["GITHUB_STEP_SUMMARY"].read_text()


def test_without_a_report_nothing_is_uploaded(tmp_path):
    """The step that uploads runs where there is something to upload, and there alone."""
    job = Job(tmp_path, target="py:target:none", **ASKED)
    job.run("Attack")
    assert "" == job.outputs.get("sarif", "")
    [upload] = [one for one in ACTION["runs"]["steps"] if "upload-sarif" in one.get("uses", "")]
    assert "inputs.upload-sarif == 'true' && steps.attack.outputs.sarif != ''" == upload["if"]


def test_inputs_reach_the_command_as_they_are(tmp_path):
    """What stands in an input is an argument, and no part of a script."""
    job = Job(
        tmp_path,
        target="py:target:held $(touch spoilt)",
        arguments="--seed 7 --json 'my report.json'",
        baseline="`touch spoilt`",
        fail_on="note",
        **ASKED,
    )
    (tmp_path / "capfuzz").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > words\n')
    (tmp_path / "capfuzz").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{HERE}{os.pathsep}{os.environ['PATH']}"
    job.run("Attack", environment={"PATH": path})
    words = (tmp_path / "words").read_text().splitlines()
    command, reports, rest = words[0], words[1:5], words[5:]
    assert ["attack", "--sarif", "--markdown"] == [command, *reports[::2]]
    assert [
        *("--as", "path", "--profile", "quick", "--baseline", "`touch spoilt`"),
        *("--fail-on", "note", "--seed", "7", "--json", "my report.json"),
        *("--", "py:target:held $(touch spoilt)"),
    ] == rest
    assert not (tmp_path / "spoilt").exists()


def test_arguments_that_cannot_be_read_fail_the_job(tmp_path):
    """An option that is dropped in silence may be the one that fails the job."""
    job = Job(tmp_path, target="py:target:held", arguments="--fail-on 'note", **ASKED)
    assert 0 != job.run("Attack").returncode


def test_settings_of_the_project_hold_where_no_input_is_given(tmp_path):
    """Whoever has a [tool.capfuzz] says its target once."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.capfuzz]\ntarget = "py:target:broken"\nas = "path"\nprofile = "quick"\n'
    )
    job = Job(tmp_path)
    job.run("Attack")
    assert "1" == job.outputs["status"]


@pytest.mark.slow
def test_the_action_installs_itself(tmp_path):
    """Pinned to a commit, the action runs that commit's capfuzz; so its folder is what is installed."""
    files = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    for name in filter(None, files):
        copy = tmp_path / "action" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    fresh = tmp_path / "fresh"
    subprocess.run([sys.executable, "-m", "venv", fresh], check=True)
    path = f"{fresh}/bin{os.pathsep}{os.environ['PATH']}"
    job = Job(tmp_path, target="py:target:broken", **ASKED)
    installed = job.run(
        "Install capfuzz", action=str(tmp_path / "action"), environment={"PATH": path}
    )
    assert 0 == installed.returncode, installed.stderr
    assert (fresh / "bin" / "capfuzz").exists()
    job.run("Attack", environment={"PATH": path})
    assert "1" == job.outputs["status"]


def test_other_actions_are_pinned_to_commits():
    """A tag can be moved to other code, which then runs with the job's rights."""
    text = (ROOT / "action.yml").read_text()
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert [] == [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", one)]

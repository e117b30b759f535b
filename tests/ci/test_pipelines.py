"""If these fail, a file that other people's pipelines read is not what their tools expect."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
HERE = Path(sys.executable).parent
README = (ROOT / "README.md").read_text()
SCHEMAS = {
    "vendor.github-actions": "action.yml",
    "vendor.gitlab-ci": ".gitlab/capfuzz.yml",
}


def checked(schema, file):
    """Return how a check of a file by a schema ended."""
    return subprocess.run(
        [HERE / "check-jsonschema", "--builtin-schema", schema, file],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("schema", "file"), SCHEMAS.items(), ids=SCHEMAS)
def test_each_file_keeps_to_the_schema_of_its_reader(schema, file):
    """A key that is not known is passed over by its reader, and what it says with it."""
    result = checked(schema, file)
    assert 0 == result.returncode, result.stdout


@pytest.mark.parametrize(
    ("schema", "start"), [("vendor.github-workflows", "on:"), ("vendor.gitlab-ci", "include:")]
)
def test_what_the_readme_says_can_be_pasted(tmp_path, schema, start):
    """People paste what a README says."""
    blocks = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    [block] = [one for one in blocks if f"\n{start}" in f"\n{one}"]
    (tmp_path / "pasted.yml").write_text(block)
    result = checked(schema, tmp_path / "pasted.yml")
    assert 0 == result.returncode, result.stdout


def test_the_gitlab_job_runs_and_leaves_its_reports(tmp_path):
    """The lines of the job are run as they stand; a report that is not written is not shown."""
    job = YAML(typ="safe").load(ROOT / ".gitlab/capfuzz.yml")[".capfuzz"]
    (tmp_path / "target.py").write_text(
        "import os\ndef f(root, path): return os.path.join(root, path)\n"
    )
    result = subprocess.run(
        ["bash", "-e", "-c", "\n".join(job["script"])],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": f"{HERE}{os.pathsep}{os.environ['PATH']}",
            "CAPFUZZ_TARGET": "py:target:f",
            "CAPFUZZ_AS": "path",
            "CAPFUZZ_PROFILE": "quick",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert 1 == result.returncode, result.stderr
    wanted = {*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]}
    assert wanted <= {file.name for file in tmp_path.iterdir()}


@pytest.fixture
def pre_commit(tmp_path):
    """Return a function that tries a hook of this repository in an empty one."""
    project = tmp_path / "project"
    project.mkdir()
    hooks = tmp_path / "hooks"
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "cache"), "SKIP": ""}
    # A copy, so that what is not committed is tried too, and nothing is written here.
    shutil.copytree(
        ROOT, hooks, ignore=shutil.ignore_patterns(".git", ".venv*", "build", "*.egg-info")
    )
    commit = (
        "git init -q && git add -A && git -c user.name=x -c user.email=x@x commit -qm x --no-verify"
    )
    subprocess.run(["bash", "-ec", commit], cwd=hooks, check=True)

    def run(hook, **files):
        for name, text in files.items():
            (project / name.replace("_toml", ".toml").replace("_py", ".py")).write_text(text)
        subprocess.run(["bash", "-ec", "git init -q && git add -A"], cwd=project, check=True)
        return subprocess.run(
            [HERE / "pre-commit", "try-repo", hooks, hook, "--all-files", "--verbose"],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.slow
def test_the_hook_for_grants_looks_into_grants_alone(pre_commit):
    """It must find the file, and leave other TOML files to others."""
    held = pre_commit("capfuzz-lint-grant", GRANT_toml='fs_read = ["/work"]', other_toml="x = 1")
    assert 0 == held.returncode, held.stdout + held.stderr
    assert "GRANT.toml: 3 notes" in held.stdout
    assert "other.toml" not in held.stdout
    broken = pre_commit("capfuzz-lint-grant", GRANT_toml='fs_read = ["/"]')
    assert 1 == broken.returncode
    assert "GRANT.toml:1: error CL201 whole-tree" in broken.stdout


@pytest.mark.slow
def test_the_hook_that_attacks_takes_the_project_s_settings(pre_commit):
    """It must import the project's own target, and fail where that does not hold."""
    settings = '[tool.capfuzz]\ntarget = "py:target:f"\nas = "path"\n'
    result = pre_commit(
        "capfuzz",
        pyproject_toml=settings,
        target_py="import os\ndef f(root, path): return os.path.join(root, path)\n",
    )
    assert 1 == result.returncode
    assert "broken: " in result.stdout
    assert "py:target:f" in result.stdout


def test_the_hooks_are_a_manifest():
    """pre-commit refuses the whole repository for one wrong key."""
    result = subprocess.run(
        [HERE / "pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == result.returncode, result.stdout

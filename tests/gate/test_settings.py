"""Settings: flags come before the environment, that before the file; typos are told."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from capfuzz.gate.cli import cli
from capfuzz.gate.report.formats import FORMATS
from capfuzz.gate.settings import settings_of

FAULT = "py:capfuzz.targets.broken.session:links_followed"
PATH = "py:target:join"
JOIN = """
import os
def join(root, path): return os.path.join(root, path)
"""


@pytest.fixture
def attacked(run, tmp_path):
    """Return a function that attacks under a section and words; it returns the JSON report."""

    def attack(section, *words, **environment):
        (tmp_path / "pyproject.toml").write_text(f"[tool.capfuzz]\n{section}")
        done = run("attack", "--json=r.json", *words, **environment)
        assert done.returncode in {0, 1}, done.stderr
        return json.loads((tmp_path / "r.json").read_text())

    return attack


SECTION = f'target = "{FAULT}"\nprofile = "quick"\nfamily = ["path-links"]\nseed = 3\n'


@pytest.mark.parametrize(
    ("words", "environment", "seed"),
    [
        ((), {}, 3),
        ((), {"CAPFUZZ_SEED": "4"}, 4),
        (("--seed=5",), {"CAPFUZZ_SEED": "4"}, 5),
        (("--seed=5",), {}, 5),
    ],
)
def test_flags_come_before_the_environment_and_that_before_the_file(
    words, environment, seed, attacked
):
    """A person who tries something out would get what CI or a colleague has set."""
    told = attacked(SECTION, *words, **environment)
    assert (FAULT, "quick", ["path-links"]) == (
        told["target"]["spec"],
        told["profile"],
        told["families"],
    )
    assert told["seed"] == seed


def test_the_environment_names_several_and_the_target(attacked):
    """CI could not narrow a job down without a flag in every command."""
    told = attacked(
        SECTION, CAPFUZZ_FAMILY="tool-names path-links", CAPFUZZ_TARGET="engine", CAPFUZZ_SEED="0"
    )
    assert (told["target"]["spec"], told["families"]) == ("engine", ["tool-names", "path-links"])


def test_what_describes_the_target_is_not_said_of_another(attacked, target):
    """`capfuzz attack engine` would ask the reference engine as a function of paths."""
    target(JOIN)
    section = f'target = "{PATH}"\nas = "path"\nfollows-links = true\nprofile = "quick"\n'
    assert attacked(section)["target"] == {"spec": PATH, "surface": "path"}
    told = attacked(section, "engine", "--family=tool-names")
    assert (told["target"]["surface"], told["profile"]) == ("session", "quick")
    without = 'as = "path"\nprofile = "quick"\nfamily = ["path-outside"]\n'
    assert attacked(without, PATH)["target"]["surface"] == "path"


def test_a_finding_is_replayed_on_the_configured_target(attacked, run):
    """The replay of a finding of the project would be tried on the reference engine."""
    (name,) = (one["id"] for one in attacked(SECTION)["findings"])
    assert run("replay", f"r.json#{name}").returncode == 1
    assert run("replay", f"r.json#{name}", "engine").returncode == 0


FAULTY = {
    'familys = ["x"]': "[tool.capfuzz] has no key 'familys'; did you mean family?",
    'seed = "a"': "[tool.capfuzz] seed must be a whole number, not 'a'",
    "seed = true": "[tool.capfuzz] seed must be a whole number, not True",
    "follows-links = 1": "[tool.capfuzz] follows-links must be true or false, not 1",
    'profile = "quik"': "[tool.capfuzz] profile: 'quik' is not one of 'quick', ",
    'dialect = "posix"': "[tool.capfuzz] dialect must be a list of strings, not 'posix'",
    "family = [3]": "[tool.capfuzz] family must be a list of strings, not [3]",
    "unpack-limit = -1": "[tool.capfuzz] unpack-limit: -1 is not in the range",
    "op-timeout = true": "[tool.capfuzz] op-timeout must be a number, not True",
    'public = ["x"]': "[tool.capfuzz] public: 'x' does not appear to be",
    "target = 3": "[tool.capfuzz] target must be a string, not 3",
    'json = "r.json"': "[tool.capfuzz] has no key 'json'; known: allow-host, as, ",
    "oops": "not TOML: ",
}


@pytest.mark.parametrize(("section", "said"), FAULTY.items(), ids=FAULTY)
def test_a_faulty_section_is_told_with_file_key_and_rule(section, said, run, tmp_path):
    """A typo would be passed over, and another campaign run than the team believes."""
    (tmp_path / "pyproject.toml").write_text(f"[tool.capfuzz]\n{section}\n")
    done = run("attack", "engine")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: pyproject.toml: {said}")
    assert run("attack", "--help").returncode == 0


@pytest.mark.parametrize("text", ["", "[tool]\n", "[tool.other]\nx = 1\n", "tool = 3\n"])
def test_a_file_without_the_section_changes_nothing(text, run, tmp_path):
    """A project that does not use the section could not attack anything."""
    (tmp_path / "pyproject.toml").write_text(text)
    done = run("attack", "--family=tool-names", "--profile=quick")
    assert (done.returncode, "engine (session)" in done.stdout) == (0, True)


def test_every_option_of_an_attack_is_a_setting_but_for_reports():
    """A new option could not be said in the file, and nobody would notice."""
    attack = cli.commands["attack"]
    rest = {one.name for one in attack.params} - {one.name for one in settings_of(attack).values()}
    assert rest == {"debug", *FORMATS}


@pytest.mark.parametrize(
    ("section", "environment", "told"),
    [
        ('[tool.capfuz]\ntarget = "py:my:Box"', {}, "did you mean [tool.capfuzz]?"),
        ("", {"CAPFUZZ_PROFIL": "quick"}, "did you mean CAPFUZZ_PROFILE?"),
    ],
)
def test_a_slip_in_a_name_of_ours_is_told_and_nothing_runs(
    section, environment, told, run, tmp_path
):
    """A gate would pass by attacking the engine, or with other settings than were meant."""
    (tmp_path / "pyproject.toml").write_text(section)
    done = run("attack", "--family=path-siblings", **environment)
    assert (2, True, "") == (done.returncode, told in done.stderr, done.stdout)


def test_it_is_said_where_nobody_named_a_target(run, tmp_path):
    """A gate that attacks the engine by accident would look like one that attacks a sandbox."""
    said = "this was about the reference engine"
    words = ("attack", "--family=path-siblings", "--profile=quick")
    assert said in run(*words).stderr
    assert said not in run(*words, "engine").stderr
    (tmp_path / "pyproject.toml").write_text('[tool.capfuzz]\ntarget = "engine"\n')
    assert said not in run(*words).stderr


@pytest.mark.parametrize("words", [("corpus", "list"), ("--help",), ("targets",)])
def test_a_full_disk_is_told_in_one_line(words):
    """A traceback would stand where a person looks for what to do."""
    program = Path(sys.executable).with_name("capfuzz")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [program, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    told = "Error: standard output: cannot be written: No space left on device\n"
    assert (2, told) == (done.returncode, done.stderr)

"""Help and completion: every command shows what to type, and a shell knows the rest."""

import json

import click
import pytest
from capfuzz.attacks.vectors import load
from capfuzz.gate.cli import cli
from capfuzz.gate.offers import families


def commands(command=cli, name="capfuzz"):
    """Yield every command by its full name."""
    yield name, command
    if isinstance(command, click.Group):
        for part, inner in command.commands.items():
            yield from commands(inner, f"{name} {part}")


ALL = dict(commands())


@pytest.mark.parametrize(("name", "command"), tuple(ALL.items()), ids=ALL)
def test_every_command_has_help_with_examples_that_it_would_take(name, command):
    """A newcomer would not know what to type, or type an example in vain."""
    assert command.help
    head, *examples = command.epilog.splitlines()[1:]
    assert head == "Examples:"
    assert examples
    assert any(line.strip().lstrip("'").startswith(("capfuzz", "eval")) for line in examples)
    assert "-h" in command.context_settings["help_option_names"]
    for one in command.params:
        if isinstance(one, click.Option):
            assert one.help, f"{name} {one.name}"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("attac",), "No such command 'attac'. Did you mean 'attack'?"),
        (("baseline", "updat"), "No such command 'updat'. Did you mean 'update'?"),
        (("attack", "--profil", "quick"), "--profile"),
        (("attack", "--family", "path-link"), "did you mean path-links?"),
    ],
)
def test_a_typo_names_the_nearest(words, said, run):
    """A typo would cost a look into the manual."""
    done = run(*words)
    assert done.returncode == 2
    assert said in done.stderr


def completed(run, typed):
    """Return what bash is offered for the last of the words that were typed."""
    words = typed.split(" ")
    done = run(_CAPFUZZ_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(len(words) - 1))
    return [line.partition(",")[2] for line in done.stdout.split()]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("capfuzz att", ["attack"]),
        ("capfuzz attack --prof", ["--profile"]),
        ("capfuzz attack --profile q", ["quick"]),
        ("capfuzz attack --family path-l", ["path-lengths", "path-links"]),
        ("capfuzz corpus export --family gener", ["generated"]),
        ("capfuzz replay r.json#CF-0", ["r.json#CF-0123456789"]),
        ("capfuzz replay none.json#", []),
        ("capfuzz render GRANT.toml --to kub", ["kubernetes"]),
        ("capfuzz baseline update b.toml --from r.json --only CF", ["CF-0123456789"]),
    ],
)
def test_a_shell_completes(typed, offered, run, tmp_path):
    """A person would type ten hexadecimal digits."""
    write_report(tmp_path / "r.json")
    assert offered == completed(run, typed)


def write_report(path):
    """Write the report of an attack in which one finding is of a known id."""
    from capfuzz.gate.events import Report
    from capfuzz.gate.report.as_json import to_dict

    report = to_dict(Report("engine", "session", 0, "quick", "broken", {}, {}, (), 0))
    finding = {
        **dict.fromkeys(("invariant", "family", "technique", "observed", "expected", "cwe"), ""),
        **dict.fromkeys(("replay", "vector", "group", "bug", "effect"), ""),
        "id": "CF-0123456789",
        "severity": "error",
        "grant": {},
        "hits": 1,
        **dict.fromkeys(("ops", "refs", "seen", "steps"), ()),
    }
    path.write_text(json.dumps({**report, "findings": [finding]}))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_calls_back(shell, run):
    """What a person puts into their shell's start file would do nothing."""
    done = run("completion", shell)
    assert done.returncode == 0
    assert f"_CAPFUZZ_COMPLETE={shell}_complete" in done.stdout


def test_the_families_that_are_offered_are_those_that_there_are():
    """A shell would offer a family that is refused, or hide one."""
    there = {one.case.family for one in load()} | {"generated"}
    assert there == set(families(None, None, ""))

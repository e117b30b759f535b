"""`capfuzz init`: a section and a test, written once, whole, and for a target that can be loaded."""

import os
import pty
import subprocess
import tomllib

import pytest
from capfuzz.gate.errors import UsageError
from capfuzz.gate.init import extended

MAKE = """
from capfuzz.engine import Sandbox

def make(caps, world):
    return Sandbox(caps, vfs=world.vfs, net=world.net, tools=world.tools, clock=world.clock)

def join(root, path):
    return None
"""
WORDS = ("init", "--target", "py:target:make")


def test_what_was_said_is_written_and_all_else_stays(run, target, tmp_path):
    """A project's own settings would be lost, or those of the attack be others."""
    target(MAKE)
    before = b'# mine\r\n[project]\r\nname = "x"   # too'
    (tmp_path / "pyproject.toml").write_bytes(before)
    (tmp_path / "tests").mkdir()
    words = ("--as", "path", "--op-timeout", "3", "--dialect", "posix", "--follows-links")
    done = run("init", "--target", "py:target:join", *words)
    assert (done.returncode, done.stderr) == (0, "")
    after = (tmp_path / "pyproject.toml").read_bytes()
    assert after.startswith(before + b"\r\n\r\n[tool.capfuzz]\r\n")
    assert tomllib.loads(after.decode())["tool"]["capfuzz"] == {
        "target": "py:target:join",
        "as": "path",
        "op-timeout": 3.0,
        "dialect": ["posix"],
        "follows-links": True,
    }
    test = (tmp_path / "tests" / "test_capfuzz.py").read_text()
    assert len(test.splitlines()) == 5
    assert "capfuzz_cell.check()" in test
    for step in ("tests/test_capfuzz.py", "  pytest ", "  capfuzz attack ", "baseline update"):
        assert step in done.stdout


REFUSED = {
    "no target": (("init",), {}, "--target: name what is to be attacked"),
    "not there": (
        ("init", "--target", "py:nowhere:make"),
        {},
        "py:nowhere:make: cannot import nowhere: ModuleNotFoundError",
    ),
    "for another surface": (
        (*WORDS, "--root", "."),
        {},
        "py:target:make: --root is for path targets; add --as path",
    ),
    "a section": (
        WORDS,
        {"pyproject.toml": '[tool.capfuzz]\ntarget = "engine"\n'},
        "pyproject.toml: has [tool.capfuzz] already; edit it there",
    ),
    "a test": (
        WORDS,
        {"test_capfuzz.py": "mine"},
        "test_capfuzz.py: is there already; name another file with --test-file",
    ),
    "no folder": (
        (*WORDS, "--test-file", "none/test_it.py"),
        {},
        "none/test_it.py: cannot write there: none is not a folder",
    ),
    "no TOML": (WORDS, {"pyproject.toml": "[tool"}, "pyproject.toml: not TOML: "),
    "inline": (
        WORDS,
        {"pyproject.toml": "tool = {x = 1}\n"},
        'pyproject.toml: cannot be added to; write by hand: target = "py:target:make"',
    ),
}


@pytest.mark.parametrize(("words", "files", "said"), REFUSED.values(), ids=REFUSED)
def test_where_it_cannot_be_done_nothing_is_written(words, files, said, run, target, tmp_path):
    """A newcomer's file would be overwritten, or their set-up be half one that never works."""
    target(MAKE)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    done = run(*words)
    assert done.returncode == 2
    assert f"Error: {said}" in done.stderr
    assert "Traceback" not in done.stderr
    (tmp_path / "target.py").unlink()
    left = {one.name: one.read_text() for one in tmp_path.iterdir() if one.is_file()}
    assert left == files


@pytest.mark.parametrize("hostile", ['py:a"b\\:c', "mcp:x 'y' \u00e9 \u2028", "py:a:\x7f"])
def test_a_hostile_spec_is_written_as_it_is(hostile):
    """A quotation mark in a command would end the string, and begin another setting."""
    settings = {"target": hostile}
    assert tomllib.loads(extended("", settings))["tool"]["capfuzz"] == settings


def test_a_file_in_which_the_section_would_mean_something_else_is_left_alone():
    """What comes last in a file would swallow the section."""
    with pytest.raises(UsageError, match="cannot be added to"):
        extended('x = """', {"target": "engine"})


def asked(folder, answers):
    """Return the exit status of an init at a terminal, and what it showed."""
    from .conftest import CAPFUZZ

    mine, theirs = pty.openpty()
    process = subprocess.Popen(
        [CAPFUZZ, "init"], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.write(mine, "".join(f"{one}\n" for one in answers).encode())
    shown = b""
    while True:
        try:
            shown += os.read(mine, 4096)
        except OSError:  # how the end of a terminal is told
            break
    os.close(mine)
    return process.wait(timeout=60), shown.decode()


def test_a_person_is_asked(target, tmp_path):
    """Whoever knows no flag yet would get no further."""
    target(MAKE)
    status, shown = asked(tmp_path, ["py:target:join", "path", "n"])
    assert (status, (tmp_path / "pyproject.toml").exists()) == (130, False), shown
    status, shown = asked(tmp_path, ["py:target:join", "path", "y"])
    assert status == 0, shown
    written = tomllib.loads((tmp_path / "pyproject.toml").read_text())["tool"]["capfuzz"]
    assert written == {"target": "py:target:join", "as": "path"}

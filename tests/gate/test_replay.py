"""A replay line shows its finding again in any shell, with the options of the attack and no others."""

import json
import os
import subprocess

import pytest

from .conftest import CAPFUZZ

TARGETS = """
import json, os, sys, time
from pathlib import Path
from urllib.parse import unquote, urlsplit

from capfuzz.targets.right.serving import rest_of, serve

SITE = os.path.abspath("above/my site")


def joined(root, path):
    return os.path.join(root, path)


def no_dots(root, path):
    return ".." not in path


def served(path):
    return os.path.join(SITE, path)


def sleeps(root, path):
    if path.startswith("/"):
        time.sleep(3)
        return None
    return os.path.join(root, path)


def ends_well(url):
    return urlsplit(url).hostname.endswith("ok.test")


def is_home(text):
    return "127.0.0.1" in text


def not_home(text):
    return "127.0.0.1" not in text and "localhost" not in text


def far_away(text):
    return "8.8.8.8" in text


def unpacked(archive, dest):
    import tarfile

    with tarfile.open(archive) as opened:
        opened.extractall(dest)


def evaluated(source):
    return eval(source)


def private_by_text(root, prefix, listener):
    base = os.path.realpath(root)

    def answer(target):
        rest = rest_of(target, prefix)
        place = os.path.realpath(f"{base}/{unquote(rest)}")
        inside = place.startswith(base + "/") and not rest.startswith("admin/")
        return Path(place).read_bytes() if inside else None

    serve(listener, answer)


def look(root):
    tool = {"name": "look", "inputSchema": {"properties": {"at": {"type": "string"}}}}
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params", {})
        if method == "initialize":
            version = params["protocolVersion"]
            result = {"protocolVersion": version, "capabilities": {"tools": {}},
                      "serverInfo": {"name": "look", "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [tool]}
        elif method == "tools/call":
            try:
                text = Path(root, params["arguments"]["at"]).read_text()
            except (OSError, ValueError):
                text = "no"
            result = {"content": [{"type": "text", "text": text}]}
        else:
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
TOOLS = """
[[read]]
tool = "look"
path = "at"
"""
PATH, SSRF, EVAL = ("--as", "path"), ("--as", "ssrf"), ("--as", "eval")
# What is attacked, the family and the options that must come back on the replay line.
ASKED = {
    "dialect": ("no_dots", PATH, "path-encoding", "--dialect decodes-once --dialect windows"),
    "root": ("served", PATH, "path-traversal", "--root 'above/my site'"),
    "follows links": ("joined", PATH, "path-traversal", "--follows-links"),
    "op timeout": ("sleeps", PATH, "path-outside", "--op-timeout 0.3"),
    "allow host": ("ends_well", ("--as", "host"), "url-names", "--allow-host ok.test"),
    "invert": ("is_home", SSRF, "ssrf-ranges", "--invert"),
    "takes": ("not_home", SSRF, "ssrf-ranges", "--takes host"),
    "public": ("not_home", SSRF, "ssrf-ranges", "--public 192.168.0.0/16 --public 224.0.0.0/4"),
    "unpack limit": ("unpacked", ("--as", "archive"), "unpack-headers", "--unpack-limit 100000"),
    "exposes": ("evaluated", EVAL, "eval-builtins", "--language python --exposes environment"),
    "private": ("private_by_text", ("--as", "http"), "http-private", "--private admin"),
    "tool map": ("look", ("--as", "mcp"), "path-outside", "--tool-map 'my tools.toml'"),
}


@pytest.fixture
def shell(tmp_path):
    """Return a function that runs a line in a shell, where the targets are."""
    (tmp_path / "target.py").write_text(TARGETS)
    (tmp_path / "my tools.toml").write_text(TOOLS)
    (tmp_path / "above" / "my site").mkdir(parents=True)
    path = os.pathsep.join([str(CAPFUZZ.parent), os.environ["PATH"]])

    def run(line):
        return subprocess.run(
            ["sh", "-c", line],
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "COLUMNS": "80"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


def attacked(shell, name, surface, family, options):
    """Attack a target; return the error findings of the report and what the terminal showed."""
    asked = " ".join([f"py:target:{name}", *surface, "--family", family, options])
    done = shell(f"capfuzz attack {asked} --profile quick --json r.json")
    assert done.returncode == 1, done.stdout + done.stderr
    report = json.loads(shell("cat r.json").stdout)
    return [one for one in report["findings"] if one["severity"] == "error"], done.stdout


@pytest.mark.parametrize("named", ASKED)
def test_a_printed_line_shows_the_finding_again(named, shell):
    """Whoever pastes the line would ask the target something else, and see that it holds."""
    name, surface, family, options = ASKED[named]
    findings, shown = attacked(shell, name, surface, family, options)
    finding = findings[0]
    assert finding["replay"] in shown.splitlines()
    assert finding["replay"].endswith(f" py:target:{name} {options}")
    again = shell(finding["replay"])
    assert (1, True) == (again.returncode, f"{finding['id']}: " in again.stdout)


def test_the_id_of_a_finding_alone_says_what_is_missing(shell):
    """Whoever copies an id out of a report would not know what to add."""
    done = shell("capfuzz replay CF-0123456789")
    assert 2 == done.returncode
    assert "Error: CF-0123456789: name the report that has it" in done.stderr


def test_a_line_says_no_more_than_was_asked(shell):
    """A line would be longer than a person wants to read, and pin what is left to the suite."""
    findings, _ = attacked(shell, "joined", PATH, "path-traversal", "")
    assert findings[0]["replay"].endswith("}' py:target:joined")


def test_a_report_knows_with_which_options_its_target_was_attacked(shell):
    """A finding would need the options again, by heart."""
    findings, _ = attacked(shell, "is_home", SSRF, "ssrf-ranges", "--invert")
    id_ = findings[0]["id"]
    again = shell(f"capfuzz replay 'r.json#{id_}' py:target:is_home")
    assert (1, True) == (again.returncode, f"{id_}: " in again.stdout)


def test_what_is_given_goes_before_what_a_report_knows(shell):
    """Nobody could try a finding in another way than it was found."""
    findings, _ = attacked(
        shell, "ends_well", ("--as", "host"), "url-names", "--allow-host ok.test"
    )
    replay = f"capfuzz replay 'r.json#{findings[0]['id']}' py:target:ends_well"
    lines = (replay, f"{replay} --allow-host far.test")
    assert [1, 0] == [shell(line).returncode for line in lines]


def test_options_of_one_target_are_not_those_of_another(shell):
    """Another target would be asked in a way that nobody has said of it."""
    findings, _ = attacked(shell, "is_home", SSRF, "ssrf-ranges", "--invert")
    replay = f"capfuzz replay 'r.json#{findings[0]['id']}'"
    others = [shell(f"{replay} {spec}") for spec in ("py:target:far_away", "engine")]
    assert [0, 2] == [done.returncode for done in others]


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("py:target:joined", "--private x"),
        ("py:target:joined", "--tool-map x"),
        ("py:target:joined", "--root x"),
        ("py:target:joined --as path", "--invert"),
        ("engine", "--dialect posix"),
        ("mcp:true", "--root x"),
        ("http://127.0.0.1:9/ --root .", "--tool-map x"),
    ],
)
@pytest.mark.parametrize("command", ["attack", "replay '{}'"])
def test_an_option_without_a_use_is_refused_in_one_line(command, spec, options, shell):
    """An option would be dropped without a word, and the verdict be about something else."""
    done = shell(f"capfuzz {command} {spec} {options}")
    assert (2, "") == (done.returncode, done.stdout)
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {spec.split()[0]}: {options.split()[0]} is for ")

"""If these fail, a run is called contained that was not, or a suggested grant is not the tightest."""

import json
import tomllib

import pytest
from capfuzz.engine import Capabilities
from capfuzz.gate.grants.linter import fails, lint
from capfuzz.gate.grants.rules import ERROR
from capfuzz.gate.grants.tightest import tightest
from capfuzz.gate.grants.transcript import Call
from capfuzz.gate.grants.trial import Asked, tried
from capfuzz.strategies import ops
from capfuzz.targets.grant_file import LISTS, read
from hypothesis import given
from hypothesis import strategies as st

RUN = [
    {"op": ["fs_read", "/work/a.txt"], "output": "12345", "tick": 10},
    {"op": ["fs_write", "/work/out/b.txt", "x"], "tick": 12},
    {"op": ["net_fetch", "API.internal", "/status"], "output": "ok", "tick": 13},
    {"op": ["tool", "summarize", "x"], "output": "abc", "tick": 13},
]
GRANT = """
fs_read = ["/work/"]
fs_write = ["/work/out"]
net_hosts = ["api.internal"]
allowed_tools = ["summarize"]
max_ops = 4
max_output_bytes = 10
max_wall = 3
"""
# What is changed in the grant, and the decisions that it then gives.
NARROWED = {
    "nothing": ("", "", ["allowed"] * 4, 0),
    "reading": ('"/work/"', '"/workshop/"', ["refused", "allowed", "allowed", "allowed"], 1),
    "writing": ("/work/out", "/work/ou", ["allowed", "refused", "allowed", "allowed"], 1),
    "hosts": ("api.internal", "internal", ["allowed", "allowed", "refused", "allowed"], 1),
    "tools": ("summarize", "Summarize", ["allowed", "allowed", "allowed", "refused"], 1),
    "ops": ("max_ops = 4", "max_ops = 2", ["allowed", "allowed", "halted", "halted"], 1),
    "output": ("bytes = 10", "bytes = 9", ["allowed", "allowed", "allowed", "halted"], 1),
    "time": ("wall = 3", "wall = 2", ["allowed", "allowed", "halted", "halted"], 1),
}


@pytest.fixture
def replayed(run, tmp_path):
    """Return a function that replays lines with the command line."""

    def replay(lines, *arguments, grant=GRANT):
        (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, lines)))
        (tmp_path / "GRANT.toml").write_text(grant)
        return run("replay", "run.jsonl", *arguments)

    return replay


@pytest.mark.parametrize(("old", "new", "decisions", "status"), NARROWED.values(), ids=NARROWED)
def test_each_part_of_a_grant_decides(replayed, old, new, decisions, status):
    """A limit that the replay does not keep would be trusted in vain."""
    grant = GRANT.replace(old, new) if old else GRANT
    result = replayed(RUN, "--grant", "GRANT.toml", "--json", "-", grant=grant)
    assert decisions == [one["decision"] for one in json.loads(result.stdout)["decisions"]]
    assert status == result.returncode


def test_the_table_says_what_was_refused_and_why(replayed):
    """A person has to see which call, which op and which rule."""
    lines = [*RUN[:2], ["fs_read", "/etc/passwd"]]
    result = replayed(lines, "--grant", "GRANT.toml")
    assert 1 == result.returncode
    row = next(line for line in result.stdout.splitlines() if "/etc/passwd" in line)
    assert "refused" in row
    assert "fs_read_denied: the path is outside every fs_read prefix" in row
    assert (
        "not contained: 3 calls under GRANT.toml: 2 allowed, 1 refused, 0 halted" in result.stdout
    )


@pytest.mark.parametrize(
    ("marks", "status"),
    [
        ((), 1),
        (("--except", "2"), 0),
        (("--except", "1-2"), 1),
        (("--legitimate", "1,3"), 0),
        (("--legitimate", "1-3"), 1),
    ],
)
def test_calls_that_should_be_refused_are_told_apart(replayed, marks, status):
    """Contained is a run whose bad calls are refused and whose honest ones are not."""
    lines = [RUN[0], ["fs_read", "/etc/passwd"], RUN[2]]
    assert status == replayed(lines, "--grant", "GRANT.toml", *marks).returncode


def test_what_was_not_recorded_is_not_judged(replayed):
    """A budget of output holds nothing where no output is known."""
    result = replayed([["fs_read", "/work/a"]], "--grant", "GRANT.toml")
    assert "not judged: max_output_bytes, as no answer was recorded" in result.stdout
    assert "not judged: max_wall, as no ticks were recorded" in result.stdout
    full = replayed(RUN, "--grant", "GRANT.toml")
    assert "not judged" not in full.stdout


def test_a_suggestion_is_a_grant_file_and_nothing_else(replayed, run, tmp_path):
    """Standard output goes into GRANT.toml; what a person reads goes elsewhere."""
    result = replayed(RUN, "--suggest", "--grant", "GRANT.toml")
    assert {
        "fs_read": ["/work/a.txt"],
        "fs_write": ["/work/out/b.txt"],
        "net_hosts": ["api.internal"],
        "allowed_tools": ["summarize"],
        "max_ops": 4,
        "max_output_bytes": 10,
        "max_wall": 3,
    } == tomllib.loads(result.stdout)
    assert "contained: 4 calls" in result.stderr
    (tmp_path / "NEW.toml").write_text(result.stdout)
    assert 0 == run("lint", "NEW.toml").returncode
    assert 0 == run("replay", "run.jsonl", "--grant", "NEW.toml").returncode


def test_what_no_grant_should_allow_is_left_out_and_told(replayed):
    """A suggestion that grants the file system is worse than none."""
    lines = [
        ["fs_read", "/"],
        ["fs_read", "/work/../x"],
        ["net_fetch", "169.254.169.254", "/"],
        RUN[0],
    ]
    result = replayed(lines, "--suggest")
    assert 1 == result.returncode
    assert "# Left out: call 1: CL201 '/' is the whole file system" in result.stdout
    assert "# Left out: call 2: its path has a '..' segment" in result.stdout
    assert "# Left out: call 3: CL302 '169.254.169.254' serves the metadata" in result.stdout
    assert ["/work/a.txt"] == tomllib.loads(result.stdout)["fs_read"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run.jsonl"], "not JSON: Extra data"),
        (["run.jsonl"], "a recorded run needs --grant GRANT.toml or --suggest"),
        (["run.jsonl", "--except", "1"], "--except: is about a recorded run; add --grant"),
        (["run.jsonl", "engine", "--suggest"], "SPEC: is about a target"),
        (["run.jsonl", "--suggest", "--root", "x"], "--root: is about a target"),
        (["run.jsonl", "--suggest", "--except", "9"], "--except 9: the run has the calls 1 to 4"),
        (["run.jsonl", "--suggest", "--except", "b"], "--except b: write numbers of calls"),
        (
            ["run.jsonl", "--suggest", "--except", "1", "--legitimate", "1"],
            "say the one or the other, not both",
        ),
        (["run.jsonl", "--grant", "none.toml"], "none.toml: cannot be read: No such file"),
        (["none.jsonl", "--suggest"], "none.jsonl: cannot be read: No such file"),
        (["run.jsonl", "--suggest", "--tool-map", "x.toml"], "--tool-map x.toml: cannot be read"),
    ],
)
def test_what_cannot_be_judged_is_one_line_and_status_2(replayed, run, arguments, said):
    """A run that was not judged must not look contained."""
    replayed(RUN, "--suggest")
    result = run("replay", *arguments)
    assert 2 == result.returncode
    [line] = result.stderr.splitlines()
    assert said in line


def asked_of(*found, marked=()):
    """Return calls as they are asked, one op each."""
    return tuple(
        Asked(number, Call(number, op=op), (op,), number in marked)
        for number, op in enumerate(found, 1)
    )


@pytest.mark.parametrize(
    ("paths", "marked", "roots"),
    [
        (["/w/a"], (), ["/w/a"]),
        (["/w/a", "/w/b"], (), ["/w"]),
        (["/w/a", "/w/a"], (), ["/w/a"]),
        (["/w/a", "/w/b", "/w/c"], (3,), ["/w/a", "/w/b"]),
        (["/w/a/x", "/w/b/y"], (), ["/w/a/x", "/w/b/y"]),
        (["/w/a/x", "/w/a/y", "/w/b"], (), ["/w/a", "/w/b"]),
        (["/w/a", "/w/a/b"], (), ["/w/a"]),
        (["/a", "/b"], (), ["/a", "/b"]),
        (["/etc/a", "/etc/b"], (), ["/etc/a", "/etc/b"]),
        (["/home/me/a", "/home/me/b"], (), ["/home/me/a", "/home/me/b"]),
        (["/w//a", "/w/./a"], (), ["/w/a"]),
    ],
)
def test_roots_are_files_or_the_folder_of_several(paths, marked, roots):
    """Roots that grow with a run grant what nobody used; one for each file breaks with the next."""
    run = asked_of(*(("fs_read", path) for path in paths), marked=marked)
    assert roots == tomllib.loads(tightest(run, "run").text)["fs_read"]


_PLAIN = st.sampled_from(
    [
        ("fs_read", "/work/a"),
        ("fs_read", "/work/b"),
        ("fs_read", "/work/sub/c"),
        ("fs_read", "/work"),
        ("fs_read", "/etc/hosts"),
        ("fs_read", "/"),
        ("fs_write", "/work/out/a", "x"),
        ("fs_write", "/work/out/b", b"\xff"),
        ("fs_write", "/run/docker.sock", ""),
        ("net_fetch", "A.test.", "/"),
        ("net_fetch", "127.0.0.1", "/"),
        ("net_fetch", "a.test:80", "/"),
        ("tool", "summarize"),
        ("tool", 'a"\x7f\n\\'),
        ("tool", ""),
        ("fs_read",),
        (),
    ]
)
_HOSTILE = ops(Capabilities(("/work/",), ("/work/out",), ("a.test",), ("summarize",)))


@st.composite
def runs(draw):
    """Draw runs of plain and hostile ops, of one or two a call, some marked, some with output."""
    calls = draw(
        st.lists(st.lists(_PLAIN | _HOSTILE, min_size=1, max_size=2), min_size=1, max_size=12)
    )
    found = []
    for number, one in enumerate(calls, 1):
        size, tick = draw(st.none() | st.integers(0, 50)), draw(st.none() | st.integers(0, 50))
        call = Call(number, op=one[0], output=size, tick=tick)
        found.append(Asked(number, call, tuple(one), draw(st.integers(0, 3)) == 0))
    return tuple(found)


@given(runs())
def test_a_suggestion_passes_the_linter_and_allows_the_run(tmp_path_factory, run):
    """Whatever an agent did: the suggested grant allows what was honest, and is no error."""
    suggestion = tightest(run, "run")
    path = tmp_path_factory.getbasetemp() / "suggested.toml"
    path.write_text(suggestion.text, encoding="utf-8")
    file = read(str(path))
    assert not fails(lint(file), ERROR)
    for one in tried(run, file.grant()).judged:
        left = one.asked.marked or one.asked.number in suggestion.left_out
        told = f"Allowed all the same: call {one.asked.number}," in suggestion.text
        assert one.allowed == (not left or told)


def test_what_a_run_needed_and_should_not_have_is_told(replayed):
    """A grant that hands out keys would be taken over unseen."""
    result = replayed([["fs_read", "/home/ana/.ssh/id_rsa"]], "--suggest")
    said = "# Needed, but look at it: fs_read: CL204 '/home/ana/.ssh/id_rsa' lies at or below .ssh"
    assert said in result.stdout
    assert ["/home/ana/.ssh/id_rsa"] == tomllib.loads(result.stdout)["fs_read"]


@given(runs())
def test_a_suggestion_holds_no_entry_that_the_run_did_not_need(run):
    """The tightest grant refuses an honest call as soon as any of its entries is taken away."""
    suggestion = tightest(run, "run")
    values = tomllib.loads(suggestion.text)
    honest = {one.number for one in run if not one.marked} - suggestion.left_out.keys()
    for key in LISTS:
        for entry in values[key]:
            less = {**values, key: [one for one in values[key] if one != entry]}
            judged = tried(run, Capabilities(**less)).judged
            assert honest - {one.asked.number for one in judged if one.allowed}

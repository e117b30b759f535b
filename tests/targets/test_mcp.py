"""MCP targets: a process over stdio, judged by content and by the tree; nothing is left of it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.attacks.invariants import judge
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError
from capfuzz.targets.ground import Ground
from capfuzz.targets.mcp_calls import folder_of
from capfuzz.targets.mcp_forms import GRANT, Asked, adapted
from capfuzz.targets.mcp_names import NAME, Names
from capfuzz.targets.mcp_tools import discovered
from capfuzz.targets.planted import sweep
from capfuzz.targets.processes import MARK
from capfuzz.targets.spec import Options, load
from capfuzz.targets.tool_map import from_file

FILES = {
    "/work/data.txt": b"honest data",
    "/workshop/secret.txt": b"secret of the workshop",
    "/other/secret.txt": b"secret of other",
}

READS = Asked(frozenset({"fs_read"}))
BOTH = Asked(frozenset({"fs_read", "fs_write"}))


def case(*ops, links=(), grant=GRANT, source="", verdicts=()):
    """Return a case with these ops in a world with secrets beside the root."""
    world = WorldSpec(files=FILES, links=dict(links))
    return Case(grant, world, ops, ("climb",) * len(ops), "test", verdicts, source)


def own(name, **options):
    """Return the target of a shipped server."""
    return load(f"py:capfuzz.targets.{name}", Options(surface=Surface.MCP, **options))


def program(tmp_path, body):
    """Return a command that runs a server whose answers are made by ``body``."""
    file = tmp_path / "server.py"
    file.write_text(_HEAD + body)
    return f"mcp:{sys.executable} {file} {{root}}"


_HEAD = """
import json, os, sys, time
def say(**answer):
    print(json.dumps({"jsonrpc": "2.0", **answer}), flush=True)
def schema(*names):
    return {"type": "object", "properties": {n: {"type": "string"} for n in names}}
TOOLS = [{"name": "read_file", "inputSchema": schema("path")}]
def start(message):
    if message["method"] == "initialize":
        say(id=message["id"], result={"protocolVersion": "2024-11-05", "capabilities": {}})
        return True
    if message["method"] == "tools/list":
        say(id=message["id"], result={"tools": TOOLS})
        return True
    return "id" not in message
"""
_PLAIN = """
for line in sys.stdin:
    message = json.loads(line)
    if not start(message):
        answer(message)
"""


def seen(trace):
    """Return the effects of each op as pairs of kind and place."""
    return [[(one.kind, one.place) for one in step.effects] for step in trace.steps]


# ---------------------------------------------------------------- what is asked


def test_a_case_is_put_under_one_root():
    """A server with one list of folders would be blamed for a grant that it was never given."""
    grant = Capabilities(fs_read=("/work/",), fs_write=("/work/out/",), max_ops=1)
    made = adapted(
        case(("fs_read", "/work/x"), ("tool", "t"), ("fs_write", "/work/y", b"data"), grant=grant),
        BOTH,
        follows_links=False,
    )
    assert made.grant == GRANT
    assert made.ops == (("fs_read", "/work/x"), ("fs_write", "/work/y", b"data"))


@pytest.mark.parametrize(
    ("ops", "asked"),
    [
        ([("fs_write", "/work/x", "data")], READS),
        ([("fs_write", "/work/x", "data")], Asked(READS.told, frozenset({"fs_write"}))),
        ([("fs_read", "/work/../../x")], BOTH),
        ([("fs_write", "/work/x", b"\xff\xfe")], BOTH),
        ([("fs_write", "/work/" + "n" * 256, "data")], BOTH),
        ([["fs_read", "/work/x"]], BOTH),
        ([("tool", "x")], BOTH),
    ],
)
def test_what_cannot_be_asked_is_left_out(ops, asked):
    """An op would be counted that nobody tried, or reach beyond what is planted."""
    assert adapted(case(*ops), asked, follows_links=False) is None


def test_links_are_planted_unless_the_server_follows_them_by_design():
    """What is documented would be held against a server."""
    linked = case(("fs_read", "/work/l"), links={"/work/l": "/other"})
    assert adapted(linked, BOTH, follows_links=False) is not None
    assert adapted(linked, BOTH, follows_links=True) is None


# ---------------------------------------------------------------- tools


def tool(name, required=(), **properties):
    """Return a tool as ``tools/list`` has it."""
    shapes = {key: {"type": kind} for key, kind in properties.items()}
    schema = {"type": "object", "properties": shapes, "required": list(required)}
    return {"name": name, "inputSchema": schema}


def test_tools_are_told_by_name_and_input():
    """A door would be left untried, or a tool called that does something else."""
    doors = discovered(
        [
            tool("read_text_file", ["path"], path="string", head="number"),
            tool("read_multiple_files", ["paths"], paths="array"),
            tool("read_file", ["path"], path="string"),
            tool("write_file", ["path", "content"], path="string", content="string"),
            tool("create_directory", ["path"], path="string"),
            tool("read_graph"),
            tool("get_file_info", ["path"], path="string"),
            tool("read_chart", ["path", "axis"], path="string", axis="string"),
            tool("delete_file", ["path"], path="string"),
            {"name": "read_odd", "inputSchema": None},
            "nonsense",
        ]
    )
    assert ["read_file", "read_text_file", "read_multiple_files"] == [d.tool for d in doors.reading]
    assert doors.reading[2].arguments("/x") == {"paths": ["/x"]}
    assert [door.arguments("/x", "y") for door in doors.writing] == [{"path": "/x", "content": "y"}]


def test_usual_tools_are_known_where_no_input_is_told():
    """A server built with a library that tells no input could not be attacked."""
    bare = [{"name": name, "inputSchema": {}} for name in ("read_file", "write_file", "forget")]
    doors = discovered(bare)
    assert [["read_file"], ["write_file"]] == [
        [door.tool for door in kind] for kind in (doors.reading, doors.writing)
    ]
    assert doors.writing[0].arguments("/x", "y") == {"path": "/x", "content": "y"}


def test_a_file_names_tools_that_cannot_be_told(tmp_path):
    """A server with names of its own could not be attacked."""
    file = tmp_path / "tools.toml"
    file.write_text('[[read]]\ntool = "look"\npath = "at"\nfixed = {deep = true}\n')
    doors = from_file(str(file))
    assert doors.reading[0].arguments("/x") == {"at": "/x", "deep": True}


def test_other_doors_are_told_by_name_and_input():
    """A door that lists, moves or edits would be left untried, or one be called for another."""
    pairs = {"type": "array", "items": tool("x", oldText="string", newText="string")["inputSchema"]}
    edits = {"path": {"type": "string"}, "edits": pairs}
    doors = discovered(
        [
            tool("list_directory", ["path"], path="string"),
            tool("directoryTree", path="string", depth="number"),
            tool("list_allowed_directories"),
            tool("git_status", ["repo_path"], repo_path="string"),
            tool("search_files", ["path", "pattern"], path="string", pattern="string"),
            tool("move_file", ["source", "destination"], source="string", destination="string"),
            tool("rename", ["path", "new_name"], path="string", new_name="string"),
            tool("create_directory", ["path"], path="string"),
            tool("delete_file", ["path"], path="string", recursive="boolean"),
            {"name": "edit_file", "inputSchema": {"properties": edits, "required": [*edits]}},
        ]
    )
    assert (["directoryTree", "list_directory"], ["rename", "move_file"]) == (
        [door.tool for door in doors.listing],
        [door.tool for door in doors.moving],
    )
    assert {"path": "/x", "new_name": "/y"} == doors.moving[0].arguments("/x", "/y")
    assert ["edit_file", "delete_file", "create_directory"] == [one.tool for one in doors.editing]
    assert {"path": "/x", "edits": [{"oldText": "e", "newText": "edited"}]} == (
        doors.editing[0].arguments("/x", "y")
    )
    assert () == (*doors.reading, *doors.writing)


def test_a_file_names_doors_of_every_kind(tmp_path):
    """A door with a name of its own could not be attacked."""
    file = tmp_path / "tools.toml"
    file.write_text(
        "[[list]]\ntool='names'\npath='at'\n[[edit]]\ntool='burn'\npath='at'\n"
        "[[move]]\ntool='carry'\npath='at'\nto='by'\n"
    )
    doors = from_file(str(file))
    assert ["names", "carry", "burn"] == [
        kind[0].tool for kind in (doors.listing, doors.moving, doors.editing)
    ]
    assert {"at": "/x", "by": "/y"} == doors.moving[0].arguments("/x", "/y")
    assert {"at": "/x"} == doors.editing[0].arguments("/x", "text")


@pytest.mark.parametrize(
    "text",
    [
        "[[move]]\ntool='x'\npath='p'\n",
        "",
        "nonsense",
        "[[read]]\ntool = 'x'\n",
        "[other]\n",
        "[[write]]\ntool='x'\npath='p'\n",
    ],
)
def test_a_wrong_file_is_told(tmp_path, text):
    """A typo would leave a door untried."""
    file = tmp_path / "tools.toml"
    file.write_text(text)
    with pytest.raises(TargetError, match="--tool-map"):
        from_file(str(file))


# ---------------------------------------------------------------- what is judged


def test_a_secret_that_comes_back_is_an_escape(home):
    """The first of two known faults of a server of files would pass."""
    made = own("broken.mcp:mcp_prefix_without_boundary")
    try:
        trace = made.run(made.adapt(case(("fs_read", "/workshop/secret.txt"))))
    finally:
        made.close()
    assert [[("read", "/workshop/secret.txt")]] == seen(trace)
    assert ["confined"] == [one.invariant for one in judge(trace).breaches]
    assert [] == list(home.iterdir())


def test_a_write_beside_the_root_is_an_escape_whatever_is_said(home):
    """A server that writes and then says that it refused would pass."""
    made = own("broken.mcp:mcp_writes_unjudged")
    try:
        one = case(("fs_write", "/other/new.txt", "data"), ("fs_read", "/other/new.txt"))
        trace = made.run(made.adapt(one))
        again = made.run(made.adapt(case(("fs_read", "/work/data.txt"))))
    finally:
        made.close()
    assert [("write", "/other/new.txt")] == seen(trace)[0]
    assert [[("read", "/work/data.txt")]] == seen(again)


def test_what_was_written_is_known_when_it_is_read(home):
    """An honest server would seem to answer with nothing."""
    made = own("right.mcp:mcp_realpath")
    try:
        one = case(("fs_write", "/work/a/new.txt", "written"), ("fs_read", "/work/a/new.txt"))
        trace = made.run(made.adapt(one))
    finally:
        made.close()
    assert [[("write", "/work/a/new.txt")], [("read", "/work/a/new.txt")]] == seen(trace)
    assert judge(trace).breaches == ()


def test_links_of_the_world_are_real(home):
    """The second of two known faults of a server of files would pass."""
    linked = case(("fs_read", "/work/l"), links={"/work/l": "/other/secret.txt"})
    found = {}
    for name in ("broken.mcp:mcp_parent_of_refused", "right.mcp:mcp_realpath"):
        made = own(name)
        try:
            found[name] = seen(made.run(made.adapt(linked)))
        finally:
            made.close()
    assert [[[("read", "/other/secret.txt")]], [[]]] == list(found.values())


def test_the_ground_is_the_same_before_every_case():
    """A case would be judged by what an earlier one has written, and runs would differ."""
    ground = Ground("/work")
    try:
        world = WorldSpec(files=FILES, links={"/work/l": "/other"})
        ground.become(world, frozenset({"/work/new"}))
        Path(ground.root, "data.txt").write_text("changed")
        Path(ground.floor, "other", "extra").write_text("x")
        assert ["/other/extra", "/work/data.txt"] == ground.changes()
        inode = os.stat(ground.root).st_ino
        ground.become(world, frozenset({"/work/new"}))
        assert Path(ground.root, "data.txt").read_bytes() == b"honest data"
        assert not Path(ground.floor, "other", "extra").exists()
        assert os.readlink(f"{ground.root}/l") == f"{ground.floor}/other"
        assert (inode, []) == (os.stat(ground.root).st_ino, ground.changes())
    finally:
        ground.close()


# ---------------------------------------------------------------- the other doors


def outcome(name, *ops, **more):
    """Return what a shipped server lets out, and the invariants that it breaks."""
    made = own(name)
    try:
        trace = made.run(made.adapt(case(*ops, **more)))
    finally:
        made.close()
    return seen(trace), [one.invariant for one in judge(trace).breaches]


SECRET, OTHER = "/workshop/secret.txt", "/other/secret.txt"


@pytest.mark.parametrize(
    ("server", "op", "effects"),
    [
        ("list_prefix_without_boundary", ("fs_read", SECRET), [("read", "/workshop/" + NAME)]),
        ("list_through_links", ("fs_read", "/work/l/x"), [("read", "/other/" + NAME)]),
        ("tree_through_links", ("fs_read", "/work/x"), [("read", "/other/" + NAME)]),
        ("lists_above", ("fs_read", "/work/../x"), [("read", "/" + NAME)]),
        ("move_destination_unjudged", ("fs_write", "/x", "text"), [("write", "/x")]),
        ("copy_source_unjudged", ("fs_read", OTHER), [("read", OTHER)]),
        ("append_unjudged", ("fs_write", "/x", "text"), [("write", "/x")]),
        ("folders_unjudged", ("fs_write", "/a/b", "text"), [("write", "/a/b")]),
        ("delete_prefix_without_boundary", ("fs_read", SECRET), [("write", SECRET)]),
    ],
)
def test_every_door_is_watched(server, op, effects):
    """A server whose tools for files are right would pass, whatever its other tools let out."""
    found = outcome(f"broken.mcp:mcp_{server}", op, links={"/work/l": "/other"})
    assert ([effects], ["confined"]) == found


@pytest.mark.parametrize("server", ["realpath", "without_links", "descriptors", "trees"])
def test_right_doors_let_nothing_out_and_leave_the_case_as_it_is(server):
    """Honest names, or what an earlier try moved away, would be held against a server."""
    read = ("fs_read", "/work/data.txt")
    ops = [read, ("fs_read", "/work/l/secret.txt"), ("fs_read", "/work/./data.txt"), read]
    effects, broken = outcome(f"right.mcp:mcp_{server}", *ops, links={"/work/l": "/other"})
    honest = [("read", "/work/data.txt")]
    assert ([honest, [], honest], []) == ([effects[0], effects[1], effects[3]], broken)


def test_an_honest_list_is_seen_where_a_server_has_nothing_else():
    """A server that only lists would pass though its tool does nothing."""
    found = outcome("right.mcp:mcp_lists_alone", ("fs_read", "/work/data.txt"))
    assert ([[("read", "/work/" + NAME)]], []) == found


def test_what_was_drawn_stands_in_no_report():
    """Two runs of one campaign would differ, and no baseline would ever fit."""
    one = [("fs_read", SECRET)]
    runs = [outcome("broken.mcp:mcp_list_prefix_without_boundary", *one) for _ in range(2)]
    assert runs[0] == runs[1]
    names = Names("/work")
    names.planted(WorldSpec(files=FILES))
    assert ["/work/" + NAME] * 2 == [names.told(one) for one in (names.scratch, names.fresh)]


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("/work/a/b", "/work/a"),
        ("/work/..", "/work/.."),
        ("/work/", "/work/"),
        ("/work/..%2fetc%2fpasswd", "/work/..%2fetc"),
        ("/work/a/%2e%2e", "/work/a/%2e%2e"),
        ("/x", "/x"),
        ("name", "name"),
    ],
)
def test_a_folder_is_named_as_the_path_is_spelt(path, folder):
    """The machine's own root would be listed, or a spelling be tried at one door alone."""
    assert folder == folder_of(path)


def test_a_root_that_was_taken_away_is_made_again():
    """After a server that deletes too much nothing could be measured any more."""
    ground = Ground("/work")
    try:
        ground.become(WorldSpec(files=FILES), frozenset())
        assert not ground.restored()
        shutil.rmtree(ground.floor)
        assert ground.restored()
        ground.become(WorldSpec(files=FILES), frozenset())
        assert b"honest data" == Path(ground.root, "data.txt").read_bytes()
        assert not ground.restored()
    finally:
        ground.close()


def test_a_new_folder_is_a_change_where_nothing_is_in_it():
    """A tool that makes folders anywhere would pass; one with a file in it would be told twice."""
    ground = Ground("/work")
    try:
        ground.become(WorldSpec(files=FILES), frozenset())
        os.makedirs(f"{ground.floor}/new/er")
        assert ["/new/er"] == ground.changes()
        Path(ground.floor, "new", "er", "file").touch()
        os.remove(f"{ground.floor}/other/secret.txt")
        assert ["/new/er/file", "/other/secret.txt"] == ground.changes()
    finally:
        ground.close()


# ---------------------------------------------------------------- servers that misbehave


@pytest.mark.parametrize(
    ("answer", "raised", "hung"),
    [
        ("os._exit(3)", "ServerDied", False),
        ("time.sleep(60)", None, True),
        ("print('x' * 9_000_000, flush=True)", "Nonsense", False),
        ("os.close(1); time.sleep(60)", "ServerDied", False),
    ],
)
def test_a_server_that_ends_hangs_or_floods_is_told_and_started_again(
    tmp_path, answer, raised, hung
):
    """It would end the campaign, or everything after it would count as refused."""
    body = f"""
def answer(message):
    path = message["params"]["arguments"]["path"]
    if "odd" in path:
        {answer}
    say(id=message["id"], result=dict(text=open(path).read()))
"""
    made = load(program(tmp_path, body + _PLAIN), Options(op_limit=0.5))
    try:
        one = case(("fs_read", "/work/odd"), ("fs_read", "/work/data.txt"))
        trace = made.run(made.adapt(one), 4.0 if raised else 1.0)
    finally:
        made.close()
    assert (raised, hung) == (trace.steps[0].answer.raised, trace.steps[0].answer.hung)
    assert [("read", "/work/data.txt")] == seen(trace)[1]


def test_noise_beside_the_answers_is_let_pass(tmp_path):
    """Half of all servers print a greeting, and could not be attacked."""
    body = """
print("ready!", flush=True)
sys.stderr.write("e" * 300_000)
def answer(message):
    say(method="notifications/message", params={})
    say(id="ask", method="ping")
    print("[1, 2]", flush=True)
    sys.stderr.write("e" * 2_000_000)
    say(id=0, result={})
    say(id=message["id"], result=[{"deep": [open(message["params"]["arguments"]["path"]).read()]}])
"""
    loop = _PLAIN.replace("if not start(message)", 'if "method" in message and not start(message)')
    made = load(program(tmp_path, body + loop), Options())
    try:
        trace = made.run(made.adapt(case(("fs_read", "/work/data.txt"))))
    finally:
        made.close()
    assert [[("read", "/work/data.txt")]] == seen(trace)


def test_base64_hides_nothing(tmp_path):
    """A tool for pictures would hand out secrets unseen."""
    body = """
import base64
def answer(message):
    data = open(message["params"]["arguments"]["path"], "rb").read()
    say(id=message["id"], result={"data": base64.b64encode(data).decode()})
"""
    made = load(program(tmp_path, body + _PLAIN), Options())
    try:
        trace = made.run(made.adapt(case(("fs_read", "/other/secret.txt"))))
    finally:
        made.close()
    assert [[("read", "/other/secret.txt")]] == seen(trace)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("mcp:no-such-program-here {root}", "did not start"),
        ("mcp:true {root}", "did not start"),
        ("mcp:server", "write {root}"),
        ("mcp:'open {root}", "not a command"),
    ],
)
def test_what_does_not_start_is_told_in_one_line(spec, told):
    """A misunderstanding would be a traceback, or a verdict."""
    with pytest.raises(TargetError, match=told):
        load(spec, Options())


def test_a_server_without_tools_for_files_is_told(tmp_path):
    """Nothing would be tried, and the verdict would be that all held."""
    body = "TOOLS[0]['name'] = 'weather'\ndef answer(message): pass\n"
    with pytest.raises(TargetError, match=r"weather.*--tool-map"):
        load(program(tmp_path, body + _PLAIN), Options())


# ---------------------------------------------------------------- nothing is left


_DAEMON = """
import subprocess
subprocess.Popen(["sleep", "300"], start_new_session=True)
def answer(message): pass
"""


def _marked(base):
    mark = f"{MARK}={base}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(entry.name)
        except OSError:
            continue
    return found


def test_what_the_server_started_is_ended_too(tmp_path, home):
    """A process that left the group would run on for ever."""
    made = load(program(tmp_path, _DAEMON + _PLAIN), Options())
    base = made._ground.base
    assert len(_marked(base)) == 2
    made.close()
    assert ([], []) == (_marked(base), list(home.iterdir()))


_KILLED = """
import sys, time
from capfuzz.targets.spec import Options, load
made = load(sys.argv[1], Options())
print(made._ground.base, flush=True)
time.sleep(300)
"""


def test_nothing_is_left_of_a_campaign_that_was_killed(tmp_path, home):
    """A kill would leave servers and trees on the machine."""
    command = [sys.executable, "-c", _KILLED, program(tmp_path, _DAEMON + _PLAIN)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as campaign:
        base = campaign.stdout.readline().strip()
        assert len(_marked(base)) == 2
        campaign.send_signal(signal.SIGKILL)
    for _ in range(200):  # the kernel ends the server itself (prctl(2))
        if len(_marked(base)) == 1:
            break
        time.sleep(0.01)
    assert len(_marked(base)) == 1
    sweep(campaign.pid)
    assert ([], []) == (_marked(base), list(home.iterdir()))

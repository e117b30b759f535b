"""If these fail, a recorded call is lost, made up or taken for another."""

import json

import pytest
from capfuzz.gate.errors import UsageError
from capfuzz.gate.grants.calls import hidden, ops_of
from capfuzz.gate.grants.transcript import Call, read
from capfuzz.targets.tool_map import from_file

RPC = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
READ_A = {"name": "read_file", "arguments": {"path": "/a"}}
TOLD = {"content": [{"type": "text", "text": "h\u00e9llo"}, {"type": "image", "data": "AAAA"}]}
# Each form of a record, with the ops and the bytes that it stands for.
FORMS = {
    "an op": ([["fs_read", "/a"]], ("fs_read", "/a"), None),
    "an op with output": ([{"op": ["fs_read", "/a"], "output": "abc"}], ("fs_read", "/a"), 3),
    "bytes": ([["fs_write", "/a", {"$bytes": "00ff"}]], ("fs_write", "/a", b"\x00\xff"), None),
    "MCP": ([{**RPC, "params": READ_A}], ("fs_read", "/a"), None),
    "MCP, bare": ([{"method": "tools/call", "params": READ_A}], ("fs_read", "/a"), None),
    "MCP, answered": (
        [{**RPC, "params": READ_A}, {"jsonrpc": "2.0", "id": 1, "result": TOLD}],
        ("fs_read", "/a"),
        9,
    ),
    "MCP in a log": (
        [{"ts": 1, "dir": "out", "message": {**RPC, "params": READ_A}}], ("fs_read", "/a"), None,
    ),
    "an MCP resource": (
        [{**RPC, "method": "resources/read", "params": {"uri": "file:///a%20b"}}],
        ("fs_read", "/a b"),
        None,
    ),
    "chat completions": (
        [
            {
                "role": "assistant",
                "tool_calls": [
                    {"id": "c", "function": {"name": "read_file", "arguments": '{"path": "/a"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c", "content": "abcd"},
        ],
        ("fs_read", "/a"),
        4,
    ),
    "responses": (
        [
            {"type": "function_call", "call_id": "c", "name": "read_file", "arguments": '{"path":"/a"}'},
            {"type": "function_call_output", "call_id": "c", "output": "abcd"},
        ],
        ("fs_read", "/a"),
        4,
    ),
    "blocks": (
        [
            {"message": {"content": [{"type": "tool_use", "id": "t", "name": "Read",
                                      "input": {"file_path": "/a"}}]}},
            {"message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "ab"}]}},
        ],
        ("fs_read", "/a"),
        2,
    ),
}  # fmt: skip
# A tool with its arguments, and the ops that it amounts to below /cwd.
TOOLS = {
    "reads": ("read_file", {"path": "/a"}, [("fs_read", "/a")]),
    "reads, of a server": ("mcp__fs__read_text_file", {"path": "/a"}, [("fs_read", "/a")]),
    "reads several": (
        "read_multiple_files", {"paths": ["/a", "/b"]}, [("fs_read", "/a"), ("fs_read", "/b")],
    ),
    "reads, relative": ("Read", {"file_path": "src/a"}, [("fs_read", "/cwd/src/a")]),
    "reads a home": ("Read", {"file_path": "~/a"}, [("fs_read", "~/a")]),
    "climbs": ("Read", {"file_path": "../a"}, [("fs_read", "/cwd/../a")]),
    "writes": ("write_file", {"path": "/a", "content": "x"}, [("fs_write", "/a", "x")]),
    "lists": ("list_directory", {"path": "/a"}, [("fs_read", "/a")]),
    "edits": (
        "Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"}, [("fs_write", "/a", "y")],
    ),
    "deletes": ("delete_file", {"path": "/a"}, [("fs_write", "/a", "")]),
    "moves": (
        "move_file",
        {"source": "/a", "destination": "/b"},
        [("fs_read", "/a"), ("fs_write", "/a", ""), ("fs_write", "/b", "")],
    ),
    "copies": (
        "copy_file", {"source": "/a", "destination": "/b"}, [("fs_read", "/a"), ("fs_write", "/b", "")],
    ),
    "fetches": ("WebFetch", {"url": "https://a.test/x?y"}, [("net_fetch", "a.test", "/x?y")]),
    "fetches at a port": ("fetch", {"url": "http://A.test:8080"}, [("net_fetch", "a.test", "/")]),
    "fetches by an address": ("fetch", {"url": "http://[::1]/"}, [("net_fetch", "::1", "/")]),
    "two hosts in one URL": (
        "fetch", {"url": "http://a.test\\@b.test/"}, [("net_fetch", "http://a.test\\@b.test/", "/")],
    ),
    "a tool": ("summarize", {"text": "/a"}, [("tool", "summarize")]),
    "searches": ("web_search", {"query": "x"}, [("tool", "web_search")]),
    "no text for a path": ("read_file", {"path": 7}, [("fs_read", 7)]),
}  # fmt: skip


@pytest.fixture
def recorded(tmp_path):
    """Return a function that writes lines and reads them as a run."""

    def write(*lines):
        text = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines)
        (tmp_path / "run.jsonl").write_text(text, encoding="utf-8")
        return read(str(tmp_path / "run.jsonl"))

    return write


@pytest.mark.parametrize(("lines", "op", "output"), FORMS.values(), ids=FORMS)
def test_every_form_of_a_record_is_one_call(recorded, lines, op, output):
    """A form that is not known is a call that nobody judges."""
    [call] = recorded(*lines).calls
    assert (op,) == ops_of(call)
    assert output == call.output


@pytest.mark.parametrize(("tool", "arguments", "ops"), TOOLS.values(), ids=TOOLS)
def test_a_tool_is_judged_by_what_it_touches(tool, arguments, ops):
    """A read that passes for a tool is contained by no list of folders."""
    assert ops == [*ops_of(Call(1, tool, arguments), folder="/cwd")]


def test_words_around_messages_are_passed_over(recorded):
    """Logs have time stamps, blank lines and words; a call between them still counts."""
    run = recorded(
        "server started",
        "",
        "12:00 INFO > " + json.dumps({**RPC, "params": READ_A}),
        {"level": "info", "text": "done"},
    )
    assert [3] == [call.line for call in run.calls]


def test_a_whole_document_is_read_too(recorded, tmp_path):
    """Histories of chats are often one array, laid out over many lines."""
    run = recorded(json.dumps({"messages": [FORMS["chat completions"][0][0]]}, indent=2))
    assert [("fs_read", "/a")] == [*ops_of(run.calls[0])]


def test_a_call_told_again_is_one_call(recorded):
    """Logs of chats repeat the history with every request; MCP counts its ids anew in each session."""
    block = FORMS["blocks"][0][0]
    assert 1 == len(recorded(block, block).calls)
    assert 2 == len(recorded({**RPC, "params": READ_A}, {**RPC, "params": READ_A}).calls)


def test_what_came_back_is_not_read_as_calls(recorded):
    """A file that quotes a call, read by the agent, is no call of the agent."""
    inner = {"type": "tool_use", "id": "evil", "name": "Bash", "input": {}}
    lines = [
        {**RPC, "params": READ_A},
        {"jsonrpc": "2.0", "id": 1, "result": {"content": [inner], "structuredContent": inner}},
    ]
    assert ["read_file"] == [call.tool for call in recorded(*lines).calls]


def test_texts_inside_of_messages_are_no_ops(recorded):
    """A list of texts is an op where it stands as a record, and nowhere else."""
    said = {"role": "user", "content": ["fs_read", "/etc/passwd"]}
    assert [2] == [call.line for call in recorded(said, ["fs_read", "/a"]).calls]


def test_requests_that_no_op_stands_for_are_counted(recorded):
    """What was not judged must not pass for contained."""
    run = recorded(
        {**RPC, "params": READ_A},
        {**RPC, "id": 2, "method": "prompts/get", "params": {}},
        {**RPC, "id": 3, "method": "tools/list"},
    )
    assert {"prompts/get": 1} == run.unjudged


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nothing here", "holds no recorded call; a transcript is JSON lines: "),
        ('["fs_read", "/a"]\n{"method": "tools/call", ', "line 2: not JSON: "),
        ('{"op": ["fs_read", {"$bytes": "zz"}]}', "line 1: an op with an argument that cannot be"),
        ("[" * 100_000, "nested too deeply"),
        (
            '{"tool_calls": [{"function": {"name": "x", "arguments": "{"}}]}',
            "line 1: the arguments of a tool call are not JSON",
        ),
    ],
)
def test_what_cannot_be_read_is_an_error(recorded, line, said):
    """A call that is cut off must not count as none."""
    with pytest.raises(UsageError) as refused:
        recorded(line)
    assert said in str(refused.value)


def test_a_map_says_which_tools_touch_what(tmp_path):
    """Where names tell nothing, or the wrong thing, a person says it; then that alone holds."""
    (tmp_path / "map.toml").write_text('[[read]]\ntool = "grep"\npath = "where"\n')
    doors = from_file(str(tmp_path / "map.toml"))
    assert (("fs_read", "/a"),) == ops_of(Call(1, "mcp__x__grep", {"where": "/a"}), doors)
    assert (("tool", "read_file"),) == ops_of(Call(1, "read_file", {"path": "/a"}), doors)


@pytest.mark.parametrize(
    ("tool", "arguments", "name"),
    [
        ("Grep", {"path": "/a", "pattern": "x"}, "path"),
        ("bookmark", {"url": "https://a.test/"}, "url"),
        ("read_file", {"path": "/a"}, None),
        ("fetch", {"url": "https://a.test/"}, None),
        ("download", {"url": "https://a.test/", "to": "/a"}, "to"),
        ("write_file", {"path": "/a", "content": "/bin/sh"}, None),
        ("say", {"text": "/ is the root"}, None),
    ],
)
def test_a_path_that_is_not_judged_is_told(tool, arguments, name):
    """A tool that is judged by its name may touch more; whoever reads the table has to know."""
    call = Call(1, tool, arguments)
    assert name == hidden(call, ops_of(call))

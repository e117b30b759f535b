"""A ``--tool-map`` that breaks a rule is told in one line: file, table, key and rule."""

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.targets import TargetError
from capfuzz.targets.mcp_tools import Door, Doors
from capfuzz.targets.options import Options
from capfuzz.targets.spec import load
from capfuzz.targets.tool_map import from_file

READ = "[[read]]\ntool='x'\npath='p'\n"
WRITE = "[[write]]\ntool='x'\npath='p'\ncontent='c'\n"
MOVE = "[[move]]\ntool='x'\npath='p'\nto='t'\n"
DEEP = 15_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[read]]\ntool='x'\n", "[[read]] 1: path: is missing; it must have tool, path"),
        (READ + "[[read]]\npath='p'\n", "[[read]] 2: tool: is missing"),
        ("[[write]]\ntool='x'\npath='p'\n", "[[write]] 1: content: is missing"),
        ("[[move]]\ntool='x'\npath='p'\n", "[[move]] 1: to: is missing"),
        ("read = 'x'\n", "read: must be written as a table [[read]]"),
        ("read = ['x']\n", "[[read]] 1: must be a table"),
        ("[[read]]\ntool='x'\npath=5\n", "[[read]] 1: path: must be a text"),
        ("[[read]]\ntool=''\npath='p'\n", "[[read]] 1: tool: must be a text that is not empty"),
        (READ + "to='t'\n", "[[read]] 1: 'to': no such key; it takes tool, path, several, fixed"),
        (READ + "several=1\n", "[[read]] 1: several: must be true or false"),
        (READ + "fixed=1\n", "[[read]] 1: fixed: must be a table"),
        (READ + "fixed={p=1}\n", "fixed: has 'p', which is the argument of path"),
        (WRITE + "fixed={c=1}\n", "fixed: has 'c', which is the argument of content"),
        (MOVE.replace("'t'", "'p'"), "[[move]] 1: to: 'p' is named twice"),
        (READ + "fixed={d=2020-01-01}\n", "[[read]] 1: fixed: 'd': JSON cannot carry it"),
        (READ + "fixed={d=[nan]}\n", "fixed: 'd': JSON cannot carry it"),
        (READ + "fixed={d={e=-inf}}\n", "fixed: 'd': JSON cannot carry it"),
        (READ + f"fixed={{d={'[' * DEEP}{']' * DEEP}}}\n", "nested too deeply"),
        (READ + f"[read.fixed]\n{'d.' * DEEP}d=1\n", "nested too deeply"),
        (READ + "['a\\u001bb']\n".replace("'", '"'), "'a\\x1bb' is none of them"),
        ("x" * 30_000, "is no TOML: "),
        ("#" * 100_000, "is larger than 32,768 bytes"),
    ],
    ids=lambda value: value[:30] if len(value) > 1_000 else None,
)
def test_a_rule_that_is_broken_is_named(text, said, tmp_path):
    """A person would look for the mistake in a whole file, or read a constructor's complaint."""
    file = tmp_path / "tools.toml"
    file.write_text(text)
    with pytest.raises(TargetError) as caught:
        from_file(str(file))
    told = str(caught.value)
    assert told.startswith(f"--tool-map {file}: ")
    assert said in told
    assert "\n" not in told
    assert len(told) < 500 + len(str(file))


def test_everything_that_a_table_may_hold_comes_through(tmp_path):
    """A rule that is too strict would leave a tool untried."""
    file = tmp_path / "tools.toml"
    file.write_text(
        READ + "several=true\nfixed={n=1, deep={list=[1.5, true, 'a']}}\n"
        "[[edit]]\ntool='e'\npath='p'\ncontent='c'\n[[edit]]\ntool='f'\npath='p'\n"
    )
    fixed = {"n": 1, "deep": {"list": [1.5, True, "a"]}}
    edits = (Door("e", "p", "c"), Door("f", "p"))
    assert Doors((Door("x", "p", several=True, fixed=fixed),), (), editing=edits) == from_file(
        str(file)
    )


def test_a_tool_that_the_server_does_not_list_is_named(tmp_path):
    """Every op would seem refused, and the verdict be that all held."""
    file = tmp_path / "tools.toml"
    file.write_text(READ.replace("'x'", "'no_such'"))
    spec = "py:capfuzz.targets.right.mcp:mcp_realpath"
    with pytest.raises(TargetError, match=r"'no_such': the server does not list it; it has \w+"):
        load(spec, Options(surface=Surface.MCP, tool_map=str(file)))

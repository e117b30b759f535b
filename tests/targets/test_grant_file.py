"""If these fail, a grant file grants something else than it says, or its faults are not named."""

import json
import tomllib

import pytest
from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.grant_file import read
from capfuzz.targets.toml_lines import Lines, lines
from hypothesis import given
from hypothesis import strategies as st

WHOLE = """
fs_read = ["/work/"]
fs_write = ["/work/out"]
net_hosts = ["api.internal"]
allowed_tools = ["summarize"]
max_ops = 7
max_output_bytes = 100_000
max_wall = 100
"""
SAME = Capabilities(("/work/",), ("/work/out",), ("api.internal",), ("summarize",), 7, 100_000, 100)
NO_GRANT = {
    "no TOML": ("fs_read = [", "is no TOML: "),
    "a typo": ('fs_raed = ["/x"]', ":1: 'fs_raed' is no key of a grant; did you mean fs_read?"),
    "a typo in the table": (
        "[grnat]\nmax_ops = 1",
        "'grnat' is no key of a grant; did you mean grant?",
    ),
    "one text": (
        'fs_read = "/x"',
        ":1: fs_read: must be a list of texts, not one text; write [...]",
    ),
    "a table": ("[fs_read]\n'/x' = 1", "fs_read: must be a list of texts, not a table"),
    "both places": ('fs_read = []\n[grant]\nfs_read = ["/"]', "fs_read: stands outside [grant]; "),
    "a float": ("max_ops = 7.0", ":1: max_ops: must be an int, not a float"),
    "truth": ("max_ops = true", ":1: max_ops: must be an int, not a bool"),
    "a debt": ("max_wall = -1", ":1: max_wall: must not be negative, got -1"),
    "a climb": ('fs_read = [\n"/a",\n"/a/../b"]', ":3: fs_read: '/a/../b' has a '..' segment; "),
    "a wildcard": ('net_hosts = ["*.x"]', ":1: net_hosts: '*.x' is neither a plain host name nor"),
    "no text": ("allowed_tools = [7]", ":1: allowed_tools: every entry must be a plain str"),
    "two faults": ('fs_read = ["x", "y"]', "(and 1 more; capfuzz lint tells all)"),
    "dotted to death": ("a." * 20_000 + "a = 1", ": has too many dotted keys to be a grant"),
}


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a grant file and reads it."""

    def write(text):
        (tmp_path / "GRANT.toml").write_text(text)
        return read(str(tmp_path / "GRANT.toml"))

    return write


@pytest.mark.parametrize("text", [WHOLE, "[grant]" + WHOLE], ids=["top level", "table"])
def test_a_file_is_the_grant_that_it_says(written, text):
    """A key that is lost or swapped grants another thing."""
    assert SAME == written(text).grant()


def test_what_is_left_out_is_the_engine_s_default(written):
    """Another default would be a grant that nobody wrote."""
    assert Capabilities() == written("").grant()


@pytest.mark.parametrize(("text", "said"), NO_GRANT.values(), ids=NO_GRANT.keys())
def test_what_is_no_grant_is_refused_with_place_and_rule(written, text, said):
    """A fault that passes grants less or more than was meant; one without a place is not found."""
    with pytest.raises(TargetError) as refused:
        written(text).grant()
    assert said in str(refused.value)


def test_every_fault_of_a_file_is_told(written):
    """Whoever is told only the first fault mends a file as often as it has faults."""
    file = written('fs_read = ["x", "/ok", "y"]\nmax_ops = -1\nmax_opz = 1\nfs_write = 7')
    assert [
        ("max_opz", None),
        ("fs_read", 0),
        ("fs_read", 2),
        ("max_ops", None),
        ("fs_write", None),
    ] == [(fault.key, fault.entry) for fault in file.faults]


def test_a_file_that_is_not_there_is_said():
    """An unreadable file must not be an empty grant."""
    with pytest.raises(TargetError, match=r"none\.toml: cannot be read: No such file"):
        read("none.toml")


def test_lines_are_those_of_keys_and_entries():
    """A remark that points at another line sends its reader to an innocent entry."""
    text = '''# fs_read = ["comment"]
[grant]
fs_read = [ "/a", # , [ "
  """/b
c""", '/d', {x = ["]", 1]}, [2, 3],
  7 ]
"fs_write"   = []
grant . net_hosts = ["#", "="]
max_ops = 1'''
    found = lines(text)
    assert Lines(3, (3, 4, 5, 5, 5, 6)) == found["fs_read"]
    assert (Lines(7), Lines(8, (8, 8)), Lines(9)) == tuple(
        found[key] for key in ("fs_write", "net_hosts", "max_ops")
    )


_GAP = st.sampled_from(["", " ", "\n", "\n\n  ", ' # ], = "\n', "\t"])


@given(
    st.lists(
        st.tuples(_GAP, st.text(st.characters(codec="utf-8", exclude_characters="\x7f")), _GAP)
    )
)
def test_each_entry_is_on_the_line_where_it_was_written(parts):
    """However an array is laid out, the line of an entry is where its text begins."""
    text, expected = "\nkey = [", []
    for before, entry, after in parts:
        text += before
        expected.append(1 + text.count("\n"))
        text += json.dumps(entry, ensure_ascii=False) + after + ","
    text += "]\n"
    assert [entry for _, entry, _ in parts] == tomllib.loads(text)["key"]
    assert Lines(2, tuple(expected)) == lines(text)["key"]

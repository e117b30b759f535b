"""Loading: what is right is read in full, what is wrong is told in one line."""

import copy
import json
import os

import pytest
from capfuzz.attacks import vectors
from capfuzz.attacks.case import Behaviour, Surface, Verdict
from capfuzz.attacks.vectors import CORPUS, CorpusError, load

CONTROL = {
    "id": "plain.1",
    "technique": "plain",
    "flags": [],
    "ops": [["fs_read", "/work/a"]],
    "verdict": ["allow"],
    "reason": None,
    "means": "",
    "control": None,
    "comment": "",
}
ATTACK = {
    "id": "climb.1",
    "technique": "climb",
    "flags": ["traversal"],
    "surfaces": ["path"],
    "grant": {"fs_read": ["/work/sub"], "max_ops": 3},
    "world": {"files": {"/work/b": {"$bytes": "ff"}}, "ticks": [0, 5], "tools": {"t": "echo"}},
    "ops": [["fs_read", "/work/../etc/p"], ["fs_write", "/work/a", {"$bytes": "00"}]],
    "verdict": ["deny", "contain"],
    "reason": "path_traversal",
    "means": "/etc/p",
    "control": "plain.1",
    "comment": "a climb",
}
FAMILY = {
    "family": "small",
    "surfaces": ["session", "path"],
    "cwe": "CWE-22",
    "grant": {"fs_read": ["/work"], "max_ops": 9},
    "world": {"files": {"/work/a": "honest"}, "hosts": {"h": {"/go": ["e", "/x"]}}},
    "notes": {
        "traversal": {
            "bug": "dots are followed",
            "effect": "an escape",
            "cves": ["CVE-2021-41773"],
            "links": ["https://example.test/a"],
        }
    },
    "vectors": [CONTROL, ATTACK],
}
GONE = object()


def changed(*path, to):
    """Return the family with one part changed, or left out."""
    whole = copy.deepcopy(FAMILY)
    *way, last = path
    part = whole
    for name in way:
        part = part[name]
    if to is GONE:
        del part[last]
    else:
        part[last] = to
    return whole


@pytest.fixture
def write(tmp_path):
    """Return a writer of corpus files: text, bytes or what is to be JSON."""

    def file(content, name="small.json"):
        path = tmp_path / name
        data = json.dumps(content) if isinstance(content, dict) else content
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return file


def told(*files):
    """Return the error of loading files; one printable line that begins with the last file."""
    with pytest.raises(CorpusError) as caught:
        load(files)
    text = str(caught.value)
    assert text.isprintable()
    assert text.startswith(f"{files[-1]}: ")
    return text.removeprefix(f"{files[-1]}: ")


# ---------------------------------------------------------------- what is right


def test_a_family_is_read_in_full(write):
    """If it fails, something that a vector says is lost on the way."""
    control, attack = load([write(FAMILY)])
    assert (control.is_control, attack.is_control) == (True, False)
    assert (control.id, control.case.source) == ("plain.1", "plain.1")
    assert control.surfaces == (Surface.SESSION, Surface.PATH)
    assert control.case.grant.fs_read == ("/work",)
    assert control.case.world.files == {"/work/a": b"honest"}
    assert control.case.world.hosts == {"h": {"/go": ("e", "/x")}}
    assert (control.refs, control.cwe, control.reason) == ((), "CWE-22", None)


def test_parts_of_a_vector_replace_those_of_its_family(write):
    """If it fails, a vector runs under another grant or in another world than it says."""
    _, attack = load([write(FAMILY)])
    assert (attack.surfaces, attack.flags) == ((Surface.PATH,), ("traversal",))
    assert attack.case.grant.fs_read == ("/work/sub",)
    assert attack.case.grant.max_ops == 3
    assert attack.case.world.files == {"/work/b": b"\xff"}
    assert attack.case.world.hosts == {"h": {"/go": ("e", "/x")}}
    assert (attack.case.world.ticks, attack.case.world.tools) == ((0, 5), {"t": Behaviour.ECHO})


def test_an_attack_carries_its_ops_and_what_explains_them(write):
    """If it fails, a finding cannot say what was tried, or why."""
    _, attack = load([write(FAMILY)])
    assert attack.case.ops == (("fs_read", "/work/../etc/p"), ("fs_write", "/work/a", b"\0"))
    assert attack.case.verdicts == (Verdict.DENY, Verdict.CONTAIN)
    assert attack.case.techniques == ("climb", "climb")
    assert attack.case.family == "small"
    assert (attack.technique, attack.reason) == ("climb", "path_traversal")
    assert (attack.means, attack.control, attack.comment) == ("/etc/p", "plain.1", "a climb")
    assert attack.refs == ("CVE-2021-41773", "https://example.test/a")


def test_a_control_may_stand_in_another_file(write):
    """If it fails, families cannot share a control."""
    control = write(changed("vectors", to=[CONTROL]))
    attack = write(changed("vectors", to=[ATTACK]), "other.json")
    assert [one.id for one in load([attack, control])] == ["climb.1", "plain.1"]


def test_the_schema_is_no_family(write):
    """If it fails, the schema beside the families cannot stay there."""
    assert load([write("{}", "schema.json")]) == ()


def test_the_shipped_corpus_is_what_is_read_by_default():
    """If it fails, somebody's vectors are left out, or read in an order of the day."""
    families = [one.case.family for one in load()]
    assert families == sorted(families, key=lambda name: f"{name}.json")
    assert {*families, "schema"} == {file.stem for file in CORPUS.glob("*.json")}


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("whole", "expected"),
    [
        # Parts that are missing, unknown or of the wrong type.
        (changed("cwe", to=GONE), ["top level", '"cwe" is a required property']),
        (changed("more", to=1), ["top level", "more"]),
        (changed("family", to=7), ["family", "7 is not of type"]),
        (changed("family", to="Small Caps"), ["family", "Small Caps"]),
        (changed("surfaces", to=[]), ["surfaces", "[]"]),
        (changed("surfaces", to=["shell"]), ["surfaces/0", "shell"]),
        (changed("cwe", to="22"), ["cwe", "22"]),
        (changed("notes", "traversal", "bug", to=""), ["notes/traversal/bug"]),
        (changed("notes", "traversal", "cves", to=["2021-1"]), ["notes/traversal/cves/0"]),
        (changed("vectors", to=[]), ["vectors", "[]"]),
        (changed("vectors", to={}), ["vectors", "{}"]),
        (changed("grant", to=None), ["grant", "null"]),
        (changed("grant", "max_ops", to=True), ["grant/max_ops", "true"]),
        (changed("grant", "max_ops", to=-1), ["grant/max_ops", "-1"]),
        (changed("world", "links", to={"/a": ""}), ["world/links", '""']),
        # The same in a vector: it is named.
        (changed("vectors", 1, "ops", to=GONE), ["vector climb.1", '"ops" is a required property']),
        (changed("vectors", 1, "ops", to=[]), ["vector climb.1/ops", "[]"]),
        (changed("vectors", 1, "ops", to=[{"$a": 1}]), ["vector climb.1/ops/0"]),
        (changed("vectors", 1, "ops", 0, 1, to={"$bytes": "0"}), ["vector climb.1/ops/0"]),
        (
            changed("vectors", 1, "ops", 0, 1, to={"$repeat": ["a", 10**9]}),
            ["vector climb.1/ops/0"],
        ),
        (changed("vectors", 1, "verdict", to=["perhaps"]), ["vector climb.1/verdict/0", "perhaps"]),
        (changed("vectors", 1, "reason", to="because"), ["vector climb.1/reason", "because"]),
        (changed("vectors", 1, "world", "tools", to={"t": "rm"}), ["vector climb.1/world/tools/t"]),
        (changed("vectors", 1, "id", to=GONE), ["vector 1", '"id" is a required property']),
        (changed("vectors", 1, to=7), ["vector 1", "7 is not of type"]),
        (changed("vectors", 1, "id", to="a\nb\x1b[0m"), ["vector a\\nb\\x1b[0m/id"]),
        (changed("vectors", 1, "id", to=7), ["vector 7/id", "7 is not of type"]),
        # What no schema can say.
        (changed("vectors", 1, "flags", to=["other"]), ["climb.1", "'other'", "notes"]),
        (changed("vectors", 1, "control", to="absent"), ["climb.1", "control", "'absent'"]),
        (changed("vectors", 1, "control", to="a\nb\ud800"), ["climb.1", "control", "a\\nb"]),
        (changed("vectors", 1, "id", to="plain.1"), ["plain.1", "the id stands twice"]),
        (changed("vectors", 1, "verdict", to=["deny"]), ["climb.1", "has 2 ops, 1 verdicts"]),
        (changed("vectors", 1, "verdict", to=["deny"] * 3), ["climb.1", "has 2 ops, 3 verdicts"]),
        (changed("vectors", 1, "grant", "fs_read", to=["x"]), ["climb.1", "grant: fs_read", "'x'"]),
        (changed("grant", "net_hosts", to=["*.x"]), ["plain.1", "grant: net_hosts", "'*.x'"]),
        (changed("grant", "max_ops", to=1.0), ["plain.1", "grant: max_ops", "float"]),
        (changed("vectors", 1, "ops", 0, 1, to={"$float": "x"}), ["climb.1", "decoded", "'x'"]),
        (changed("vectors", 1, "ops", 0, 1, to={"$repeat": ["a", 2.0]}), ["climb.1", "decoded"]),
        (changed("world", "files", to={"/a": {"$float": "x"}}), ["plain.1", "decoded", "'x'"]),
        (changed("world", "files", to={"/\ud800": ""}), ["not JSON", "surrogates"]),
    ],
)
def test_a_broken_rule_is_told_with_file_vector_and_rule(whole, expected, write):
    """If it fails, whoever writes a vector has to search for what is wrong with it."""
    text = told(write(whole))
    assert [part for part in expected if part not in text] == []
    assert len(text) < 500


def test_an_id_stands_once_in_all_files(write):
    """If it fails, two vectors of different families share a baseline entry."""
    one, two = write(FAMILY), write(changed("vectors", to=[CONTROL]), "other.json")
    assert told(one, two) == "plain.1: the id stands twice"


WHOLE = json.dumps(FAMILY)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "not JSON: Expecting value"),
        ("{", "not JSON: "),
        (WHOLE + "{}", "not JSON: Extra data"),
        ("[]", "top level: [] is not of type"),
        ("null", "top level: null is not of type"),
        (b"\xff\xfe", "not JSON: 'utf-8' codec"),
        (WHOLE.encode("utf-16"), "not JSON: 'utf-8' codec"),
        (WHOLE.replace('"CWE-22"', "NaN"), "NaN is not a JSON number"),
        (WHOLE.replace('"CWE-22"', "-Infinity"), "-Infinity is not a JSON number"),
        (WHOLE.replace('"CWE-22"', "9" * 5000), "not JSON: Exceeds the limit"),
        (WHOLE.replace('"cwe"', '"family": "x", "cwe"'), "the key 'family' stands twice"),
        (WHOLE.replace('"/work/a": ', '"/\\n": "", "/\\n": '), "the key '/\\n' stands twice"),
        ("[" * 100_000, "nested too deeply"),
        (WHOLE.replace('"/work/a"]', "[" * 100_000), "nested too deeply"),
        (WHOLE.replace('"/work/a"]', "[" * 900 + "]" * 900 + "]"), "plain.1: cannot be decoded: "),
    ],
)
def test_what_is_no_family_at_all_is_told(content, expected, write):
    """If it fails, a damaged or hostile file ends in a traceback, or is half believed."""
    assert told(write(content)).startswith(expected)


def test_a_key_that_stands_twice_among_many_is_found(write):
    """If it fails, looking for the key takes the square of their number."""
    files = ", ".join(f'"/{n}": ""' for n in range(50_000))
    text = WHOLE.replace('"/work/a": ', f'{files}, "/last": "", "/last": ')
    assert told(write(text)) == "the key '/last' stands twice in one object"


def test_what_cannot_be_read_is_told(tmp_path):
    """If it fails, a mistyped file name ends in a traceback."""
    assert told(tmp_path / "absent.json") == "cannot be read: No such file or directory"
    (tmp_path / "folder.json").mkdir()
    assert told(tmp_path / "folder.json") == "cannot be read: Is a directory"


def test_a_huge_file_is_not_even_read(write):
    """If it fails, a file of any size is held in memory several times over."""
    path = write("")
    os.truncate(path, 16 * 1024 * 1024 + 1)
    assert told(path) == "larger than 16777216 bytes; split the family"
    os.truncate(path, 16 * 1024 * 1024)
    assert told(path).startswith("not JSON")


def test_an_error_is_one_printable_line():
    """If it fails, a hostile id writes to somebody's terminal."""
    error = CorpusError("a\nb\r\x1b[31m\u202e\ud800\x00 \u2028caf\xe9")
    assert str(error) == "a\\nb\\r\\x1b[31m\\u202e\\ud800\\x00 \\u2028caf\xe9"


def test_the_schema_is_right_itself():
    """If it fails, the schema lets everything pass."""
    schema = json.loads((CORPUS / "schema.json").read_text())
    assert vectors.jsonschema_rs.meta.is_valid(schema)


def test_repeats_of_a_file_are_bounded_together(tmp_path):
    """If it fails, a file of a few kilobytes fills the memory."""
    op = ["fs_read", {"$repeat": ["a" * 16, 100_000]}]
    file = tmp_path / "bomb.json"
    file.write_text(json.dumps({"vectors": [{"ops": [op] * 50}]}))
    with pytest.raises(CorpusError, match=r"bomb.json: \$repeat adds up to more than"):
        load([file])

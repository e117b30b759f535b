"""Expansion: the corpus is what the techniques write, and what it states is what is right."""

import os
import runpy
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import islice

import pytest
from capfuzz.attacks import vectors
from capfuzz.attacks.case import Behaviour, Surface, Verdict
from capfuzz.attacks.expansion import __main__ as command
from capfuzz.attacks.expansion.families import FAMILIES
from capfuzz.attacks.expansion.family import Family, Row, document, text, vector_id
from capfuzz.attacks.expansion.path_plan import BOTH, FAR, Plan, family, meant
from capfuzz.attacks.expansion.paths import FAMILIES as PATH_FAMILIES
from capfuzz.attacks.naive import resolve, within
from capfuzz.attacks.rulings import Setting, rule
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.vectors import CORPUS
from capfuzz.engine import VFS, Net, Sandbox

NAMES = [one.name for one in FAMILIES]
PATH_NAMES = [one.name for one in PATH_FAMILIES]
REPORTS = CORPUS / "reports-paths.json"


@cache
def loaded(name):
    """Return the vectors of one family as they are checked in."""
    return vectors.load([CORPUS / f"{name}.json"])


def path_vectors():
    """Return every vector about paths, the curated ones too."""
    return [one for name in (*PATH_NAMES, "reports-paths") for one in loaded(name)]


# ---------------------------------------------------------------- the corpus as it is checked in


@pytest.mark.parametrize("one", FAMILIES, ids=NAMES)
def test_the_techniques_write_the_corpus_byte_for_byte(one):
    """The corpus would say something else than the code that is said to write it."""
    stored = (CORPUS / f"{one.name}.json").read_text(encoding="ascii").split("\n")
    written = text(one).split("\n")
    pairs = zip(stored, written, strict=False)
    assert list(islice((pair for pair in pairs if pair[0] != pair[1]), 1)) == []
    assert len(stored) == len(written)


def test_the_corpus_does_not_depend_on_the_process():
    """Two machines would write two corpora, and every id would be in doubt."""
    run = subprocess.run(
        [sys.executable, "-m", "capfuzz.attacks.expansion", "--check"],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, "")


def test_the_command_ends_with_its_status(monkeypatch):
    """A build would go on with a stale corpus."""
    monkeypatch.setattr(sys, "argv", ["expansion", "--check"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(command.__file__, run_name="__main__")
    assert ended.value.code == 0


def test_a_stale_file_is_told_and_mended(tmp_path, monkeypatch, capsys):
    """A change of a technique would go unnoticed until somebody looked for its vectors."""
    monkeypatch.setattr(command, "CORPUS", tmp_path)
    monkeypatch.setattr(command, "FAMILIES", PATH_FAMILIES[:1])
    name = f"{PATH_NAMES[0]}.json"
    assert command.main(["--check"]) == 1
    assert name in capsys.readouterr().out
    assert command.main([]) == 0
    assert command.main(["--check"]) == 0
    (tmp_path / name).write_text("{}")
    assert command.main(["--check"]) == 1


def test_the_whole_corpus_loads():
    """An id would stand for two vectors of different families, or break the schema."""
    assert len(vectors.load()) >= sum(len(loaded(name)) for name in NAMES)


# ---------------------------------------------------------------- families in general


def small(*rows, name="small"):
    """Return a family of these rows in a world of two files."""
    return Family(
        name=name,
        surfaces=("session",),
        cwe="CWE-22",
        grant={"fs_read": ["/work"], "fs_write": ["/work"]},
        world={"files": {"/work/a": "honest", "/etc/p": "secret"}},
        notes={},
        rows=lambda: iter(rows),
    )


HONEST = Row("plain-file", (("fs_read", "/work/a"),))
ATTACK = Row("climb", (("fs_read", "/work/../etc/p"),), control=HONEST, means="/etc/p")


def test_a_vector_stands_behind_its_control():
    """An attack would name a twin that is not in the file."""
    control, attack = document(small(ATTACK))["vectors"]
    assert (control["control"], attack["control"]) == (None, control["id"])
    assert (control["verdict"], attack["verdict"]) == (["allow"], ["deny"])
    assert (control["reason"], attack["reason"]) == (None, "path_traversal")


def test_a_row_that_comes_twice_is_one_vector():
    """A shared control would be counted once for every attack."""
    assert len(document(small(ATTACK, ATTACK, HONEST))["vectors"]) == 2


def test_one_id_never_stands_for_two_vectors():
    """One of two vectors that differ in their verdict alone would silently win."""
    other = Row("climb", ATTACK.ops, verdict=(Verdict.CONTAIN,))
    with pytest.raises(ValueError, match=r"small: climb\.\w+ stands for two vectors"):
        document(small(ATTACK, other))


def test_a_harmless_name_is_contained_not_demanded():
    """A target that refuses hostile-looking names would be told off for over-blocking."""
    odd = Row("percent-dots", (("fs_write", "/work/%2e%2e", "x"),), control=HONEST)
    assert document(small(odd))["vectors"][-1]["verdict"] == ["contain"]


def test_a_stated_verdict_is_kept():
    """Sequences, whose verdicts nobody can compute from one op, would lose them."""
    row = Row(
        "climb", ATTACK.ops * 2, verdict=(Verdict.DENY, Verdict.CONTAIN), reason="path_traversal"
    )
    vector = document(small(row))["vectors"][0]
    assert (vector["verdict"], vector["reason"]) == (["deny", "contain"], "path_traversal")


def test_a_sequence_must_state_its_verdicts():
    """A sequence would get the verdict of its first op."""
    with pytest.raises(ValueError, match="too many values"):
        document(small(Row("climb", ATTACK.ops * 2)))


def test_an_id_depends_on_what_the_vector_means():
    """A changed vector would keep its id, and a baseline would hide the new finding."""
    base = vector_id(ATTACK, "small")
    wider = Row("climb", ATTACK.ops, grant={"fs_read": ["/"]})
    linked = Row("climb", ATTACK.ops, world={"links": {"/work/a": "/etc/p"}})
    others = [
        vector_id(ATTACK, "other"),
        vector_id(wider, "small"),
        vector_id(linked, "small"),
        vector_id(HONEST, "small"),
    ]
    assert base not in others
    assert len(set(others)) == len(others)
    assert base == vector_id(Row("climb", ATTACK.ops, comment="said otherwise"), "small")


def test_parts_of_the_family_are_replaced_not_mixed():
    """A vector with its own files would still see the family's."""
    row = Row("outside", ATTACK.ops, surfaces=("path",), world={"files": {"/work/b": "x"}})
    vector = document(small(row))["vectors"][0]
    assert (vector["world"], vector["surfaces"]) == ({"files": {"/work/b": "x"}}, ["path"])


# ---------------------------------------------------------------- plans


def test_a_plan_writes_each_op_once():
    """Two techniques that meet in one spelling would be two vectors for one fault."""
    rows = list(Plan(("climb", "climb")).rows())
    assert len(rows) == len({row.ops for row in rows}) == 2


def test_a_write_is_asked_of_sessions_only():
    """A path target would be asked to write, and skip the vector silently."""
    surfaces = {row.ops[0][0]: row.surfaces for row in Plan(("climb",)).rows()}
    assert surfaces == {"fs_read": (), "fs_write": ("session",)}


def test_a_technique_of_paths_alone_is_not_written_for_doors():
    """A session would be asked what shows another fault there."""
    rows = list(Plan(("climb-to-sibling",)).rows())
    assert {row.surfaces for row in rows} == {("path",)}
    assert {row.ops[0][0] for row in rows} == {"fs_read"}


def test_a_plan_below_a_root_leaves_out_the_rest():
    """Paths outside a special grant would repeat what the common grant has shown."""
    paths = [row.ops[0][1] for row in Plan(("procfs-descriptor",), (FAR,), below="/dev/").rows()]
    assert paths
    assert all(path.startswith("/dev/") for path in paths)


def test_what_a_climb_means_is_where_it_leads():
    """A reader would be told another place than the one that is reached."""
    assert meant("/work/../workshop/x", "/etc/passwd") == "/workshop/x"
    assert meant("/work/%2e%2e/etc/passwd", "/etc/passwd") == "/etc/passwd"


def test_a_family_of_plans_has_a_note_for_every_flag():
    """Loading would fail, or a flag would be explained nowhere."""
    made = family("some", "CWE-22", (Plan(("climb", "percent-dots")),))
    assert set(made.notes) == {"traversal", "decoding"}
    assert "links" not in made.world


# ---------------------------------------------------------------- what the path families state


def test_every_path_technique_is_expanded():
    """A technique would be described and never tried."""
    used = {one.technique for name in PATH_NAMES for one in loaded(name)}
    ours = {name for name, one in TECHNIQUES.items() if ".paths_" in one.spell.__module__}
    assert set() == ours - used


@pytest.mark.parametrize("name", [*PATH_NAMES, "reports-paths"])
def test_the_oracle_rules_what_is_stated_on_every_surface(name):
    """A vector would demand what is not right, and a right target would be blamed."""
    for one in loaded(name):
        if len(one.case.ops) == 1 or one.control is None or name == "reports-paths":
            for surface in one.surfaces:
                assert list(one.case.verdicts) == stated(one, surface), one.id


def stated(one, surface):
    """Return what the oracle makes of a vector, each op by itself."""
    rulings = []
    files = set(one.case.world.files)
    for op in one.case.ops:
        setting = Setting(one.case.grant, one.case.world, files, surface=surface)
        verdict = rule(op, setting).verdict
        if op[0] == "fs_write" and verdict is not Verdict.DENY:
            files.add(resolve(op[1], one.case.world.links))
        if one.control is not None and (verdict is Verdict.ALLOW or one.technique == "file-scheme"):
            # A harmless name may be refused; a function of root and path may take a URL for one.
            verdict = Verdict.CONTAIN if "report" not in one.id else verdict
        rulings.append(verdict)
    return rulings


@pytest.mark.parametrize("name", [*PATH_NAMES, "reports-paths"])
def test_the_engine_denies_and_allows_what_is_stated(name):
    """The reference engine would be blamed by its own corpus, or the corpus demand too little."""
    for one in loaded(name):
        if Surface.SESSION in one.surfaces:
            assert list(differences(one)) == [], one.id


def differences(one):
    """Yield the ops of a vector that the engine does not answer as stated."""
    case = one.case
    vfs = VFS(case.world.files, case.world.links)
    box = Sandbox(case.grant, vfs=vfs, net=Net(case.world.hosts))
    for op, verdict in zip(case.ops, case.verdicts, strict=True):
        before, result = vfs.snapshot(), box.run(op)
        denied = result.violation is not None and vfs.snapshot() == before
        if verdict is Verdict.DENY and not denied:
            yield op, verdict, result
        if verdict is Verdict.ALLOW and not result.ok:
            yield op, verdict, result


@pytest.mark.parametrize("name", [*PATH_NAMES, "reports-paths"])
def test_the_stated_reason_is_the_one_that_is_right(name):
    """A target that gives the right reason would be warned."""
    for one in loaded(name):
        setting = Setting(one.case.grant, one.case.world, one.case.world.files)
        if one.reason is not None:
            denied = zip(one.case.ops, one.case.verdicts, strict=True)
            ops = [op for op, verdict in denied if verdict is Verdict.DENY]
            assert one.reason in rule(ops[0], setting).reasons, one.id


@pytest.mark.parametrize("name", PATH_NAMES)
def test_no_two_attacks_of_a_family_try_the_same(name):
    """One fault would be counted twice, and the numbers of the corpus would mean nothing."""
    tried = Counter(
        (repr(one.case.ops), repr(one.case.grant), tuple(one.surfaces))
        for one in loaded(name)
        if one.control is not None
    )
    assert {what: count for what, count in tried.items() if count > 1} == {}


@pytest.mark.parametrize("name", [*PATH_NAMES, "reports-paths"])
def test_every_attack_has_a_control_at_the_same_door(name):
    """A target that refuses everything at that door would pass."""
    controls = {one.id: one for one in loaded(name)}
    for one in loaded(name):
        if one.control is not None:
            control = controls[one.control]
            assert set(control.case.verdicts) == {Verdict.ALLOW}
            assert control.case.grant == one.case.grant
            assert set(one.surfaces) <= set(control.surfaces), one.id


@pytest.mark.parametrize("name", [*PATH_NAMES, "reports-paths"])
def test_every_world_can_be_planted(name):
    """A real tree could not hold the files, and path targets could not be attacked."""
    for one in loaded(name):
        places = [*one.case.world.files, *one.case.world.links]
        assert not [place for place in places if "\0" in place]
        assert all(len(part.encode()) <= 255 for place in places for part in place.split("/"))
        below = {place.rpartition("/")[0] for place in places}
        assert set() == below & set(one.case.world.files), one.id


@pytest.mark.parametrize("name", PATH_NAMES)
def test_what_a_path_target_is_asked_can_be_asked(name):
    """A vector for a function of root and path would need two roots, a write or a tool."""
    for one in loaded(name):
        if Surface.PATH in one.surfaces:
            assert len(one.case.grant.fs_read) == 1
            assert {op[0] for op in one.case.ops} == {"fs_read"}


def test_relative_paths_and_loops_are_not_asked_of_functions():
    """A function that takes a relative path for one below the root is right, and would be blamed."""
    for one in path_vectors():
        if Surface.PATH in one.surfaces and Verdict.DENY in one.case.verdicts:
            paths = [op[1] for op in one.case.ops]
            assert all(path.startswith("/") for path in paths), one.id


def test_a_secret_says_where_it_stands():
    """A leak could not be traced to the file that it came from."""
    for one in path_vectors():
        for place, content in one.case.world.files.items():
            if "." in place and content.startswith(b"secret of "):
                assert place.encode() in content
                assert not within(place, ["/work"]) or one.case.family == "path-grants"


def test_no_world_holds_a_tool_that_a_path_could_call():
    """A vector about paths would depend on a tool."""
    tools = [kind for one in path_vectors() for kind in one.case.world.tools.values()]
    assert tools == [kind for kind in tools if kind is Behaviour.NOTHING]
    assert BOTH == ("session", "path")

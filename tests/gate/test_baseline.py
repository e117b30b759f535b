"""The baseline: what is accepted fails nobody, all else does, and a file is edited with care."""

import json
import re
from dataclasses import replace
from datetime import date

import pytest
from capfuzz.attacks.invariants import Severity
from capfuzz.gate.baseline import Entry, applied, read
from capfuzz.gate.baseline_update import Changes, Terms, update
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Acceptance, Finding, Report, Tally

ONE, TWO, THREE = "CF-1111111111", "CF-2222222222", "CF-3333333333"
DAY = date(2026, 6, 15)
TERMS = Terms("see #12", "ana", date(2026, 12, 31))


def found(name, severity=Severity.ERROR, family="path-links"):
    """Return a finding of which the id matters."""
    return Finding(
        id=name,
        invariant="confined",
        family=family,
        technique="link-to-file",
        severity=severity,
        grant={},
        ops=[],
        observed="",
        expected="",
        cwe="CWE-59",
        refs=(),
        replay="",
        hits=1,
        vector="",
    )


def report(*findings, **changed):
    """Return the report of a campaign that tried the families of links and of generated ops."""
    whole = {
        "spec": "py:my:make",
        "surface": "session",
        "seed": 0,
        "profile": "standard",
        "verdict": "broken" if findings else "held",
        "counts": {},
        "invariants": {},
        "findings": findings,
        "duration_s": 0,
        "matrix": {"path-links": {"confined": Tally(2, 0)}, "generated": {}},
    }
    return Report(**{**whole, **changed})


def judged(entry, made, day=DAY):
    """Return what a report says of one entry: its acceptance, whether it is fixed, the status."""
    told = applied(made, [entry], day)
    return told.accepted.get(entry.id), entry.id in told.fixed, told.exit_status


def test_what_is_accepted_fails_nobody_until_the_day_after_its_last():
    """A known finding would fail a team, or an old promise never be kept."""
    entry = Entry(ONE, "why", "ana", date(2026, 6, 15))
    known = Acceptance("why", "ana", date(2026, 6, 15))
    assert (known, False, 0) == judged(entry, report(found(ONE)))
    late = Acceptance("why", "ana", date(2026, 6, 15), expired=True)
    assert (late, False, 1) == judged(entry, report(found(ONE)), date(2026, 6, 16))
    assert (known, False, 1) == judged(entry, report(found(ONE), found(TWO)))
    assert (Acceptance("why", "ana"), False, 0) == judged(
        Entry(ONE, "why", "ana"), report(found(ONE))
    )


def test_an_entry_for_another_target_accepts_nothing():
    """One team's excuse would hide the same fault of another sandbox."""
    other = Entry(ONE, "why", "ana", target="py:other:make")
    assert (None, False, 1) == judged(other, report(found(ONE)))
    assert (None, False, 0) == judged(other, report())


def test_where_two_entries_accept_one_finding_the_one_that_holds_does():
    """An entry would be renewed and its finding still fail."""
    entries = [
        Entry(ONE, "for this", "ana", target="py:my:make"),
        Entry(ONE, "for any", "ana", date(2026, 1, 1)),
    ]
    for order in (entries, entries[::-1]):
        assert applied(report(found(ONE)), order, DAY).exit_status == 0


@pytest.mark.parametrize(
    ("accepted", "seen", "also"),
    [
        (("read",), ("read",), ()),
        (("read", "write"), ("write",), ()),
        (("read",), ("read", "write"), ("write",)),
        ((), ("fetch",), ("fetch",)),
        (("read",), (), ()),
        (None, ("read", "write"), ()),
        (("read",), None, ()),
    ],
)
def test_a_finding_is_accepted_for_the_effects_of_its_entry_alone(accepted, seen, also):
    """A place that everybody knows can be read would be written to, and the gate be green."""
    entry = Entry(ONE, "why", "ana", effects=accepted)
    made = report(replace(found(ONE), effects=seen))
    known = Acceptance("why", "ana", effects=accepted, also=also)
    assert (known, False, int(bool(also))) == judged(entry, made)


def test_an_accepted_finding_does_not_hide_that_something_was_not_measured():
    """A gate would be green over attacks that were never made."""
    hung = report(found(ONE), remarks=("100 of 200 attacks: left out",))
    assert applied(hung, [Entry(ONE, "why", "ana")], DAY).exit_status == 2


GENERATED = Entry(ONE, "why", "ana", family="generated", profile="standard")
FIXED = {
    "all was tried": (Entry(ONE, "why", "ana"), {}, True),
    "its family was tried": (
        Entry(ONE, "why", "ana", family="path-links", profile="deep"),
        {"families": ("path-links",), "profile": "quick"},
        True,
    ),
    "some families were tried": (Entry(ONE, "why", "ana"), {"families": ("path-links",)}, False),
    "its family was left out": (Entry(ONE, "why", "ana", family="url-names"), {}, False),
    "as much was drawn": (GENERATED, {}, True),
    "more was drawn": (GENERATED, {"profile": "deep"}, True),
    "less was drawn": (GENERATED, {"profile": "quick"}, False),
    "something was left out": (Entry(ONE, "why", "ana"), {"remarks": ("left out",)}, False),
}


@pytest.mark.parametrize(("entry", "campaign", "fixed"), FIXED.values(), ids=FIXED)
def test_fixed_is_what_would_have_been_found(entry, campaign, fixed):
    """An entry would be taken out though nobody tried, and its finding fail the next full run."""
    assert fixed == judged(entry, report(**campaign))[1]


FAULTY = {
    "no TOML": ("[[accepted", "b.toml: not TOML: "),
    "another list": ("[[ignored]]", "b.toml: must hold nothing but a list of entries called acc"),
    "no list": ("accepted = 3", "b.toml: must hold nothing but a list of entries"),
    "no table": ("accepted = [3]", "b.toml: entry 1: must be a table with id, reason and owner"),
    "no id": ("[[accepted]]", "b.toml: entry 1: id must be a text that is not empty"),
    "bad id": (
        '[[accepted]]\nid="path"\nreason="r"\nowner="o"',
        "b.toml: entry 1 ('path'): id must be that of a finding, such as CF-0123456789",
    ),
    "no reason": (
        f'[[accepted]]\nid="{ONE}"\nowner="o"',
        f"b.toml: entry 1 ('{ONE}'): reason must be a text that is not empty",
    ),
    "blank owner": (
        f'[[accepted]]\nid="{ONE}"\nreason="r"\nowner=" "',
        f"b.toml: entry 1 ('{ONE}'): owner must be a text that is not empty",
    ),
    "a typo": (
        f'[[accepted]]\nid="{ONE}"\nreson="r"\nowner="o"',
        f"b.toml: entry 1 ('{ONE}'): no such key: 'reson'; did you mean reason?",
    ),
    "no day": (
        f'[[accepted]]\nid="{ONE}"\nreason="r"\nowner="o"\nexpires="soon"',
        f"b.toml: entry 1 ('{ONE}'): expires must be a day such as 2026-12-31",
    ),
    "an hour": (
        f'[[accepted]]\nid="{ONE}"\nreason="r"\nowner="o"\nexpires=2026-12-31T10:00:00',
        f"b.toml: entry 1 ('{ONE}'): expires must be a day such as 2026-12-31",
    ),
    "no profile": (
        f'[[accepted]]\nid="{ONE}"\nreason="r"\nowner="o"\nprofile="fast"',
        f"b.toml: entry 1 ('{ONE}'): profile must be one of quick, standard, deep",
    ),
    "no kind of effect": (
        f'[[accepted]]\nid="{ONE}"\nreason="r"\nowner="o"\neffects=["delete"]',
        f"b.toml: entry 1 ('{ONE}'): effects must be a list of kinds of effect: read, write, fetch",
    ),
    "no list of effects": (
        f'[[accepted]]\nid="{ONE}"\nreason="r"\nowner="o"\neffects="read"',
        f"b.toml: entry 1 ('{ONE}'): effects must be a list of kinds of effect: read, write, fetch",
    ),
    "twice": (
        f'[[accepted]]\nid="{ONE}"\nreason="r"\nowner="o"\n' * 2,
        f"b.toml: entry 2: {ONE} is there twice; keep one of them",
    ),
}


@pytest.mark.parametrize(("text", "said"), FAULTY.values(), ids=FAULTY)
def test_a_faulty_file_is_told_with_file_entry_and_rule(text, said, tmp_path, monkeypatch):
    """A typo would accept nothing, or all, without a word."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(UsageError) as told:
        read("b.toml")
    assert str(told.value).startswith(said)
    before = (tmp_path / "b.toml").read_text()
    with pytest.raises(UsageError):
        update("b.toml", report(found(TWO)), TERMS, DAY)
    assert before == (tmp_path / "b.toml").read_text()


@pytest.mark.parametrize("name", ["b.toml", "b.json"])
def test_an_update_writes_what_is_read_again(name, tmp_path):
    """The next attack would not know what was accepted, or on what terms."""
    path = str(tmp_path / name)
    hostile = Terms('a "quoted"\n\\ \x7f [[accepted]] é', "ana", None)
    made = report(replace(found(ONE), effects=("read",)), found(TWO, Severity.WARNING))
    assert Changes((ONE,), (), ()) == update(path, made, hostile, DAY)
    entry = Entry(
        *(ONE, hostile.reason, "ana", None, "py:my:make"),
        family="path-links",
        profile="standard",
        effects=("read",),
    )
    assert (entry,) == read(path)
    update(path, report(found(ONE), found(TWO)), TERMS, DAY)
    assert [entry.reason, "see #12"] == [one.reason for one in read(path)]
    assert read(path)[1].expires == date(2026, 12, 31)


KEPT = f"""\
# Ours.

# An old friend.
[[accepted]]  # since the beginning
id = "{ONE}"
reason = '''of
[two] lines'''
owner = "ana"   # and bo

# Gone soon.
[[accepted]]
id = "{TWO}"
reason = "r"
owner = "ana"

# Not to be forgotten.

# Over.
[[accepted]]
id = "{THREE}"
reason = "r"
owner = "ana"
expires = 2026-01-01
# the end
"""
UPDATED = f"""\
# Ours.

# An old friend.
[[accepted]]  # since the beginning
id = "{ONE}"
reason = '''of
[two] lines'''
owner = "ana"   # and bo

# Not to be forgotten.

# Over.
[[accepted]]
id = "{THREE}"
reason = "see #12"
owner = "ana"
expires = 2026-12-31
target = "py:my:make"
family = "path-links"
profile = "standard"
# the end
"""


def test_an_update_leaves_comments_and_what_still_holds(tmp_path):
    """Why an entry is there would be lost with the first update."""
    path = tmp_path / "b.toml"
    path.write_text(KEPT)
    changes = update(str(path), report(found(ONE), found(THREE)), TERMS, DAY)
    assert Changes((), (THREE,), (TWO,)) == changes
    assert path.read_text() == UPDATED


def test_a_file_that_cannot_be_edited_with_care_is_left_alone(tmp_path):
    """An entry written in a rare way would be lost, or its neighbour be."""
    path = tmp_path / "b.toml"
    rare = f'accepted = [{{id = "{ONE}", reason = "r", owner = "o"}}]\n'
    path.write_text(rare)
    with pytest.raises(UsageError, match="cannot be edited without touching the rest"):
        update(str(path), report(found(ONE), found(TWO)), TERMS, DAY)
    assert path.read_text() == rare


def test_only_what_was_named_is_accepted(tmp_path):
    """A new finding would slip in with the one that a person meant."""
    path = str(tmp_path / "b.toml")
    made = report(found(ONE), found(TWO), found(THREE, Severity.NOTE))
    update(path, made, Terms("r", "ana", None, only=(TWO, THREE)), DAY)
    assert [TWO, THREE] == [one.id for one in read(path)]
    with pytest.raises(UsageError, match=f"--only CF-111111111: not in the report.* mean {ONE}"):
        update(path, made, Terms("r", "ana", None, only=("CF-111111111",)), DAY)


@pytest.mark.parametrize("terms", [Terms(None, "ana", None), Terms("r", " ", None)])
def test_nothing_is_accepted_without_a_reason_and_an_owner(terms, tmp_path):
    """Nobody would know later why a gate lets it pass."""
    path = tmp_path / "b.toml"
    with pytest.raises(UsageError, match="say why with --reason, and who answers"):
        update(str(path), report(found(ONE)), terms, DAY)
    assert not path.exists()


FAULT = "py:capfuzz.targets.broken.session:links_followed"
ASKED = (FAULT, "--profile=quick", "--family=path-links")


def test_a_finding_is_accepted_expires_and_is_told_when_it_is_fixed(run, tmp_path):
    """The way that a team goes with a known finding would end somewhere."""
    before = run("attack", *ASKED, "--json=r.json")
    assert before.returncode == 1
    done = run("baseline", "update", "b.toml", "--from=r.json", "--reason=#12", "--owner=ana")
    assert (done.returncode, done.stderr) == (0, "")
    accepted = run("attack", *ASKED, "--baseline=b.toml", "--json=r.json")
    assert accepted.returncode == 0
    told = json.loads((tmp_path / "r.json").read_text())
    (name,) = told["accepted"]
    assert (told["verdict"], [one["id"] for one in told["findings"]]) == ("broken", [name])
    assert f"accepted {name} by ana: #12" in accepted.stdout
    path = tmp_path / "b.toml"
    text = path.read_text()
    path.write_text(text.replace('owner = "ana"\n', 'owner = "ana"\nexpires = 2001-01-01\n'))
    expired = run("attack", *ASKED, "--baseline=b.toml")
    assert expired.returncode == 1
    assert re.search(r"baseline  expired: accepted CF-\w+ until 2001-01-01", expired.stdout)
    assert "2001-01-01 expired" in run("baseline", "show", "b.toml").stdout
    path.write_text("".join(one for one in text.splitlines(keepends=True) if "target" not in one))
    fixed = run("attack", *ASKED[1:], "--baseline=b.toml")
    assert fixed.returncode == 0
    assert f"fixed {name}: not found any more" in fixed.stdout
    done = run("baseline", "update", "b.toml", *ASKED[1:])
    assert (done.returncode, name in path.read_text()) == (0, False)


def test_a_baseline_is_updated_from_an_attack(run, tmp_path):
    """A first baseline would take two commands, and one of a target that cannot be asked be empty."""
    terms = ("--reason=#12", "--owner=ana", "--expires=2999-12-31")
    done = run("baseline", "update", "b.toml", *ASKED, *terms)
    assert done.returncode == 0
    (entry,) = read(str(tmp_path / "b.toml"))
    assert (entry.expires, entry.target) == (date(2999, 12, 31), FAULT)
    assert run("baseline", "update", "none.toml", "py:nowhere:make", *terms).returncode == 2
    assert not (tmp_path / "none.toml").exists()


def test_a_missing_baseline_is_told_before_anything_runs(run):
    """A typo in the name would accept nothing, after minutes."""
    done = run("attack", "--baseline=none.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "Error: none.toml: no such baseline; `capfuzz baseline update none.toml` writes one\n"
    )


# Lets one place outside be reached, by ops of the kinds that it names.
LEAKS = """
from capfuzz.engine import Sandbox

class Result:
    ok, output, violation, hard = True, None, None, None

class Box:
    def __init__(self, caps, world):
        self.box = Sandbox(caps, vfs=world.vfs, net=world.net, tools=world.tools, clock=world.clock)
        self.acts = {{"fs_read": world.vfs.read, "fs_write": world.vfs.write}}

    def run(self, op):
        match op:
            case ("fs_read", "/etc/passwd") | ("fs_write", "/etc/passwd", str() | bytes()):
                if op[0] in {kinds}:
                    self.acts[op[0]](*op[1:])
                    return Result()
        return self.box.run(op)
"""
LEAK = ("py:target:Box", "--profile=quick", "--family=path-outside", "--family=generated")


def test_what_is_accepted_for_reading_is_not_for_writing(run, target, tmp_path):
    """The same sandbox would come to be written out of, and its gate stay green."""
    target(LEAKS.format(kinds=["fs_read"]))
    terms = ("--reason=#12", "--owner=ana")
    assert run("baseline", "update", "b.toml", *LEAK, *terms).returncode == 0
    name = next(one.id for one in read(str(tmp_path / "b.toml")) if one.effects == ("read",))
    assert run("attack", *LEAK, "--baseline=b.toml").returncode == 0

    target(LEAKS.format(kinds=["fs_read", "fs_write"]))
    later = run("attack", *LEAK, "--baseline=b.toml", "--json=r.json")
    assert later.returncode == 1
    assert f"{name} accepted for read; now also write\n" in later.stdout
    told = json.loads((tmp_path / "r.json").read_text())
    assert told["accepted"][name]["also"] == ["write"]
    (shown,) = [one for one in told["findings"] if one["id"] == name]
    assert ["fs_write"] == [op for op, *_ in shown["ops"]]
    assert "wrote '/etc/passwd'" in shown["observed"]
    two = run("attack", *LEAK, "--baseline=b.toml", "--json=two.json", "-j2")
    assert two.returncode == 1
    also = json.loads((tmp_path / "two.json").read_text())
    assert {**told, "duration_s": 0} == {**also, "duration_s": 0}

    done = run("baseline", "update", "b.toml", "--from=r.json", *terms)
    assert f"b.toml: {name} accepted again\n" in done.stdout
    assert run("attack", *LEAK, "--baseline=b.toml").returncode == 0
    assert "read, write" in run("baseline", "show", "b.toml").stdout

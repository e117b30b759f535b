"""The table of real packages and the command that attacks them."""

# ruff: noqa: E402 - the scripts are found by their folder; tests read expected == actual

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

DETECTION = Path(__file__).parents[2] / "benchmarks" / "detection"
sys.path.insert(0, str(DETECTION))

import entries
import pythons
import rooms
import run
import tables
import verdicts
from entries import EntryError, entry_from
from programs import Programs, RoomError
from verdicts import Finding, Outcome, Report, ReportError, Status

RUN = DETECTION / "run.py"
WHOLE = {
    "id": "demo-1",
    "package": "demo",
    "ecosystem": "pypi",
    "runtime": "3.11",
    "surface": "path",
    "adapter": "demo:join",
    "vulnerable": "1.0",
    "fixed": "1.1",
    "techniques": ["prefix"],
    "documents": "joins by text",
    "why": "no separator",
}
ENTRY = entry_from(WHOLE)
VULNERABLE, FIXED = ENTRY.sides()


# --- the table itself -------------------------------------------------------------------------


def test_the_table_is_well_formed():
    """An entry without what the runner needs would only be noticed in the middle of a run."""
    loaded = entries.load()
    required = {"starlette-2023-29159", "fsspec-dirfs", "django-safe-join", "werkzeug-safe-join"}
    assert required <= {entry.id for entry in loaded}
    assert [] == [entry.id for entry in loaded if not entry.surface or not list(entry.sides())]


def test_every_adapter_is_there_and_needs_nothing_to_be_imported():
    """An adapter that imports its package at the top could be read only where that is installed."""
    wanted = sorted({side.adapter for entry in entries.load() for side in entry.sides()})
    script = (
        "import importlib, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "for spec in sys.argv[2:]:\n"
        "    module, name = spec.split(':')\n"
        "    assert callable(getattr(importlib.import_module(module), name)), spec\n"
        "    print(spec)\n"
    )
    # -S leaves out site-packages: nothing but the standard library can be imported.
    command = [sys.executable, "-S", "-B", "-c", script, str(entries.ADAPTERS), *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (wanted, "") == (done.stdout.split(), done.stderr)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"package": ""}, "package must be given"),
        ({"why": ""}, "why must be given"),
        ({"documents": ""}, "documents must be given"),
        ({"adaptor": "x:y"}, "adaptor is not a key"),
        ({"options": "--follows-links"}, "options must be a list"),
        ({"no_deps": "yes"}, "no_deps must be a bool"),
        ({"vulnerable": 1}, "vulnerable must be a str"),
        ({"ecosystem": "cargo"}, "ecosystem must be one of"),
        ({"surface": "paths"}, "surface must be one of"),
        ({"adapter": "demo.join"}, "adapter must be module:function"),
        ({"techniques": []}, "techniques must say"),
        ({"vulnerable": "", "fixed": ""}, "vulnerable or fixed or current must be given"),
        ({"runtime": ""}, "runtime must name"),
    ],
)
def test_a_faulty_entry_is_refused_by_name(change, named):
    """A typing error in the table would be taken for a default and silently change the run."""
    with pytest.raises(EntryError, match="entry demo-1: ") as caught:
        entry_from({**WHOLE, **change})
    assert named in str(caught.value)


def test_two_entries_with_one_id_are_refused(tmp_path):
    """One of the two could never be run by name."""
    text = "".join(
        f"{key} = {json.dumps(value)}\n" for key, value in WHOLE.items() if key != "techniques"
    )
    text = f"[[entry]]\n{text}techniques = ['prefix']\n"
    (tmp_path / "packages.toml").write_text(text + text)
    with pytest.raises(EntryError, match="demo-1: id two entries carry it"):
        entries.load(tmp_path / "packages.toml")


def test_the_standard_library_runs_on_the_version_itself():
    """An entry of the standard library would be attacked on some other Python."""
    entry = entry_from({**WHOLE, "ecosystem": "stdlib", "vulnerable": "3.7.16", "fixed": "3.8.18"})
    assert ["3.7.16", "3.8.18"] == [side.runtime for side in entry.sides()]


def test_the_fixed_use_replaces_the_adapter_of_the_fixed_side_only():
    """The faulty use would be attacked twice and the right one never."""
    entry = entry_from({**WHOLE, "fixed_adapter": "demo:right", "current": "2.0"})
    assert ["demo:join", "demo:right", "demo:join"] == [side.adapter for side in entry.sides()]


# --- reading a report -------------------------------------------------------------------------


def _finding(technique="sibling", ops=1, severity="error", family="paths"):
    op = ["fs_read", "/srv/static/../static_x/f"]
    return {
        "technique": technique,
        "family": family,
        "severity": severity,
        "ops": [op] * ops,
        "observed": "accepted; read '/srv/static_x/f'",
    }


def _report_text(verdict, *findings):
    return json.dumps({"verdict": verdict, "findings": list(findings)})


def test_a_report_is_read_with_its_errors_only():
    """Warnings would be counted as escapes, or the group of a technique be lost."""
    text = _report_text(
        "broken", _finding(), _finding(severity="warning"), _finding(severity="note")
    )
    report = verdicts.report_from(text, {"sibling": "prefix"})
    assert ("broken", 1, 2) == (report.verdict, len(report.errors), report.warnings)
    assert frozenset({"sibling", "prefix", "paths"}) == report.errors[0].names
    assert (["fs_read", "/srv/static/../static_x/f"],) == report.errors[0].ops


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"verdict": "held"}',
        '{"verdict": "held", "findings": 3}',
        '{"verdict": "broken", "findings": [{"severity": "error"}]}',
        '{"verdict": "broken", "findings": [{"technique": "x"}]}',
    ],
)
def test_an_unreadable_report_is_said_to_be_so(text):
    """Half a report, of a command that crashed while writing, would count as a result."""
    with pytest.raises(ReportError, match="the report cannot be read"):
        verdicts.report_from(text, {})


# --- the verdict on a side --------------------------------------------------------------------

SIBLING = Finding("sibling", frozenset({"sibling", "prefix", "paths"}), (["fs_read", "/x"],))
LONG = replace(SIBLING, ops=(["fs_read", "/y"], ["fs_read", "/x"]))
OTHER = Finding("dots", frozenset({"dots", "traversal", "paths"}), (["fs_read", "/z"],))
HELD, NOTHING = Report("held", ()), ()


@pytest.mark.parametrize(
    ("report", "status", "said"),
    [
        (Report("broken", (SIBLING,)), Status.AS_EXPECTED, ""),
        (Report("broken", (OTHER, LONG, SIBLING)), Status.AS_EXPECTED, ""),
        (HELD, Status.MISSED, "held"),
        (Report("broken", (OTHER,)), Status.MISSED, "not by prefix"),
        (Report("broken", (LONG,)), Status.MISSED, "the reproducer has 2 ops"),
        (Report("broken", NOTHING), Status.UNMEASURED, "broken with 0 findings"),
        (Report("held", (SIBLING,)), Status.UNMEASURED, "held with 1 findings"),
        (Report("inconclusive", NOTHING), Status.UNMEASURED, "settles nothing"),
        (Report("inconclusive", (SIBLING,)), Status.UNMEASURED, "settles nothing"),
    ],
)
def test_a_vulnerable_version_must_be_found_by_the_right_technique(report, status, said):
    """A miss, or a hit for another reason, would pass as detection."""
    outcome = verdicts.judge(VULNERABLE, report, 1.5)
    assert (status, 1.5) == (outcome.status, outcome.seconds)
    assert said in outcome.remark


@pytest.mark.parametrize(
    ("remaining", "report", "status", "said"),
    [
        ([], HELD, Status.AS_EXPECTED, ""),
        ([], Report("held", (), warnings=3), Status.AS_EXPECTED, ""),
        ([], Report("broken", (OTHER,)), Status.FALSE_ALARM, "has an error: dots"),
        ([], Report("broken", (SIBLING,)), Status.FALSE_ALARM, "has an error: sibling"),
        (["traversal"], Report("broken", (OTHER,)), Status.AS_EXPECTED, "but for the known"),
        (["traversal"], Report("broken", (OTHER, SIBLING)), Status.FALSE_ALARM, "error: sibling"),
        (["traversal"], HELD, Status.MISSED, "the known traversal was not found"),
        ([], Report("inconclusive", NOTHING), Status.UNMEASURED, "settles nothing"),
    ],
)
def test_a_fixed_version_must_hold_but_for_what_is_known(remaining, report, status, said):
    """A false alarm would go unseen, or a hole known to remain would hide another one."""
    side = replace(FIXED, entry=replace(ENTRY, remaining=tuple(remaining)))
    outcome = verdicts.judge(side, report)
    assert status == outcome.status
    assert said in outcome.remark


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([Status.AS_EXPECTED, Status.AS_EXPECTED], 0),
        ([Status.AS_EXPECTED, Status.MISSED], 1),
        ([Status.AS_EXPECTED, Status.FALSE_ALARM], 1),
        ([Status.AS_EXPECTED, Status.UNMEASURED], 2),
        ([Status.UNMEASURED, Status.MISSED], 1),
        ([], 2),
    ],
)
def test_the_exit_status_says_the_worst(statuses, expected):
    """CI would go on after a miss, or take a run that measured nothing for a good one."""
    outcomes = [Outcome(VULNERABLE, status) for status in statuses]
    assert expected == verdicts.exit_status(outcomes)


# --- what is printed --------------------------------------------------------------------------

OUTCOMES = [
    Outcome(VULNERABLE, Status.AS_EXPECTED, "broken", SIBLING, seconds=2.04),
    Outcome(FIXED, Status.FALSE_ALARM, "broken", OTHER, "has an error: dots", 3.0),
]


def test_a_row_says_what_was_found_and_what_held():
    """A reader of the table would take a false alarm for a version that held."""
    row = ("demo-1", "1.0", "yes", "sibling", "1", "2.0", "1.1", "NO", "3.0")
    assert [row] == tables.rows(OUTCOMES)


def test_a_current_version_alone_has_no_vulnerable_columns():
    """An entry without a vulnerable version would read as one that was missed."""
    entry = entry_from({**WHOLE, "vulnerable": "", "fixed": "", "current": "2.0"})
    [side] = entry.sides()
    row = ("demo-1", "-", "-", "-", "-", "-", "2.0", "yes", "0.0")
    assert [row] == tables.rows([Outcome(side, Status.AS_EXPECTED, "held")])


def test_markdown_and_json_carry_the_same_run():
    """The stored table would not show on what it was measured, or lose the remark."""
    about = {"date": "2026-01-02", "machine": "a box"}
    page = tables.markdown(OUTCOMES, about)
    assert "- machine: a box\n" in page
    assert "| demo-1 | 1.0 | yes | sibling | 1 | 2.0 | 1.1 | NO | 3.0 |\n" in page
    assert "- demo-1 fixed 1.1: false alarm; has an error: dots\n" in page
    whole = json.loads(tables.as_json(OUTCOMES, about))
    assert about == whole["about"]
    assert ["as expected", "false alarm"] == [side["status"] for side in whole["sides"]]
    assert [["fs_read", "/x"]] == whole["sides"][0]["ops"]


# --- environments -----------------------------------------------------------------------------

WHEEL = Path("/w/capfuzz.whl")
ONE = rooms.Room(Path("/r"), Path("/r/bin/python"), Path("/r/bin/python"))
TWO = rooms.Room(Path("/r"), Path("/r/new/python"), Path("/r/old/python"))


@pytest.mark.parametrize(
    ("room", "change", "expected"),
    [
        (ONE, {}, [(ONE.driver, [str(WHEEL), "demo==1.0"])]),
        (ONE, {"also": ["six==1.0"]}, [(ONE.driver, [str(WHEEL), "demo==1.0", "six==1.0"])]),
        (
            ONE,
            {"also": ["six==1.0"], "no_deps": True},
            [(ONE.driver, [str(WHEEL), "six==1.0"]), (ONE.inner, ["--no-deps", "demo==1.0"])],
        ),
        (TWO, {}, [(TWO.driver, [str(WHEEL)]), (TWO.inner, ["demo==1.0"])]),
        (TWO, {"ecosystem": "stdlib", "vulnerable": "3.7.16"}, [(TWO.driver, [str(WHEEL)])]),
    ],
)
def test_each_python_gets_what_it_needs(room, change, expected):
    """The package would be missing, not be the pinned one, or capfuzz go into an old Python."""
    side = next(iter(entry_from({**WHOLE, **change}).sides()))
    assert expected == rooms.installs(room, side, WHEEL)


@pytest.mark.parametrize(("room", "spec"), [(ONE, "py:demo:join"), (TWO, "py:bridge:ask")])
def test_the_ordinary_command_line_is_used(room, spec):
    """The table would show what some special way of calling finds, not what users get."""
    side = replace(VULNERABLE, entry=replace(ENTRY, options=("--follows-links",)))
    out = Path("/r/report.json")
    expected = ["attack", spec, "--as", "path", "--profile", "standard", "--follows-links"]
    command = rooms.attack_command(room, side, out)
    assert [*expected, "--json", str(out)] == [str(part) for part in command[1:]]


PYTHONS = tuple(
    pythons.Python(Path(f"/p/{name}"), tuple(int(part) for part in name.split(".")))
    for name in ("3.1.9", "3.11.7", "3.11.10", "3.7.16")
)


@pytest.mark.parametrize(
    ("wanted", "version", "runs"),
    [("3.11", (3, 11, 10), True), ("3.7.16", (3, 7, 16), False), ("3.1", (3, 1, 9), False)],
)
def test_the_newest_fitting_python_is_taken(wanted, version, runs):
    """3.1 would be taken for 3.11, or 3.11.10 for older than 3.11.7."""
    found = pythons.find_python(wanted, PYTHONS)
    assert (version, runs) == (found.version, found.runs_capfuzz)


def test_a_python_that_is_not_here_is_named():
    """An absent interpreter would be replaced by another one and the wrong thing measured."""
    with pytest.raises(RoomError, match=r"no Python 3.12 here; there are 3.1.9, 3.11.10"):
        pythons.find_python("3.12", PYTHONS)


def test_a_program_that_fails_is_told_with_its_words(tmp_path):
    """A failed install would look like a package that held."""
    command = [sys.executable, "-c", "print('no such release'); raise SystemExit(3)"]
    with pytest.raises(RoomError, match=r"ended with 3: no such release"):
        Programs().run(command, cwd=tmp_path, seconds=30)
    assert "no such release\n" == Programs().run(command, cwd=tmp_path, seconds=30, statuses=(3,))


def test_a_program_that_takes_too_long_is_ended_with_what_it_started(tmp_path):
    """A hung attack would keep the run, and its children the machine, busy for ever."""
    with pytest.raises(RoomError, match="took more than"):
        Programs().run(_parent_of_a_sleeper(tmp_path), cwd=tmp_path, seconds=3)
    assert _gone(int((tmp_path / "pid").read_text()))


def test_a_program_may_clean_up_when_it_is_ended(tmp_path):
    """An attack that is ended would leave its planted trees where nobody looks for them."""
    script = (
        "import pathlib, signal, sys, time\n"
        "signal.signal(15, lambda *_: pathlib.Path('made').unlink() or sys.exit())\n"
        "pathlib.Path('made').touch()\n"
        "time.sleep(60)\n"
    )
    with pytest.raises(RoomError, match="took more than"):
        Programs().run([sys.executable, "-c", script], cwd=tmp_path, seconds=3)
    assert [] == list(tmp_path.iterdir())


def test_nothing_starts_after_the_end(tmp_path):
    """A thread that still installs would fill the folder that was just removed."""
    some = Programs()
    some.close()
    with pytest.raises(RoomError, match="the run is over"):
        some.run([sys.executable, "-c", "open('made', 'w')"], cwd=tmp_path, seconds=30)
    assert [] == list(tmp_path.iterdir())


def _parent_of_a_sleeper(folder):
    # It ends when asked to, its child does not.
    script = (
        "import pathlib, subprocess, sys\n"
        "nap = 'import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)'\n"
        "nap = [sys.executable, '-c', nap]\n"
        "child = subprocess.Popen(nap, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        f"pathlib.Path({str(folder)!r}, 'pid').write_text(str(child.pid))\n"
        "child.wait()\n"
    )
    return [sys.executable, "-c", script]


def _gone(pid):
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":  # ended; its new parent has yet to look
            return True
        time.sleep(0.05)
    return False


def _fill_and_fail(folder):
    (folder / "venv").mkdir()
    raise ZeroDivisionError


def test_an_ecosystem_without_an_install_step_is_not_measured(monkeypatch, tmp_path):
    """An entry of a new ecosystem would crash the run, or be attacked with nothing installed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    side = next(replace(ENTRY, ecosystem="cargo").sides())
    with (
        rooms.Rooms() as made,
        pytest.raises(RoomError, match="cargo packages have no install step"),
    ):
        made.make(side, WHEEL)


@pytest.mark.parametrize(("keep", "left"), [(False, False), (True, True)])
def test_the_folder_is_removed_unless_it_is_kept(keep, left, monkeypatch, tmp_path):
    """Every run would leave hundreds of megabytes behind."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ZeroDivisionError), rooms.Rooms(keep=keep) as made:
        _fill_and_fail(made.folder)
    assert left == bool(list(tmp_path.iterdir()))


def test_an_interrupted_run_leaves_nothing(tmp_path):
    """Ctrl-C during an install would leave environments, or pip running in one."""
    started = subprocess.Popen(
        [sys.executable, RUN, "starlette-2023-29159"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not list(tmp_path.glob("capfuzz-detection-*/builder")):
        assert started.poll() is None
        time.sleep(0.01)
    started.send_signal(signal.SIGTERM)
    said = started.communicate(timeout=60)[1]
    assert (2, []) == (started.returncode, list(tmp_path.iterdir()))
    assert "interrupted" in said


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [([], ["demo-1", "demo-2"]), (["demo-2"], ["demo-2"])],
)
def test_only_the_entries_that_are_asked_for_are_run(wanted, expected):
    """A look at one entry would take as long as all of them."""
    known = (ENTRY, replace(ENTRY, id="demo-2"))
    assert expected == [entry.id for entry in run.chosen(known, wanted)]


def test_an_unknown_entry_is_named_and_nothing_is_run(capsys):
    """A typing error in an id would run nothing and exit as if all were well."""
    assert 2 == run.main(["starlet"])
    assert "entry starlet: there is none; known are starlette-" in capsys.readouterr().err


# --- adapters that need no package ------------------------------------------------------------

GOOD = ["good.example"]


@pytest.fixture
def adapters(monkeypatch):
    """The way to import an adapter, as the command does with its folder as the current one."""
    monkeypatch.syspath_prepend(str(entries.ADAPTERS))
    return importlib.import_module


@pytest.mark.parametrize(
    ("url", "accepted_by"),
    [
        ("https://good.example/a?b=c", ["usual", "strict", "without_user", "redirect"]),
        ("https://evil.example/", []),
        ("https://evil.example\\@good.example/", ["usual"]),
        ("https://good.example\\@evil.example/", []),
        ("https://good.example/\r\nX: y", ["usual"]),
        ("https://good.example@evil.example/", []),
        ("https://evil.example\\.good.example/", []),
        ("//evil.example/", []),
        ("///evil.example/", []),
        ("/\\evil.example/", []),
        ("https:evil.example", []),
        ("/account", ["redirect"]),
    ],
)
def test_the_allow_lists_are_as_right_as_they_claim(url, accepted_by, adapters):
    """The right way to write it would have a hole itself, and the suite be blamed for it."""
    module = adapters("urllib_hosts")
    names = ("usual", "strict", "without_user", "redirect")
    assert accepted_by == [name for name in names if getattr(module, name)(GOOD, url)]


@pytest.fixture
def bridge(adapters, monkeypatch):
    """The bridge to an adapter in another process of this Python, ended afterwards."""
    monkeypatch.setenv("DETECTION_PYTHON", sys.executable)
    monkeypatch.setenv("DETECTION_ADAPTER", "urllib_hosts:usual")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    module = adapters("bridge")
    yield module
    while module._CHILD:
        module._stop()


def test_the_bridge_answers_as_the_adapter_does(bridge):
    """An adapter on an old Python would seem to refuse, or to allow, whatever it says."""
    asked = ["https://good.example/", "https://evil.example/", "https://good.example/\ud800"]
    assert [True, False, True] == [bridge.ask(GOOD, url) for url in asked]
    with pytest.raises(bridge.RefusedError, match="ValueError"):
        bridge.ask(GOOD, "https://[good.example]/")


def test_the_bridge_starts_anew_after_its_program_died(bridge):
    """One crash would refuse every later question, and a refusal counts as holding."""
    assert bridge.ask(GOOD, "https://good.example/")
    bridge._CHILD[0].kill()
    bridge._CHILD[0].wait()
    with pytest.raises((BrokenPipeError, ValueError)):
        bridge.ask(GOOD, "https://good.example/")
    assert bridge.ask(GOOD, "https://good.example/")


# --- for real ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_real_vulnerability_is_found_and_its_fix_holds(tmp_path):
    """The suite would not bite on the fault that it was written for, or bark at the fix."""
    out = tmp_path / "out.json"
    command = [sys.executable, RUN, "starlette-2023-29159", "--json", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    sides = json.loads(out.read_text())["sides"]
    assert [("vulnerable", "broken"), ("fixed", "held")] == [
        (side["role"], side["verdict"]) for side in sides
    ]
    [op] = sides[0]["ops"]
    assert "fs_read" == op[0]

"""Reports: the names that scripts read, files that are whole, a terminal that cannot be moved."""

import io
import json
from dataclasses import replace
from datetime import date

import pytest
from capfuzz.attacks.invariants import INVARIANTS, Severity
from capfuzz.gate.errors import UsageError
from capfuzz.gate.events import Acceptance, Finding, Progress, Report, Source, Tally, Told
from capfuzz.gate.report import as_json, files, formats, from_json, terminal
from rich.console import Console

EXPIRED = Acceptance("known", "ana", date(2026, 1, 31), expired=True)


STEPS = (
    Told(["fs_read", "/work/a"], "allowed", "accepted; read '/work/a'", "allowed"),
    Told(
        ["fs_read", "/etc/passwd"],
        "allowed",
        "accepted; read '/etc/passwd'",
        "refused",
        breaks=True,
    ),
)


def finding(**changed):
    """Return a finding with hostile text in it."""
    plain = {
        "id": "CF-0123456789",
        "invariant": "confined",
        "family": "path-outside",
        "technique": "outside",
        "severity": Severity.ERROR,
        "grant": {"fs_read": ["/work/"]},
        "ops": [["fs_read", "/etc/passwd\x1b[2J[red]"]],
        "observed": "accepted; read '/etc/passwd'",
        "expected": "refused, with no effect (fs_read_denied)",
        "cwe": "CWE-22",
        "refs": ("CVE-2023-29159",),
        "replay": "capfuzz replay '{}' engine",
        "hits": 3,
        "vector": "outside.01234567",
    }
    return Finding(**{**plain, **changed})


def report(*findings, verdict="broken", remarks=(), **more):
    """Return a report with the given findings."""
    tallies = {name: Tally(2, 1) for name in INVARIANTS[:-1]}
    return Report(
        spec="py:target:make",
        surface="session",
        seed=5,
        profile="quick",
        verdict=verdict,
        counts={"attacks": 1, "controls": 1, "generated": 0, "ops": 2},
        invariants={**tallies, INVARIANTS[-1]: Tally(observable=False)},
        findings=findings,
        duration_s=1.23456,
        remarks=remarks,
        **more,
    )


def test_the_json_report_has_the_agreed_names():
    """Scripts outside the project would stop working."""
    told = json.loads(as_json.to_text(report(finding())))
    agreed = ["tool", "target", "seed", "profile", "verdict", "counts", "invariants", "findings"]
    assert {*agreed, "duration_s"} <= told.keys()
    assert told["tool"]["name"] == "capfuzz"
    assert told["target"] == {"spec": "py:target:make", "surface": "session"}
    assert told["invariants"]["confined"] == {"checked": 2, "broken": 1}
    assert told["invariants"][INVARIANTS[-1]] == {"observable": False}
    names = "id invariant family technique severity grant ops observed expected cwe refs replay"
    assert set(names.split()) <= told["findings"][0].keys()


@pytest.mark.parametrize(
    ("findings", "verdict", "fail_on", "status"),
    [
        ((), "held", Severity.ERROR, 0),
        ((finding(),), "broken", Severity.ERROR, 1),
        ((finding(severity=Severity.WARNING),), "held", Severity.ERROR, 0),
        ((finding(severity=Severity.WARNING),), "held", Severity.WARNING, 1),
        ((finding(severity=Severity.NOTE),), "held", Severity.WARNING, 0),
        ((finding(severity=Severity.NOTE),), "held", Severity.NOTE, 1),
        ((), "inconclusive", Severity.ERROR, 2),
        ((finding(),), "broken", Severity.NOTE, 1),
    ],
)
def test_the_exit_status_is_the_contracts(findings, verdict, fail_on, status):
    """A gate would be green over a finding, or red over nothing."""
    assert status == report(*findings, verdict=verdict, fail_on=fail_on).exit_status


@pytest.mark.parametrize(("acceptance", "status"), [(Acceptance("known", "ana"), 0), (EXPIRED, 1)])
def test_an_accepted_finding_fails_nobody_until_it_expires(acceptance, status):
    """A known finding would fail a team for ever, or be forgotten for ever."""
    made = report(finding(), accepted={"CF-0123456789": acceptance})
    assert status == made.exit_status
    other = report(finding(id="CF-9876543210"), accepted={"CF-0123456789": acceptance})
    assert other.exit_status == 1


def test_the_json_report_tells_what_was_accepted_and_what_is_fixed():
    """A script could not tell a known finding from a new one."""
    made = report(finding(), accepted={"CF-0123456789": EXPIRED}, fixed=("CF-9876543210",))
    told = as_json.to_dict(made)
    assert told["accepted"] == {
        "CF-0123456789": {
            "reason": "known",
            "owner": "ana",
            "expires": "2026-01-31",
            "expired": True,
            "effects": None,
            "also": [],
        }
    }
    assert (told["verdict"], told["fixed"]) == ("broken", ["CF-9876543210"])


def test_a_json_report_reads_back_as_the_report_it_was():
    """A baseline made from a report, or a test that judges one, would go by something else."""
    cells = {"path-outside": {"confined": Tally(2, 1)}}
    made = report(
        finding(seen=(("path-outside", "confined"),), bug="b", effect="e", group="g", steps=STEPS),
        *(finding(id="CF-9876543210", severity=Severity.NOTE, effects=("read", "write")),),
        accepted={
            "CF-0123456789": EXPIRED,
            "CF-9876543210": Acceptance("known", "ana", effects=("read",), also=("write",)),
        },
        fixed=("CF-0000000000",),
        remarks=("tool: every control was refused",),
        limits=("net_udp: by its manual",),
        matrix=cells,
        families=("path-outside",),
        fail_on=Severity.WARNING,
        source=Source("src/box.py", 3, 9),
    )
    again = from_json.of_dict(json.loads(as_json.to_text(made)))
    assert replace(made, duration_s=again.duration_s) == again


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a report"),
        ("[]", "not a report"),
        ('{"findings": []}', "not a report that `capfuzz attack --json` wrote: KeyError: 'target'"),
        (None, "r.json: cannot be read: No such file or directory"),
    ],
)
def test_what_is_no_report_is_told_in_one_sentence(text, said, tmp_path):
    """A wrong file would end in a traceback."""
    path = tmp_path / "r.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=said):
        from_json.read(str(path))


def shown(*findings, **told):
    """Return what a terminal of 120 columns shows, with its control sequences."""
    out = io.StringIO()
    console = Console(file=out, width=120, force_terminal=True, color_system="standard")
    terminal.show(report(*findings, **told), console)
    return out.getvalue()


def test_the_terminal_tells_all_of_a_finding_and_what_was_not_observable():
    """A person would have to open the JSON."""
    text = shown(
        finding(), remarks=("tool: every control was refused",), limits=("udp: by its manual",)
    )
    for told in (
        *("CF-0123456789", "confined", "outside", "/work/", "read '/etc/passwd'", "CVE-2023-29159"),
        *(
            "not expressible: udp: by its manual",
            "capfuzz replay",
            "not observable",
            "not measured",
            "tool: every control was refused",
        ),
    ):
        assert told in text


def test_hostile_text_cannot_move_the_cursor_or_use_markup():
    """An attack's own text could forge a verdict on the screen."""
    text = shown(finding(observed="\x1b[2J\rheld: nothing found", replay="[bold]x[/bold]"))
    assert "\x1b[2J" not in text
    assert "\r" not in text
    assert "[bold]x[/bold]" in text


def test_long_sequences_are_cut_with_the_rest_counted():
    """A finding of a thousand ops would push the verdict off the screen."""
    text = shown(finding(ops=[["fs_read", "/work/x"]] * 50))
    assert "42 more ops" in text


def test_progress_is_one_line_a_stage_where_there_is_no_terminal():
    """A log of CI would be full of half-drawn bars."""
    out = io.StringIO()
    with terminal.Ticker(Console(file=out)) as ticker:
        for done in range(11):
            ticker.show(Progress("corpus", done, 10))
    assert out.getvalue() == "corpus: 10 done\n"


def test_a_report_is_written_whole_or_not_at_all(tmp_path):
    """A script would read half a report."""
    path = tmp_path / "report.json"
    files.write(str(path), "first")
    with pytest.raises(UnicodeEncodeError):
        files.write(str(path), "second \ud800")
    assert path.read_text() == "first"
    assert [path] == list(tmp_path.iterdir())


def test_a_written_report_keeps_the_permissions_of_the_old_one(tmp_path):
    """A report that was readable for the team would become private."""
    path = tmp_path / "report.json"
    path.write_text("")
    path.chmod(0o640)
    files.write(str(path), "new")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    """`--json /dev/stderr` would replace the device."""
    files.check_writable("/dev/null")
    files.write("/dev/null", "gone")
    with pytest.raises(UsageError, match="is not a folder"):
        files.check_writable(str(tmp_path / "no" / "report.json"))


@pytest.mark.parametrize(("path", "other"), [("-", "-"), ("r.json", "./r.json")])
def test_two_reports_never_go_to_one_place(path, other):
    """The second would overwrite the first, or be mixed with it."""
    with pytest.raises(UsageError, match="--json and --jsonl both write to"):
        formats.check([("json", path), ("jsonl", other)])


def test_nothing_is_written_where_one_report_cannot_be_made(tmp_path, monkeypatch):
    """A run would leave the reports of two campaigns side by side."""
    monkeypatch.setattr(as_json, "to_text", lambda _: 1 / 0)
    first, second = tmp_path / "r.jsonl", tmp_path / "r.json"
    with pytest.raises(ZeroDivisionError):
        formats.publish(report(), [("jsonl", str(first)), ("json", str(second))], io.StringIO())
    assert not first.exists()

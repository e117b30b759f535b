"""``capfuzz corpus``: numbers, explanations, exports, and a consumer in another language."""

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from capfuzz.attacks.case import Verdict
from capfuzz.attacks.vectors import CORPUS
from capfuzz.gate.corpus import export, stats
from capfuzz.gate.lint import lint

from ..absent import absent  # noqa: TID252 - it stands there once


def test_the_corpus_is_large_and_has_no_fault(run):
    """The corpus would lose its claim, or accuse right sandboxes."""
    counted = json.loads(run("corpus", "stats", "--json", "-").stdout)
    assert counted["lint_faults"] == 0
    assert counted["techniques"] >= 150
    assert counted["vectors"] >= 3000
    assert counted["attacks"] + counted["controls"] == counted["vectors"]


def test_lint_sees_each_kind_of_fault(vectors):
    """A wrong verdict would be shipped."""
    attack = next(
        one for one in vectors if one.reason == "fs_read_denied" and len(one.case.ops) == 1
    )
    control = next(one for one in vectors if one.id == attack.control)
    good = (control, attack)

    def faults(*broken):
        return [fault for fault in lint(broken) if "in no vector" not in fault]

    def stated(vector, verdict):
        return replace(vector, case=replace(vector.case, verdicts=(verdict,)))

    assert faults(*good) == []
    assert any(": verdict: " in one for one in faults(control, stated(attack, Verdict.ALLOW)))
    assert any(": control: " in one for one in faults(stated(control, Verdict.DENY), attack))
    assert any(": control: " in one for one in faults(attack))
    assert any(": twins: " in one for one in faults(*good, replace(attack, id="twin")))
    unknown = faults(control, replace(attack, technique="never-heard-of"))
    assert any(": technique: " in one for one in unknown)


def test_lint_refuses_a_bad_file_with_file_id_and_rule(run, tmp_path):
    """The author of a vector could not find the mistake."""
    family = json.loads((CORPUS / "path-outside.json").read_text())
    family["vectors"][0]["verdict"] = ["perhaps"]
    (tmp_path / "mine.json").write_text(json.dumps(family))
    done = run("corpus", "lint", "mine.json")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: mine.json: vector {family['vectors'][0]['id']}/verdict/0: ")


def test_a_file_of_ones_own_is_linted_and_attacked_with(run, tmp_path):
    """A team could not add its own incidents."""
    family = json.loads((CORPUS / "path-outside.json").read_text())
    family["family"] = "mine"
    for vector in family["vectors"]:
        vector["id"] = f"mine.{vector['id']}"
        vector["control"] = vector["control"] and f"mine.{vector['control']}"
    (tmp_path / "mine.json").write_text(json.dumps(family))
    assert run("corpus", "lint", "mine.json").returncode == 0
    done = run("attack", "--corpus", "mine.json", "--family", "mine", "--json", "-")
    counts = json.loads(done.stdout)["counts"]
    assert done.returncode == 0
    assert counts["attacks"] + counts["controls"] == len(family["vectors"])


@pytest.mark.parametrize("vector", ["report.p-001", None])
def test_show_explains_a_vector(vector, run, vectors):
    """A reader who has never seen the technique would learn nothing."""
    shown = next((one for one in vectors if one.id == vector), vectors[0])
    done = run("corpus", "show", shown.id)
    assert done.returncode == 0
    for told in (shown.technique, "grant", "op 1", str(shown.case.verdicts[0])):
        assert told in done.stdout


def test_show_suggests_the_nearest(run, vectors):
    """A typo in an id would be a dead end."""
    done = run("corpus", "show", f"{vectors[0].id}x")
    assert done.returncode == 2
    assert f"did you mean {vectors[0].id}?" in done.stderr


def test_list_names_every_family(run, vectors):
    """A family could not be asked for by name."""
    done = run("corpus", "list")
    assert all(vector.case.family in done.stdout for vector in vectors)


def test_every_format_holds_every_vector(vectors):
    """A consumer would miss vectors without knowing."""
    ids = [vector.id for vector in vectors]
    assert ids == [row["id"] for row in json.loads(export(vectors, "json"))]
    assert ids == [json.loads(line)["id"] for line in export(vectors, "jsonl").splitlines()]
    assert ids == [row["id"] for row in csv.DictReader(io.StringIO(export(vectors, "csv")))]
    assert len(export(vectors, "txt").splitlines()) > 1000


def test_an_export_can_be_of_one_family(run):
    """A consumer of hosts would have to sort paths out."""
    done = run("corpus", "export", "--format", "jsonl", "--family", "host-names")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["family"] for row in rows} == {"host-names"}


def test_the_example_consumer_in_the_readme_runs(vectors, tmp_path):
    """The documentation would show code that does not work."""
    node = shutil.which("node")
    if node is None:
        absent("Node is not on this machine, so the JavaScript example was NOT run")
    (script,) = re.findall(r"```js\n(.*?)```", (CORPUS / "README.md").read_text(), re.DOTALL)
    (tmp_path / "consumer.js").write_text(script)
    done = subprocess.run(
        [node, tmp_path / "consumer.js"],
        input=export(vectors, "jsonl"),
        capture_output=True,
        text=True,
        check=False,
    )
    told = json.loads(done.stdout)
    assert told["wrong"] == []
    assert told["asked"] > 300


def test_every_public_report_is_a_vector_or_waits_by_name(vectors):
    """A report would be forgotten."""
    waiting = set(re.findall(r"P-(\d{3})", (CORPUS / "README.md").read_text()))
    written = {
        match[1] for vector in vectors if (match := re.match(r"report\.p-(\d{3})", vector.id))
    }
    assert {f"{number:03}" for number in range(1, 76)} <= waiting | written


def test_stats_count_what_is_there(vectors):
    """The numbers in the README would be wrong."""
    counted = stats(vectors, 0)
    assert counted["vectors"] == len(vectors)
    assert sum(counted["verdicts"].values()) == sum(len(one.case.ops) for one in vectors)

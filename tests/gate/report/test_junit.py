"""JUnit XML: a CI server must read it, and be red exactly when the exit status is 1."""

from dataclasses import replace

import pytest
from capfuzz.attacks.invariants import Severity
from capfuzz.gate.events import Acceptance
from capfuzz.gate.report.as_junit import to_text
from junitparser import Error, Failure, JUnitXml, Skipped


def cases(report):
    """Return the test cases, as a consumer of JUnit XML reads them."""
    (suite,) = JUnitXml.fromstring(to_text(report).encode())
    return list(suite)


def marks(report, kind):
    """Return the results of one kind."""
    return [mark for case in cases(report) for mark in case.result if isinstance(mark, kind)]


def test_every_family_and_invariant_is_a_case_of_its_own(broken):
    """A CI server could not say since when one of them fails."""
    expected = [(family, name) for family, row in broken.matrix.items() for name in row]
    found = [(case.classname, case.name) for case in cases(broken)]
    assert set(expected) <= set(found)
    assert len(found) == len(set(found))


def test_what_broke_fails_and_what_held_passes(broken):
    """A server would count other failures than the table shows."""
    failed = {
        (case.classname, case.name)
        for case in cases(broken)
        if any(isinstance(mark, Failure) for mark in case.result)
    }
    weighty = {cell for one in broken.findings if broken.weighs(one) for cell in one.seen}
    assert weighty == failed


def test_the_failure_reads_like_the_terminal(broken):
    """A developer would have to look elsewhere for what happened."""
    texts = "\n".join(mark.text for mark in marks(broken, Failure))
    for finding in filter(broken.weighs, broken.findings):
        for told in (finding.id, finding.observed, finding.expected, finding.bug, finding.replay):
            assert told in texts


@pytest.mark.parametrize("fail_on", Severity)
def test_there_is_a_failure_exactly_when_the_exit_status_is_1(broken, held, fail_on):
    """A job would be red in one place and green in another."""
    everything = {one.id: Acceptance("known", "ana") for one in broken.findings}
    warnings = tuple(one for one in broken.findings if one.severity is Severity.WARNING)
    assert warnings
    for report in (
        *(broken, held, replace(broken, accepted=everything)),
        replace(broken, findings=warnings, verdict="held"),
    ):
        told = replace(report, fail_on=fail_on)
        assert (told.exit_status == 1) == bool(marks(told, Failure))


def test_an_accepted_finding_is_told_and_fails_nothing(partly_accepted):
    """A known finding would be red, or vanish."""
    skipped = "\n".join(mark.text or "" for mark in marks(partly_accepted, Skipped))
    failed = "\n".join(mark.text for mark in marks(partly_accepted, Failure))
    told = skipped + failed
    assert "by ana: known since March" in told
    assert all(finding.id in told for finding in partly_accepted.findings)
    assert partly_accepted.findings[0].id in failed


def test_what_was_not_measured_is_an_error_and_what_cannot_be_seen_is_skipped(held):
    """It would count as passed."""
    (blind, tally), *_ = held.invariants.items()
    report = replace(
        held,
        verdict="inconclusive",
        remarks=("tool: every control was refused",),
        limits=("net_udp: by its manual",),
        invariants={**held.invariants, blind: replace(tally, observable=False)},
    )
    assert ["tool: every control was refused"] == [mark.message for mark in marks(report, Error)]
    skipped = [mark.message for mark in marks(report, Skipped)]
    assert {"not observable", "not expressible: net_udp: by its manual"} == set(skipped)


def test_the_sums_are_those_of_the_cases(broken):
    """A server that trusts the attributes would show other figures."""
    (suite,) = JUnitXml.fromstring(to_text(broken).encode())
    found = len(cases(broken)), len(marks(broken, Failure)), len(marks(broken, Skipped))
    assert (suite.tests, suite.failures, suite.skipped) == found


def test_hostile_text_stays_text(hostile):
    """An attack could end the element it stands in, or make the file unreadable."""
    assert any("<script>" in mark.message for mark in marks(hostile, Failure))
    assert to_text(hostile).isascii()

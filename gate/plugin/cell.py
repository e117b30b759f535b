"""One family of attacks against one invariant, judged as a test."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from capfuzz.gate.events import Finding, Report
from capfuzz.gate.plugin.shared import NotMeasuredError, measured
from capfuzz.gate.report import lines

if TYPE_CHECKING:
    from capfuzz.gate.plugin.asked import Asked


@dataclass(frozen=True, slots=True)
class Cell:
    """A family and an invariant, and the attack that puts one to the test by the other."""

    attack: "Asked"
    folder: str
    family: str
    invariant: str

    def check(self) -> None:
        """
        Pass if the invariant held; fail with every finding that counts, or if nobody can tell.

        What a baseline accepts is an expected failure. What the target cannot show, and what this
        family does not ask, is skipped.
        """
        __tracebackhide__ = True
        report = report_of(self.attack, self.folder)
        found = [one for one in report.findings if (self.family, self.invariant) in one.seen]
        failing = list(filter(report.weighs, found))
        if failing:
            pytest.fail("\n\n".join(lines.plain(one, report) for one in failing), pytrace=False)
        if report.remarks:
            pytest.fail(f"inconclusive: {'; '.join(report.remarks)}", pytrace=False)
        self._skip_unasked(report)
        _expect(found, report)

    def _skip_unasked(self, report: Report) -> None:
        __tracebackhide__ = True
        if self.invariant in report.matrix.get(self.family, {}):
            return
        observable = report.invariants[self.invariant].observable
        pytest.skip("nothing in this family asks it" if observable else "not observable")


def report_of(attack: "Asked", folder: str) -> Report:
    """Return the report of an attack, which is made once a run; fails where there is none."""
    __tracebackhide__ = True
    try:
        return measured(attack, folder)
    except NotMeasuredError as error:
        return pytest.fail(f"could not be measured: {error}", pytrace=False)


def _expect(found: list[Finding], report: Report) -> None:
    """Say of a finding that is accepted and would fail otherwise that it was expected."""
    __tracebackhide__ = True
    known = [one.id for one in found if report.severe(one) and not report.fails(one)]
    if known:
        said = "; ".join(lines.acceptance(name, report.accepted[name]) for name in known)
        pytest.xfail(said)

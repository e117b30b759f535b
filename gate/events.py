"""What a campaign tells while it runs; reporters subscribe to nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from capfuzz.attacks.invariants import Severity
from capfuzz.gate.supervise import COULD_NOT_MEASURE


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the part of the campaign called ``stage`` has come."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Told:
    """
    One op of a finding, as it was tried: what was seen, and what should have been.

    ``outcome`` is ``allowed``, ``refused``, ``halted``, ``raised`` or ``hung``. ``breaks`` marks
    the op at which the invariant broke, ``nested`` one that a tool tried while another ran.
    """

    op: Any
    outcome: str
    observed: str
    expected: str
    breaks: bool = False
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One fault, shrunk: the shortest ops that still show it, and how many vectors hit it.

    ``id`` depends on what is broken and how, not on the reproducer, the seed or the machine. ``seen``
    names the families whose cases showed it, each with an invariant that broke there. ``group`` names
    the fault within its invariant; ``bug`` and ``effect`` say why it matters. ``effects`` are the kinds of
    effect by which it showed; None where they were not counted.
    """

    id: str
    invariant: str
    family: str
    technique: str
    severity: Severity
    grant: dict[str, Any]
    ops: list[Any]
    observed: str
    expected: str
    cwe: str
    refs: tuple[str, ...]
    replay: str
    hits: int
    vector: str
    seen: tuple[tuple[str, str], ...] = ()
    group: str = ""
    bug: str = ""
    effect: str = ""
    steps: tuple[Told, ...] = ()
    effects: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How often an invariant was checked and broken, or that this surface cannot show it."""

    checked: int = 0
    broken: int = 0
    observable: bool = True


@dataclass(frozen=True, slots=True)
class Acceptance:
    """
    A finding that a team lives with: why, who answers for it, and the last day that it holds.

    ``expired`` tells that this day was over when the report was made. ``effects`` are the kinds of
    effect for which it is accepted, any if None; ``also`` those by which it shows beyond them.
    """

    reason: str
    owner: str
    expires: date | None = None
    expired: bool = False
    effects: tuple[str, ...] | None = None
    also: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the finding, as it shows now, is accepted still."""
        return not (self.expired or self.also)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a target is written: a file relative to the current folder, first and last line."""

    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Report:
    """
    The outcome of a campaign, complete and in a fixed order.

    ``remarks`` say what could not be measured, ``notices`` what was out of the ordinary and mended.

    Where a baseline was given, ``accepted`` holds its entries for findings that are in this report,
    by id, and ``fixed`` the ids that it accepts and that would have been found, but were not.
    ``fail_on`` is the least severity that makes the exit status 1; ``matrix`` has the tallies by family
    and then invariant, of what was checked; ``families`` are those that were asked for, all if empty.
    ``source`` is None where no file is known. ``limits`` tell what the target is documented not to
    confine: it was not tried, and does not count as held.
    """

    spec: str
    surface: str
    seed: int
    profile: str
    verdict: str
    counts: dict[str, int]
    invariants: dict[str, Tally]
    findings: tuple[Finding, ...]
    duration_s: float
    remarks: tuple[str, ...] = field(default=())
    notices: tuple[str, ...] = ()
    accepted: Mapping[str, Acceptance] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    fail_on: Severity = Severity.ERROR
    matrix: Mapping[str, Mapping[str, Tally]] = field(default_factory=dict)
    families: tuple[str, ...] = ()
    source: Source | None = None
    limits: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """1 for a finding that weighs enough and counts, 2 for what could not be measured."""
        if any(map(self.weighs, self.findings)):
            return 1
        # A remark under an accepted finding leaves something unmeasured, too.
        return COULD_NOT_MEASURE if self.verdict == "inconclusive" or self.remarks else 0

    def weighs(self, finding: Finding) -> bool:
        """Tell whether a finding makes the exit status 1: it counts, and is severe enough."""
        return self.severe(finding) and self.fails(finding)

    def severe(self, finding: Finding) -> bool:
        """Tell whether a finding is severe enough to fail, as long as nobody accepts it."""
        order = list(Severity)
        return order.index(finding.severity) <= order.index(self.fail_on)

    def fails(self, finding: Finding) -> bool:
        """Tell whether a finding counts: nobody accepted it, or for no longer, or for less."""
        known = self.accepted.get(finding.id)
        return known is None or not known.holds


Event = Progress | Report

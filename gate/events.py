"""What a campaign tells while it runs; reporters subscribe to nothing else."""

from dataclasses import dataclass, field
from typing import Any

from capfuzz.attacks.invariants import Severity


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the part of the campaign called ``stage`` has come."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One fault, shrunk: the shortest ops that still show it, and how many vectors hit it.

    ``id`` depends on what is broken and how, not on the reproducer, the seed or the machine.
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


@dataclass(frozen=True, slots=True)
class Tally:
    """How often an invariant was checked and broken, or that this surface cannot show it."""

    checked: int = 0
    broken: int = 0
    observable: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a campaign, complete and in a fixed order."""

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


Event = Progress | Report

"""What a technique of kind SCENARIO yields, and the words to write one with."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.techniques.registry import Kind, techniques_for

Op = object
Ops = tuple[Op, ...]
Verdicts = tuple[Verdict, ...]

# One op each, so that verdicts are added up as ops are: ``ALLOWED * 2 + DENIED``.
ALLOWED: Verdicts = (Verdict.ALLOW,)
DENIED: Verdicts = (Verdict.DENY,)
CONTAINED: Verdicts = (Verdict.CONTAIN,)


@dataclass(frozen=True, slots=True)
class Scenario:
    """
    A sequence of ops, what a right target does with each, and its benign twin.

    ``verdict`` is stated by hand, one an op. ``control`` is the twin's ops: all of them are
    allowed. ``reason`` is what the refusal at stake says, None where nothing is refused.
    ``grant`` and ``world`` replace parts of the common ones, as JSON writes them;
    ``control_grant`` and ``control_world`` are the twin's, None for the same.
    """

    ops: Ops
    verdict: Verdicts
    control: Ops
    means: str
    reason: str | None = None
    comment: str = ""
    grant: Mapping[str, Any] = field(default_factory=dict)
    world: Mapping[str, Any] = field(default_factory=dict)
    control_grant: Mapping[str, Any] | None = None
    control_world: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Refuse a scenario that says nothing of one of its ops; raises ValueError."""
        if len(self.ops) != len(self.verdict) or not self.control:
            raise ValueError(f"{self.means}: {len(self.ops)} ops, {len(self.verdict)} verdicts")

    def halted(self, *ops: Op) -> "Scenario":
        """Return the scenario with more ops at its end, all refused because it has halted."""
        return replace(self, ops=self.ops + ops, verdict=self.verdict + DENIED * len(ops))


Spell = Callable[[], Iterator[Scenario]]
scenario = techniques_for(Kind.SCENARIO, "session")

"""What a campaign is to try, and how much of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from capfuzz.attacks.vectors import Vector

GENERATED = "generated"


@dataclass(frozen=True, slots=True)
class Profile:
    """How much is tried: generated sequences, and ops in one of them."""

    examples: int
    max_ops: int


PROFILES = {
    "quick": Profile(examples=300, max_ops=8),
    "standard": Profile(examples=1_500, max_ops=16),
    "deep": Profile(examples=50_000, max_ops=30),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """
    What to attack with.

    ``unproven`` are kinds of op of which an attack would prove nothing. ``accepted`` has by id of a
    finding the kinds of effect for which a baseline accepts it.
    """

    vectors: Sequence[Vector]
    profile: str = "standard"
    seed: int = 0
    families: tuple[str, ...] = ()
    unproven: frozenset[str] = frozenset()
    accepted: Mapping[str, Collection[str]] = field(default_factory=dict)

    def wants(self, family: str) -> bool:
        """Tell whether a family was asked for; all are where none was named."""
        return not self.families or family in self.families

    def tries(self, vector: Vector) -> bool:
        """Tell whether a vector is tried: generated cases alone need all the honest work there is."""
        alone = vector.is_control and set(self.families) == {GENERATED}
        return alone or self.wants(vector.case.family)

"""The corpus as the pages need it: families, and the techniques by the family that they belong to."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Technique
from capfuzz.attacks.vectors import CORPUS

Raw = Mapping[str, Any]  # as it stands in a file of the corpus


@dataclass(frozen=True, slots=True)
class Family:
    """One file of the corpus, and the vectors in it by technique."""

    name: str
    raw: Raw
    vectors: Mapping[str, tuple[Raw, ...]]

    @property
    def attacks(self) -> int:
        """How many of its vectors are attacks."""
        return sum(vector["control"] is not None for vector in self.raw["vectors"])

    @property
    def controls(self) -> int:
        """How many of its vectors are controls."""
        return len(self.raw["vectors"]) - self.attacks


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All families, and where each technique and each vector is told of."""

    families: tuple[Family, ...]
    home: Mapping[str, Family]  # of a technique: the first family that has it, reports last
    technique_of: Mapping[str, str]  # of a vector, by id

    def at_home(self, family: Family) -> list[Technique]:
        """Return the techniques that belong to a family, the plainest first."""
        return [one for name, one in TECHNIQUES.items() if self.home[name] is family]

    def same_fault(self, technique: Technique) -> list[Technique]:
        """Return the other techniques that reveal the same fault."""
        return [
            one
            for one in TECHNIQUES.values()
            if one.group == technique.group and one is not technique
        ]

    def vectors(self, technique: str) -> list[tuple[Family, Raw]]:
        """Return the vectors of a technique, each with its family."""
        return [
            (family, vector)
            for family in self.families
            for vector in family.vectors.get(technique, ())
        ]


def read() -> Catalogue:
    """Read the shipped corpus."""
    files = [file for file in CORPUS.glob("*.json") if file.name != "schema.json"]
    families = tuple(_family(json.loads(file.read_text(encoding="utf-8"))) for file in files)
    families = tuple(sorted(families, key=lambda one: (one.name.startswith("reports-"), one.name)))
    return Catalogue(
        families=families,
        home={name: family for family in reversed(families) for name in family.vectors},
        technique_of={
            vector["id"]: vector["technique"]
            for family in families
            for vector in family.raw["vectors"]
        },
    )


def _family(raw: Raw) -> Family:
    vectors: dict[str, list[Raw]] = {}
    for vector in raw["vectors"]:
        vectors.setdefault(vector["technique"], []).append(vector)
    return Family(raw["family"], raw, {name: tuple(found) for name, found in vectors.items()})

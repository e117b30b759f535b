"""Families of sequences and odd shapes: every verdict is stated by the technique, none derived."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.scenario_notes import NOTES
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Technique
from capfuzz.attacks.techniques.scenario_model import Scenario
from capfuzz.attacks.techniques.scenario_stage import GRANT, WORLD

# Each family: the weakness behind most of it, and the modules whose techniques it expands.
_FAMILIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "budget-ops": ("CWE-770", ("scenario_ops",)),
    "budget-output": ("CWE-770", ("scenario_output", "scenario_units")),
    "budget-limits": ("CWE-1284", ("scenario_limits",)),
    "budget-races": ("CWE-362", ("scenario_races",)),
    "clock-wall": ("CWE-682", ("scenario_clock",)),
    "shape-ops": ("CWE-20", ("scenario_shapes",)),
    "shape-types": ("CWE-843", ("scenario_types",)),
    "toolrun-behaviour": ("CWE-755", ("scenario_tools",)),
    "toolrun-reentry": ("CWE-441", ("scenario_reentry",)),
    "sequence-halt": ("CWE-841", ("scenario_halt",)),
    "sequence-memory": ("CWE-706", ("scenario_memory",)),
    "sequence-widening": ("CWE-284", ("scenario_widening",)),
    "sequence-existence": ("CWE-203", ("scenario_existence",)),
}


def rows(one: Technique) -> Iterator[Row]:
    """Yield the vectors that a technique of kind SCENARIO makes, each with its twin."""
    for scene in one.spell():
        yield Row(
            technique=one.name,
            ops=scene.ops,
            control=_twin(one, scene),
            means=scene.means,
            comment=scene.comment,
            flags=(one.group,),
            verdict=scene.verdict,
            reason=scene.reason,
            grant=scene.grant,
            world=scene.world,
        )


def _twin(one: Technique, scene: Scenario) -> Row:
    grant, world = scene.control_grant, scene.control_world
    return Row(
        technique=one.name,
        ops=scene.control,
        flags=(one.group,),
        verdict=(Verdict.ALLOW,) * len(scene.control),
        grant=scene.grant if grant is None else grant,
        world=scene.world if world is None else world,
    )


@dataclass(frozen=True, slots=True)
class Stage:
    """What the families of scenarios for one surface share; ``notes`` are by group."""

    surface: str
    grant: Mapping[str, Any]
    world: Mapping[str, Any]
    notes: Mapping[str, Mapping[str, Any]]

    def family(self, name: str, cwe: str, modules: Collection[str]) -> Family:
        """Return the family that the techniques of some modules make."""
        members = [one for one in TECHNIQUES.values() if one.module in modules]
        groups = dict.fromkeys(one.group for one in members)
        return Family(
            name=name,
            surfaces=(self.surface,),
            cwe=cwe,
            grant=self.grant,
            world=self.world,
            notes={group: self.notes[group] for group in groups},
            rows=lambda: (row for one in members for row in rows(one)),
        )


_STAGE = Stage("session", GRANT, WORLD, NOTES)
FAMILIES: tuple[Family, ...] = tuple(
    _STAGE.family(name, cwe, modules) for name, (cwe, modules) in _FAMILIES.items()
)

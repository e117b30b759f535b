"""Families of sequences and odd shapes: every verdict is stated by the technique, none derived."""

from collections.abc import Iterator, Mapping

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


def _family(name: str) -> Family:
    cwe, modules = _FAMILIES[name]
    members = [one for one in TECHNIQUES.values() if one.module in modules]
    return Family(
        name=name,
        surfaces=("session",),
        cwe=cwe,
        grant=GRANT,
        world=WORLD,
        notes={group: NOTES[group] for group in dict.fromkeys(one.group for one in members)},
        rows=lambda: (row for one in members for row in rows(one)),
    )


FAMILIES: tuple[Family, ...] = tuple(map(_family, _FAMILIES))

"""Families of sequences and odd shapes: every verdict is stated by the technique, none derived."""

from collections.abc import Callable, Iterator, Mapping

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.scenario_notes import NOTES
from capfuzz.attacks.techniques import (
    scenario_clock,
    scenario_halt,
    scenario_limits,
    scenario_ops,
    scenario_output,
    scenario_units,
)
from capfuzz.attacks.techniques.registry import TECHNIQUES, Kind, Technique
from capfuzz.attacks.techniques.scenario_model import Scenario
from capfuzz.attacks.techniques.scenario_stage import GRANT, WORLD

# Each family, the CWE of most of it, and the module whose techniques it expands.
_MODULES = {
    "budget-ops": ("CWE-770", scenario_ops),
    "budget-output": ("CWE-770", scenario_output),
    "budget-units": ("CWE-135", scenario_units),
    "budget-limits": ("CWE-1284", scenario_limits),
    "clock-wall": ("CWE-682", scenario_clock),
    "sequence-halt": ("CWE-841", scenario_halt),
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


def _techniques(module: str) -> list[Technique]:
    return [
        one
        for one in TECHNIQUES.values()
        if one.kind is Kind.SCENARIO and one.spell.__module__ == module
    ]


def _family(name: str, cwe: str, module: str) -> Family:
    members = _techniques(module)
    groups = dict.fromkeys(one.group for one in members)
    return Family(
        name=name,
        surfaces=("session",),
        cwe=cwe,
        grant=GRANT,
        world=WORLD,
        notes={group: _note(group) for group in groups},
        rows=lambda: (row for one in members for row in rows(one)),
    )

"""The family of vectors about grants: their number, their order and how they are spelled."""

from collections.abc import Iterator

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.path_notes import notes_for
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.paths_grants_stage import GRANT, WORLD
from capfuzz.attacks.techniques.registry import Technique
from capfuzz.attacks.techniques.scenario_model import Scenario

_MODULES = ("several", "doors", "spelling", "places")
_MEMBERS = tuple(
    technique
    for technique in TECHNIQUES.values()
    if technique.spell.__module__.rpartition("paths_grants_")[2] in _MODULES
)


def _row(technique: Technique, scene: Scenario) -> Row:
    surfaces = () if technique.surfaces == ("session",) else technique.surfaces
    control = Row(
        technique.name,
        scene.control,
        flags=(technique.group,),
        verdict=(Verdict.ALLOW,) * len(scene.control),
        grant=scene.grant,
        surfaces=surfaces,
    )
    if scene.ops == scene.control:  # nothing but honest work: a control that stands alone
        return control
    return Row(
        technique.name,
        scene.ops,
        control,
        scene.means,
        scene.comment,
        flags=(technique.group,),
        verdict=scene.verdict if len(scene.ops) > 1 else (),
        reason=scene.reason,
        grant=scene.grant,
        surfaces=surfaces,
    )


def _rows() -> Iterator[Row]:
    return (_row(technique, scene) for technique in _MEMBERS for scene in technique.spell())


GRANTS = Family(
    name="path-grants",
    surfaces=("session",),
    cwe="CWE-863",
    grant=GRANT,
    world=WORLD,
    notes=notes_for(technique.group for technique in _MEMBERS),
    rows=_rows,
)

FAMILIES: tuple[Family, ...] = (GRANTS,)

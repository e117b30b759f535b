"""The family of vectors about grants: their number, their order and how they are spelled."""

from collections.abc import Iterator
from typing import Any

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.path_notes import notes_for
from capfuzz.attacks.expansion.path_plan import BOTH
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
    honest = scene.ops == scene.control
    name = technique.name if honest else _honest_name(scene)
    control = Row(
        name,
        scene.control,
        flags=(TECHNIQUES[name].group,),
        verdict=(Verdict.ALLOW,) * len(scene.control),
        grant=scene.grant,
        surfaces=BOTH if _below_one_root(scene) else (),
    )
    if honest:  # nothing but honest work: a control that stands alone
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


def _below_one_root(scene: Scenario) -> bool:
    """Tell whether a function of one root and a path can be asked the honest ops."""
    roots = scene.grant["fs_read"]
    ops: tuple[Any, ...] = scene.control
    reads = [op[1] for op in ops if op[0] == "fs_read"]
    plain = len(roots) == 1 and len(reads) == len(ops)
    return plain and all(path.startswith(roots[0].rstrip("/") + "/") for path in reads)


def _honest_name(scene: Scenario) -> str:
    several = any(len(scene.grant[door]) > 1 for door in ("fs_read", "fs_write"))
    return "honest-of-several" if several else "honest-of-odd-grant"


def _rows() -> Iterator[Row]:
    return (_row(technique, scene) for technique in _MEMBERS for scene in technique.spell())


GRANTS = Family(
    name="path-grants",
    surfaces=("session",),
    cwe="CWE-863",
    grant=GRANT,
    world=WORLD,
    notes=notes_for(
        [technique.group for technique in _MEMBERS]
        + ["over-blocking-several", "over-blocking-grant"]
    ),
    rows=_rows,
)

FAMILIES: tuple[Family, ...] = (GRANTS,)

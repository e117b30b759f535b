"""``capfuzz replay``: show one finding again, op by op."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from capfuzz.attacks.case import Case, Surface, Verdict
from capfuzz.attacks.codec import grant_from_json, op_from_json, op_to_json, world_from_json
from capfuzz.attacks.invariants import INVARIANTS
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.vectors import load
from capfuzz.engine import GrantError
from capfuzz.gate import comparisons, describe
from capfuzz.gate.errors import UsageError
from capfuzz.gate.grouping import Key
from capfuzz.gate.write_up import breaches, finding_id
from capfuzz.targets.base import Target
from capfuzz.targets.planted import planting
from rich.console import Console
from rich.table import Table
from rich.text import Text

Json = dict[str, Any]


class Found(NamedTuple):
    """A case as JSON; from a report also the words that follow it on the replay line."""

    case: Json
    words: tuple[str, ...] = ()

    def recorded(self, spec: str) -> tuple[str, ...]:
        """Return the options with which ``spec`` was attacked, none where it was another target."""
        return self.words[1:] if self.words[:1] == (spec,) else ()


def find(source: str) -> Found:
    """
    Return what is to be replayed, from a JSON object, a file or the id of a vector.

    A file holds such an object, a finding that was saved, or a report; ``FILE#ID`` picks one of a report's findings. Raises
    `UsageError`.
    """
    if source.lstrip().startswith("{"):
        return Found(_parse(source, "the argument"))
    name, _, wanted = source.partition("#")
    try:
        if Path(name).is_file():
            return _from_report(_parse(Path(name).read_text(encoding="utf-8"), name), name, wanted)
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise UsageError(f"{name[:80]}: not a report: {type(error).__name__}: {error}") from error
    for vector in load():
        if vector.id == source:
            return Found(_of_case(vector.case, vector.surfaces[0]))
    if source.startswith("CF-"):
        raise UsageError(f"{source}: name the report that has it, as in report.json#{source}")
    raise UsageError(f"{source}: neither JSON, nor a file, nor the id of a vector")


def replay(target: Target, source: Json, console: Console) -> int:
    """Run the case, print every step, and return 1 if an invariant broke, else 0."""
    adapted = target.adapt(case_from(source))
    if adapted is None:
        raise UsageError(f"{target.spec}: a {target.surface} target cannot be asked this")
    with planting():
        trace, found = breaches(target, adapted)
    broken = {breach.step: breach.invariant for _, breach in found}
    table = Table("op", "observed", "expected", "invariant")
    for index, (step, ruling) in enumerate(zip(trace.steps, rulings(trace), strict=True)):
        expected = "not judged" if ruling is None else describe.expected(ruling)
        mark = Text(f"{broken[index]} broken", style="red") if index in broken else Text("held")
        op = json.dumps(op_to_json(step.op))
        table.add_row(Text(op), Text(describe.observed(trace, step)), expected, mark)
    console.print(table)
    for key, breach in found:
        said = f"{breach.invariant} broken at op {breach.step + 1}"
        _tell(target, key, said, console)
    compared = [name for name in comparisons.RELATIONS if comparisons.broken(target, adapted, name)]
    for name in compared:
        relation = comparisons.RELATIONS[name]
        said = f"{relation.invariant} broken: {relation.described[0]}"
        _tell(target, comparisons.key_of(name), said, console)
    return 1 if broken or compared else 0


def _tell(target: Target, key: Key, said: str, console: Console) -> None:
    """Print one fault under the id that a report has it under."""
    line = Text(f"{finding_id(target.surface, key)}: {said}", style="red")
    console.print(line, soft_wrap=True)


def _parse(text: str, where: str) -> Json:
    try:
        value = json.loads(text)
    except ValueError as error:
        several = text.startswith(("{", "[")) and "Extra data" in str(error)
        hint = "; a recorded run needs --grant GRANT.toml or --suggest" if several else ""
        raise UsageError(f"{where}: not JSON: {error}{hint}") from None
    except RecursionError:
        raise UsageError(f"{where}: nested too deeply to be a case") from None
    if not isinstance(value, dict):
        raise UsageError(f"{where}: must be a JSON object, not a {type(value).__name__}")
    return value


def _from_report(value: Json, name: str, wanted: str) -> Found:
    if not value.keys() & {"findings", "replay"}:
        return Found(value)
    # A report, or one finding in a file of its own.
    findings = [one for one in value.get("findings", [value]) if wanted in ("", one["id"])]
    if not findings:
        raise UsageError(f"{name}: has no finding {wanted}".rstrip())
    if len(findings) > 1:
        ids = ", ".join(one["id"] for one in findings)
        raise UsageError(f"{name}: has several findings; name one as {name}#ID: {ids}")
    import shlex  # noqa: PLC0415 - only reports come here

    _, _, case, *words = shlex.split(findings[0]["replay"])
    return Found(_parse(case, name), tuple(words))


def case_from(source: Json) -> Case:
    """Return the case that a JSON object describes; raises `UsageError`."""
    try:
        return _case(source)
    except (LookupError, TypeError, ValueError, AttributeError, GrantError) as error:
        raise UsageError(f"not a case to replay: {type(error).__name__}: {error}") from error


def _case(source: Json) -> Case:
    if not isinstance(source.get("ops"), list) or not source["ops"]:
        raise ValueError("ops must be a list of at least one op")
    ops = tuple(map(op_from_json, source["ops"]))
    named = source.get("invariant")
    if named is not None and named not in INVARIANTS:
        raise ValueError(f"no such invariant: {named}")
    return Case(
        grant=grant_from_json(source["grant"]),
        world=world_from_json(source.get("world", {})),
        ops=ops,
        techniques=tuple(source.get("techniques", ())) or ("plain",) * len(ops),
        family="replay",
        verdicts=tuple(map(Verdict, source.get("verdict", ()))),
    )


def _of_case(case: Case, surface: Surface) -> Json:
    from capfuzz.gate.write_up import to_json  # noqa: PLC0415

    return to_json(surface, INVARIANTS[0], case)

"""The corpus: families of vectors, checked as they are loaded."""

import functools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
from capfuzz.attacks.case import Case, Surface, Verdict
from capfuzz.attacks.codec import grant_from_json, op_from_json, world_from_json
from capfuzz.engine import GrantError

CORPUS = Path(__file__).parent / "corpus"
_MAX_FILE = 16 * 1024 * 1024
_MOST_REPEATS = 100_000


class CorpusError(ValueError):
    """A corpus file that breaks a rule; says file, vector and rule, in one printable line."""

    def __init__(self, text: str) -> None:
        # A hostile id, key or file name brings line ends, terminal escapes and lone surrogates.
        super().__init__("".join(c if c.isprintable() else ascii(c)[1:-1] for c in text))


@dataclass(frozen=True, slots=True)
class Vector:
    """One vector: a case with its verdicts, and what a reader needs to understand it."""

    id: str
    technique: str
    flags: tuple[str, ...]
    surfaces: tuple[Surface, ...]
    case: Case
    reason: str | None
    means: str
    control: str | None
    comment: str
    cwe: str
    refs: tuple[str, ...]

    @property
    def is_control(self) -> bool:
        """Whether a right target allows all of it."""
        return self.control is None


def load(paths: Iterable[Path] | None = None) -> tuple[Vector, ...]:
    """
    Return the vectors of the shipped corpus, or of the given files.

    Raises `CorpusError` with file, id and rule where one breaks the schema, repeats an id, has
    another number of verdicts than of ops, or names a control that is not there.
    """
    files = sorted(CORPUS.glob("*.json")) if paths is None else list(paths)
    found = [(file, one) for file in files if file.name != "schema.json" for one in _family(file)]
    _check_ids(found)
    return tuple(vector for _, vector in found)


def _family(file: Path) -> Iterator[Vector]:
    whole = _parse(file)
    grants = functools.cache(lambda text: grant_from_json(json.loads(text)))
    worlds = functools.cache(lambda text: world_from_json(json.loads(text)))
    for raw in whole["vectors"]:
        grant = json.dumps({**whole["grant"], **raw.get("grant", {})})
        world = json.dumps({**whole["world"], **raw.get("world", {})})
        try:
            vector = _vector(raw, whole, _case(raw, whole["family"], grants(grant), worlds(world)))
        except CorpusError as error:
            raise CorpusError(f"{file}: {raw['id']}: {error}") from None
        except GrantError as error:
            raise CorpusError(f"{file}: {raw['id']}: grant: {error}") from None
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            # What the schema cannot say: a $float of letters, a $list of what is no argument.
            raise CorpusError(f"{file}: {raw['id']}: cannot be decoded: {error}") from None
        yield vector


def _parse(file: Path) -> Any:
    """Return what a file holds, once it keeps to the schema."""
    try:
        whole = _read(file)
        error = next(_validator().iter_errors(whole), None)
    except OSError as error:
        raise CorpusError(f"{file}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise CorpusError(f"{file}: nested too deeply to be a family of vectors") from None
    except CorpusError as error:
        raise CorpusError(f"{file}: {error}") from None
    except ValueError as error:
        raise CorpusError(f"{file}: not JSON: {error}") from None
    if error is not None:
        raise CorpusError(f"{file}: {_where(whole, error.instance_path)}: {error.message[:300]}")
    return whole


def _read(file: Path) -> Any:
    if file.stat().st_size > _MAX_FILE:
        raise CorpusError(f"larger than {_MAX_FILE} bytes; split the family")
    repeated = 0

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        whole = _object(pairs)
        match whole.get("$repeat"):
            case [str(text), int(times)] if times <= _MOST_REPEATS:  # the schema refuses more
                repeated += len(text) * times
        if repeated > _MAX_FILE:  # a small file must not fill the memory
            raise CorpusError(f"$repeat adds up to more than {_MAX_FILE} characters")
        return whole

    return json.loads(
        file.read_text(encoding="utf-8"),
        object_pairs_hook=made,
        parse_constant=_refuse_constant,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise CorpusError(f"the key {twice!r} stands twice in one object")
    return made


def _refuse_constant(name: str) -> None:
    raise CorpusError(f"{name} is not a JSON number")


@functools.cache
def _validator() -> Any:
    return jsonschema_rs.validator_for(json.loads((CORPUS / "schema.json").read_text()))


def _where(whole: Any, path: list[Any]) -> str:
    """Name the vector that an error is in, by id where it has one, and the part of it."""
    if path[:1] == ["vectors"] and len(path) > 1:
        vector = whole["vectors"][path[1]]
        name = vector.get("id", path[1]) if isinstance(vector, dict) else path[1]
        return "/".join([f"vector {name}", *map(str, path[2:])])
    return "/".join(map(str, path)) or "top level"


def _case(raw: Mapping[str, Any], family: str, grant: Any, world: Any) -> Case:
    return Case(
        grant=grant,
        world=world,
        ops=tuple(map(op_from_json, raw["ops"])),
        techniques=(raw["technique"],) * len(raw["ops"]),
        family=family,
        verdicts=tuple(map(Verdict, raw["verdict"])),
        source=raw["id"],
    )


def _vector(raw: Mapping[str, Any], whole: Mapping[str, Any], case: Case) -> Vector:
    if len(case.ops) != len(case.verdicts):
        raise CorpusError(f"has {len(case.ops)} ops, {len(case.verdicts)} verdicts")
    unknown = [flag for flag in raw["flags"] if flag not in whole["notes"]]
    if unknown:
        raise CorpusError(f"the flag {unknown[0]!r} is not described in notes")
    notes = [whole["notes"][flag] for flag in raw["flags"]]
    return Vector(
        id=raw["id"],
        technique=raw["technique"],
        flags=tuple(raw["flags"]),
        surfaces=tuple(map(Surface, raw.get("surfaces", whole["surfaces"]))),
        case=case,
        reason=raw["reason"],
        means=raw["means"],
        control=raw["control"],
        comment=raw["comment"],
        cwe=whole["cwe"],
        refs=tuple(ref for note in notes for ref in (*note["cves"], *note["links"])),
    )


def _check_ids(found: list[tuple[Path, Vector]]) -> None:
    seen: set[str] = set()
    for file, vector in found:
        if vector.id in seen:
            raise CorpusError(f"{file}: {vector.id}: the id stands twice")
        seen.add(vector.id)
    for file, vector in found:
        if vector.control is not None and vector.control not in seen:
            raise CorpusError(f"{file}: {vector.id}: its control {vector.control!r} is not there")

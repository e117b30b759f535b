"""Families of sources for evaluators: what code reaches, by language, and how much it computes."""

from collections.abc import Iterator

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.evaluators import FILES
from capfuzz.attacks.expansion.eval_notes import NOTES
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.stage import GRANT
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind, Technique

_BOUNDED = "bounded"
_HONEST = "over-blocking-eval"
# Each family: the weakness behind most of it, and the modules whose techniques it expands.
_FAMILIES = {
    "eval-builtins": ("CWE-95", ("eval_builtins",)),
    "eval-frames": ("CWE-913", ("eval_frames",)),
    "eval-honest": ("CWE-184", ("eval_honest",)),
    "eval-hooks": ("CWE-134", ("eval_hooks",)),
    "eval-javascript": ("CWE-94", ("eval_javascript",)),
    "eval-jinja": ("CWE-1336", ("eval_jinja",)),
    "eval-names": ("CWE-184", ("eval_names",)),
    "eval-objects": ("CWE-913", ("eval_objects",)),
    # The last of all: a target that hangs twice is not asked any more.
    "eval-resources": ("CWE-400", ("eval_limits",)),
}


def _rows(one: Technique) -> Iterator[Row]:
    language = next(tag for tag in one.platforms if tag != _BOUNDED)
    control = _control(language)
    for source in one.spell():
        if one.group == _HONEST:
            yield _honest(one.name, source)
        else:
            yield Row(
                technique=one.name,
                ops=(("eval", source),),
                control=control,
                means=_means(source),
                flags=(one.group,),
            )


def _control(language: str) -> Row:
    """Return the honest twin: there is no code that all evaluators of a language run but this."""
    name = f"honest-{language}"
    return _honest(name, next(TECHNIQUES[name].spell()))


def _honest(technique: str, source: str) -> Row:
    return Row(technique, (("eval", source),), verdict=(Verdict.ALLOW,), flags=(_HONEST,))


def _means(source: str) -> str:
    """Return what the code is after."""
    found = [name for name in ("marker.txt", "secret.txt", "CAPFUZZ_CANARY") if name in source]
    return found[0] if found else "an end that never comes"


def _family(name: str) -> Family:
    cwe, modules = _FAMILIES[name]
    members = [one for one in TECHNIQUES.values() if one.kind is Kind.EVAL]
    members = [one for one in members if one.module in modules]
    groups = dict.fromkeys([_HONEST, *(one.group for one in members)])
    return Family(
        name=name,
        surfaces=("eval",),
        cwe=cwe,
        grant=GRANT,
        world={"files": FILES},
        notes={group: NOTES[group] for group in groups},
        rows=lambda: (row for one in members for row in _rows(one)),
    )


FAMILIES: tuple[Family, ...] = tuple(map(_family, _FAMILIES))

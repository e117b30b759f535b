"""Families of archives: names spelt as paths are, links, headers, and what is merely odd."""

from collections.abc import Iterator, Mapping
from itertools import chain

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.archive_notes import notes_for
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.hosts import storable
from capfuzz.attacks.techniques.archives_model import (
    ABOVE,
    BESIDE,
    BOTH,
    FAR,
    JAIL,
    ROOT,
    TOP,
    Member,
    file,
)
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind, Technique

SECRETS = (ABOVE, TOP, BESIDE, FAR, f"{JAIL}/dropbox/secret.txt", f"{JAIL}/drop.txt")
WORLD = {"files": {place: f"secret of {place}" for place in SECRETS}}
GRANT = {"fs_read": [ROOT], "fs_write": [ROOT]}
# Some take the first component off every name, and fail where there is none.
_FIRST = file("sub/note.txt", "honest")
_HONEST = (_FIRST, file("sub/deep/note.txt", "honest"))
# What means what it says is tried at a file that exists, and at one that does not.
_PLAIN = ("traversal", "traversal-late", "outside", "absolute-join", "boundary", "boundary-climb")
_DEEPEST = 150  # names of a path; what is deeper is hard to remove
# What is only about granted paths, or about files that no archive holds.
_ELSEWHERE = ("links", "procfs", "over-blocking")
# The machine's own files are never named; the last asks what others ask already.
_NOT_TRIED = ("kernel-files", "procfs-below-root", "absolute-below-root")
_CONTAINED = (Verdict.CONTAIN,)


def _op(form: str, members: tuple[Member, ...]) -> tuple[object, ...]:
    return ("unpack", form, members)


def _twin(form: str) -> Row:
    return Row("plain-file", (_op(form, _HONEST),), verdict=(Verdict.ALLOW,))


def _spelt() -> Iterator[Row]:
    """Yield an archive for every way of spelling a path, as the name of a member."""
    for one in TECHNIQUES.values():
        if _is_tried(one):
            for name, means in dict.fromkeys(_names(one)):
                for form in BOTH:
                    yield _attack(one, form, (_FIRST, file(name)), means)


def _is_tried(one: Technique) -> bool:
    kept = not one.group.startswith(_ELSEWHERE) and one.name not in _NOT_TRIED
    return one.kind is Kind.PATH and "path" in one.surfaces and kept


def _names(one: Technique) -> Iterator[tuple[str, str]]:
    targets = [FAR, f"{JAIL}/new.txt"] if one.group in _PLAIN else [FAR]
    beside = [BESIDE, f"{ROOT}-evil/new.txt"] if one.group.startswith("boundary") else []
    for target in (*targets, *beside):
        for path in one.spell(ROOT, target):
            name = path.removeprefix(f"{ROOT}/")
            if name.strip("/.") and name.count("/") < _DEEPEST and storable(name):
                yield name, target


def _attack(one: Technique, form: str, members: tuple[Member, ...], means: str) -> Row:
    return Row(
        one.name,
        (_op(form, members),),
        control=_twin(form),
        means=means,
        flags=(one.group,),
        verdict=_CONTAINED,
    )


def _packed(one: Technique) -> Iterator[Row]:
    for packed in one.spell():
        for form in packed.formats:
            if one.group.startswith("over-blocking"):
                op = _op(form, packed.members)
                yield Row(one.name, (op,), flags=(one.group,), verdict=(Verdict.ALLOW,))
            else:
                yield _attack(one, form, packed.members, packed.means)


_MODULES: Mapping[str, tuple[str, str]] = {
    "unpack-links": ("CWE-59", "archives_links"),
    "unpack-hard-links": ("CWE-59", "archives_hardlinks"),
    "unpack-headers": ("CWE-436", "archives_headers"),
    "unpack-members": ("CWE-22", "archives_names"),
}


def _rows(module: str) -> Iterator[Row]:
    ours = [one for one in TECHNIQUES.values() if one.spell.__module__.endswith(f".{module}")]
    return chain.from_iterable(map(_packed, ours))


def _family(name: str, cwe: str, rows: tuple[Row, ...]) -> Family:
    return Family(
        name=name,
        surfaces=("archive",),
        cwe=cwe,
        grant=GRANT,
        world=WORLD,
        notes=notes_for(flag for row in rows for flag in row.flags),
        rows=lambda: iter(rows),
    )


FAMILIES: tuple[Family, ...] = (
    _family("unpack-names", "CWE-22", tuple(_spelt())),
    *(_family(name, cwe, tuple(_rows(module))) for name, (cwe, module) in _MODULES.items()),
)

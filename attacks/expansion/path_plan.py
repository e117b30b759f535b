"""How path techniques become rows: what is aimed at, from where, and what the benign twin is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from capfuzz.attacks import naive
from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.path_notes import notes_for
from capfuzz.attacks.expansion.stage import FILES, GRANT
from capfuzz.attacks.techniques.catalog import TECHNIQUES

BOTH = ("session", "path")
SESSION = ("session",)
_WRITTEN = "overwritten"


@dataclass(frozen=True, slots=True)
class Aim:
    """One door, the root that is granted there, and a place that must not be reached."""

    kind: str
    root: str
    target: str

    def op(self, path: str) -> tuple[str, ...]:
        """Return the op that tries ``path`` at this door."""
        return (self.kind, path) if self.kind == "fs_read" else (self.kind, path, _WRITTEN)


# What every deny-list knows, and what none does.
FAR = Aim("fs_read", "/work", "/etc/passwd")
OTHER = Aim("fs_read", "/work", "/other/secret.txt")
# What may only be read, one level up, and what nobody may touch.
KEPT = Aim("fs_write", "/work/out", "/work/data.txt")
SYSTEM = Aim("fs_write", "/work/out", "/system/config")

ALL = (FAR, OTHER, KEPT, SYSTEM)
SHORT = (FAR, SYSTEM)


@dataclass(frozen=True, slots=True)
class Twin:
    """The honest paths that attacks are compared with, and the technique that makes them."""

    technique: str
    read: str
    write: str


PLAIN = Twin("plain-file", "/work/data.txt", "/work/out/report.txt")


@dataclass(frozen=True, slots=True)
class Plan:
    """Some techniques, what each is aimed at, and the twin of them all."""

    techniques: tuple[str, ...]
    aims: tuple[Aim, ...] = SHORT
    twin: Twin = PLAIN
    grant: Mapping[str, Any] = field(default_factory=dict)
    verdict: tuple[Verdict, ...] = ()  # where surfaces differ, the milder; else the oracle's
    below: str = ""  # only paths that begin so

    def rows(self) -> Iterator[Row]:
        """Spell every technique at every aim."""
        for name, aim, path in self.spelt():
            yield self._row(name, aim, path)

    def spelt(self) -> Iterator[tuple[str, Aim, str]]:
        """Yield each path with its technique and aim, each op once."""
        seen: set[object] = set()
        for name in self.techniques:
            for aim in self.aims:
                if TECHNIQUES[name].surfaces == ("path",) and aim.kind != "fs_read":
                    continue
                for path in TECHNIQUES[name].spell(aim.root, aim.target):
                    if path.startswith(self.below) and aim.op(path) not in seen:
                        seen.add(aim.op(path))
                        yield name, aim, path

    def _row(self, name: str, aim: Aim, path: str) -> Row:
        technique = TECHNIQUES[name]
        return Row(
            technique=name,
            ops=(aim.op(path),),
            control=self._control(aim),
            means=meant(path, aim.target),
            flags=(technique.group,),
            surfaces=_surfaces(technique.surfaces, aim),
            verdict=self.verdict,
            grant=self.grant,
        )

    def _control(self, aim: Aim) -> Row:
        honest = self.twin.read if aim.kind == "fs_read" else self.twin.write
        op = (aim.kind, honest) if aim.kind == "fs_read" else (aim.kind, honest, "honest")
        return Row(self.twin.technique, (op,), surfaces=_surfaces(BOTH, aim), grant=self.grant)


def _surfaces(surfaces: tuple[str, ...], aim: Aim) -> tuple[str, ...]:
    """Return where this can be asked, empty for wherever the family can be."""
    allowed = surfaces if aim.kind == "fs_read" else SESSION
    return () if allowed == BOTH else allowed


def meant(path: str, target: str) -> str:
    """Return what ``path`` hints at: where it leads if it climbs in plain sight, or the target."""
    return naive.resolve(path, {}) if ".." in path.split("/") else target


def family(
    name: str,
    cwe: str,
    plans: Sequence[Plan],
    *,
    files: Iterable[str] = (),
    links: Mapping[str, str] | None = None,
    grant: Mapping[str, Any] | None = None,
    extra: Sequence[Row] = (),
) -> Family:
    """
    Return the family of these plans and rows.

    ``files`` are planted beside those of the stage.
    """
    planted = FILES | {path: content(path) for path in sorted(files)}
    groups = [TECHNIQUES[one].group for plan in plans for one in plan.techniques]
    groups += [flag for row in extra for flag in row.flags]

    def rows() -> Iterator[Row]:
        for plan in plans:
            yield from plan.rows()
        yield from extra

    return Family(
        name=name,
        surfaces=BOTH,
        cwe=cwe,
        grant={**GRANT, **(grant or {})},
        world={"files": planted, "links": links} if links else {"files": planted},
        notes=notes_for(groups),
        rows=rows,
    )


def content(path: str) -> str:
    """Return the text of a planted file: an honest one says so, a secret names its place."""
    return f"honest file {path}" if naive.within(path, ["/work"]) else f"secret of {path}"

"""How path techniques become rows: what is aimed at, from where, and what the benign twin is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from capfuzz.attacks import naive
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.path_notes import notes_for
from capfuzz.attacks.expansion.stage import FILES, GRANT
from capfuzz.attacks.techniques.catalog import TECHNIQUES

BOTH = ("session", "path")
SESSION = ("session",)
_WRITTEN = "overwritten"


@dataclass(frozen=True, slots=True)
class Aim:
    """One door, the root it is granted below, and a place that it must not reach."""

    kind: str
    root: str
    target: str

    def op(self, path: str) -> tuple[str, ...]:
        """Return the op that tries ``path`` at this door."""
        return (self.kind, path) if self.kind == "fs_read" else (self.kind, path, _WRITTEN)


# Far away; beside, with the root's name in front; a file beside; another folder.
FAR = Aim("fs_read", "/work", "/etc/passwd")
NEAR = Aim("fs_read", "/work", "/workshop/secret.txt")
BESIDE = Aim("fs_read", "/work", "/work_secret")
OTHER = Aim("fs_read", "/work", "/other/secret.txt")
# What may only be read; what nobody may touch; beside, with the root's name in front.
KEPT = Aim("fs_write", "/work/out", "/work/data.txt")
SYSTEM = Aim("fs_write", "/work/out", "/system/config")
OUTBOX = Aim("fs_write", "/work/out", "/work/outbox/mail.txt")

READS = (FAR, NEAR, BESIDE)
WRITES = (KEPT, SYSTEM, OUTBOX)
SHORT = (FAR, NEAR, SYSTEM)


@dataclass(frozen=True, slots=True)
class Twin:
    """The honest paths that a family's attacks are compared with, and their technique."""

    technique: str
    read: str
    write: str

    def control(self, kind: str) -> Row:
        """Return the control of an attack at the door ``kind``."""
        if kind == "fs_read":
            return Row(self.technique, (("fs_read", self.read),))
        return Row(self.technique, (("fs_write", self.write, "honest"),), surfaces=SESSION)


PLAIN = Twin("plain-file", "/work/data.txt", "/work/out/report.txt")


@dataclass(frozen=True, slots=True)
class Plan:
    """Some techniques, what each is aimed at, and the twin of them all."""

    techniques: tuple[str, ...]
    aims: tuple[Aim, ...] = SHORT
    twin: Twin = PLAIN
    world: Mapping[str, Any] = field(default_factory=dict)
    grant: Mapping[str, Any] = field(default_factory=dict)

    def rows(self) -> Iterator[Row]:
        """Spell every technique at every aim."""
        for name in self.techniques:
            for aim in self.aims:
                for path in TECHNIQUES[name].spell(aim.root, aim.target):
                    yield self._row(name, aim, path)

    def _row(self, name: str, aim: Aim, path: str) -> Row:
        technique = TECHNIQUES[name]
        surfaces = technique.surfaces if aim.kind == "fs_read" else SESSION
        return Row(
            technique=name,
            ops=(aim.op(path),),
            control=self.twin.control(aim.kind),
            means=meant(path, aim.target),
            flags=(technique.group,),
            surfaces=() if surfaces == BOTH else surfaces,
            world=self.world,
            grant=self.grant,
        )


def meant(path: str, target: str) -> str:
    """Return what ``path`` hints at: where it leads if it climbs in plain sight, or the target."""
    return naive.resolve(path, {}) if ".." in path.split("/") else target


def family(  # noqa: PLR0913 - a family is described in one place, by name
    name: str,
    cwe: str,
    plans: Sequence[Plan],
    *,
    files: Iterable[str] = (),
    extra: Iterable[Row] = (),
    world: Mapping[str, Any] | None = None,
    grant: Mapping[str, Any] | None = None,
) -> Family:
    """Return the family of these plans; ``files`` are planted beside those of the stage."""
    planted = FILES | {path: content(path) for path in files}

    def rows() -> Iterator[Row]:
        for plan in plans:
            yield from plan.rows()
        yield from extra

    groups = [TECHNIQUES[one].group for plan in plans for one in plan.techniques]
    groups += [flag for row in extra for flag in row.flags]
    return Family(
        name=name,
        surfaces=BOTH,
        cwe=cwe,
        grant={**GRANT, **(grant or {})},
        world={"files": planted, **(world or {})},
        notes=notes_for(groups),
        rows=rows,
    )


def content(path: str) -> str:
    """Return the text of a planted file: an honest one says so, a secret names its place."""
    return f"honest file {path}" if naive.within(path, ["/work"]) else f"secret of {path}"

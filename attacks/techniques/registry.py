"""The one place where techniques are named and described."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar


class Kind(StrEnum):
    """What a technique is given and what it yields."""

    PATH = "path"  # (root, target) -> paths: start from the granted root, hint at the target
    HONEST = "honest"  # (root,) -> paths inside root that naive filters refuse
    HOST = "host"  # (host,) -> other spellings of that host or address
    NAME = "name"  # (host,) -> names that are not the host but look like it
    URL = "url"  # (allowed, other) -> URLs that name allowed and reach other
    TOOL = "tool"  # (name,) -> names that are not the tool but look like it
    ADDRESS = "address"  # () -> hosts, addresses and URLs by what they lead to
    REQUEST = "request"  # () -> request targets of HTTP, with names to be filled in
    EVAL = "eval"  # () -> sources in one of the languages that evaluators read
    ARCHIVE = "archive"  # () -> archives: members, and what they hint at
    SCENARIO = "scenario"  # () -> whole cases: a grant, a world, ops


@dataclass(frozen=True, slots=True)
class Technique:
    """
    A named way to spell or arrange hostile input.

    ``group`` names the fault that it reveals: findings of one group are one fault. ``needs`` says
    what a consumer must do for it to bite. ``spell`` is a pure, lazy, bounded generator.
    """

    name: str
    kind: Kind
    group: str
    cwe: str
    surfaces: tuple[str, ...]
    needs: str
    description: str
    spell: Callable[..., Iterator[Any]]
    refs: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ("any",)

    @property
    def module(self) -> str:
        """The name of the module that it is written in."""
        return self.spell.__module__.rpartition(".")[2]


TECHNIQUES: dict[str, Technique] = {}

_Spell = TypeVar("_Spell", bound=Callable[..., Iterator[Any]])


def technique(
    name: str,
    *,
    kind: Kind,
    group: str,
    cwe: str,
    needs: str,
    surfaces: tuple[str, ...] = ("session", "path"),
    refs: tuple[str, ...] = (),
    platforms: tuple[str, ...] = ("any",),
) -> Callable[[_Spell], _Spell]:
    """Register the decorated generator under ``name``; its docstring is the description."""

    def register(spell: _Spell) -> _Spell:
        if name in TECHNIQUES:
            raise ValueError(f"technique {name!r} is defined twice")
        TECHNIQUES[name] = Technique(
            name=name,
            kind=kind,
            group=group,
            cwe=cwe,
            surfaces=surfaces,
            needs=needs,
            description=" ".join((spell.__doc__ or "").split()),
            spell=spell,
            refs=refs,
            platforms=platforms,
        )
        return spell

    return register


def techniques_for(kind: Kind, surface: str) -> partial[Callable[[_Spell], _Spell]]:
    """Return `technique` for techniques of one kind that one surface alone can be asked."""
    return partial(technique, kind=kind, surfaces=(surface,))

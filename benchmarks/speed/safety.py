"""
Which attack vectors a peer accepts: the corpus is asked through the ordinary targets and judge.

Counted are vectors of one op that any right target refuses. A vector is accepted where the judge
finds a breach of severity error: a yes, or a place outside the grant.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from capfuzz.attacks.case import Case, Surface, Verdict
from capfuzz.attacks.invariants import Severity, judge
from capfuzz.attacks.vectors import Vector, load
from capfuzz.targets.base import Target
from capfuzz.targets.host import HostTarget
from capfuzz.targets.path import PathTarget
from capfuzz.targets.session import SessionTarget, engine_factory
from peers import Ask, Peer, Takes

_KEPT = 64


@dataclass(frozen=True, slots=True)
class Accepted:
    """How many of the vectors that must be refused were not."""

    count: int
    of: int

    def __str__(self) -> str:
        """Return it as a cell of the table."""
        return f"{self.count} of {self.of}"


def accepted(
    peer: Peer, vectors: Sequence[Vector] | None = None
) -> tuple[Accepted, Accepted | None]:
    """
    Return what a peer accepts of plain text, and of links where it looks at a file system.

    Of what reads hosts or URLs the first alone.
    """
    known = corpus() if vectors is None else vectors
    if peer.takes is Takes.HOST:
        return _asked(_engine(), chosen(known, Surface.SESSION, "net_fetch", linked=False)), None
    if peer.takes is Takes.URL:
        target = HostTarget(peer.name, lambda hosts, url: _kept(peer)(tuple(hosts))(url))
        return _asked(target, chosen(known, Surface.HOST, "url", linked=False)), None
    text = chosen(known, Surface.PATH, "fs_read", linked=False)
    links = chosen(known, Surface.PATH, "fs_read", linked=True)
    return _asked(_path_target(peer), text), _asked(
        _path_target(peer), links
    ) if peer.real else None


def engine_accepts(vectors: Sequence[Vector] | None = None) -> tuple[Accepted, Accepted]:
    """Return what the engine accepts of the vectors about paths, links followed in its own world."""
    known = corpus() if vectors is None else vectors
    text = chosen(known, Surface.PATH, "fs_read", linked=False)
    links = chosen(known, Surface.PATH, "fs_read", linked=True)
    return _asked(_engine(), text), _asked(_engine(), links)


@cache
def corpus() -> tuple[Vector, ...]:
    """Return the shipped corpus."""
    return load()


def chosen(vectors: Sequence[Vector], surface: Surface, kind: str, *, linked: bool) -> list[Case]:
    """Return the cases of one op of a kind that must be refused, in a world with links or without."""
    return [
        vector.case
        for vector in vectors
        if surface in vector.surfaces
        and vector.case.verdicts == (Verdict.DENY,)
        and _kind(vector.case.ops[0]) == kind
        and bool(vector.case.world.links) is linked
    ]


def _asked(target: Target, cases: list[Case]) -> Accepted:
    """Ask about the cases that the target can express."""
    try:
        adapted = [case for case in map(target.adapt, cases) if case is not None]
        return Accepted(sum(_breaks(target, case) for case in adapted), len(adapted))
    finally:
        target.close()


def _breaks(target: Target, case: Case) -> bool:
    breaches = judge(target.run(case)).breaches
    return any(
        one.severity is Severity.ERROR and one.invariant in {"confined", "alias-denied"}
        for one in breaches
    )


def _path_target(peer: Peer) -> PathTarget:
    kept = _kept(peer)

    def ask(root: str, path: str) -> object:
        whole = path if path.startswith("/") else f"{root.rstrip('/')}/{path}"
        return kept((root,))(whole if peer.takes is Takes.PATH else path)

    return PathTarget(peer.name, ask)


def _kept(peer: Peer) -> Callable[[tuple[str, ...]], Ask]:
    """Return the peer's functions by their rules, the last few kept: making one takes its time."""
    made: dict[tuple[str, ...], Ask] = {}

    def ask_of(rules: tuple[str, ...]) -> Ask:
        if rules not in made:
            if len(made) >= _KEPT:
                made.clear()
            made[rules] = peer.make(rules)
        return made[rules]

    return ask_of


def _engine() -> Target:
    return SessionTarget("engine", engine_factory, 2.0)


def _kind(op: Any) -> object:
    return op[0] if isinstance(op, tuple) and op else None

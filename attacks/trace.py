"""What was observed while a case ran: answers beside the effects that really happened."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from capfuzz.attacks.case import Case, Surface


class Effect(NamedTuple):
    """
    Something that the world saw happen.

    ``kind`` is ``read``, ``write``, ``fetch``, ``tool`` or ``use``; ``place`` the resolved path, the
    host reached, the tool's name or what was used up (`capfuzz.attacks.kernel.USES`); ``size`` the
    bytes that it let flow back, or how much was used up; ``failed`` whether the world itself
    answered with an error.
    """

    kind: str
    place: str
    size: int = 0
    failed: bool = False


class Answer(NamedTuple):
    """
    What the target said.

    ``violation``, ``hard`` and ``detail`` are None where the target does not tell. ``raised`` is
    the class of an exception that came out, ``hung`` whether the time limit ended the op.
    """

    ok: bool
    output: Any = None
    violation: str | None = None
    hard: bool | None = None
    detail: str | None = None
    raised: str | None = None
    hung: bool = False


class Step(NamedTuple):
    """
    One op as it was tried: its answer, its effects, and when it began and ended.

    ``began`` and ``ended`` number the events of a trace, so that ops tried from inside a tool
    nest. ``asked`` is the index in the case's ops, None for an op that a tool tried.
    ``reached`` is where a path or a URL led, for surfaces that answer with a place.
    """

    op: object
    answer: Answer
    effects: tuple[Effect, ...]
    began: int
    ended: int
    asked: int | None
    reached: str | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A case, the surface it was tried on, and its steps in the order in which they began."""

    case: Case
    surface: Surface
    steps: tuple[Step, ...]
    grant_kept: bool = True  # whether the grant reads the same afterwards
    dialect: frozenset[str] = field(default_factory=frozenset)

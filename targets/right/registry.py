"""What is known of each right target: where it is and in which style it is written."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from capfuzz.attacks.case import Surface

Target = TypeVar("Target", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Known:
    """A target of ours: how it is named on a command line, and what it answers."""

    spec: str
    surface: Surface

    @property
    def name(self) -> str:
        """The target's own name, the last part of its spec."""
        return self.spec.rpartition(":")[2]


def spec_of(room: str, surface: Surface, target: Callable[..., object]) -> str:
    """Return the spec of a target in the public module of its surface in ``room``."""
    return f"py:capfuzz.targets.{room}.{surface}:{target.__name__}"


@dataclass(frozen=True, slots=True)
class Right(Known):
    """
    A target against which no attack may report an error.

    ``not_promised``: what the style documents that it leaves to others, such as ``links``.
    """

    style: str
    not_promised: tuple[str, ...] = ()


_RIGHT: list[Right] = []


def right(
    surface: Surface, style: str, *, not_promised: tuple[str, ...] = ()
) -> Callable[[Target], Target]:
    """Register the decorated target."""

    def register(target: Target) -> Target:
        _RIGHT.append(Right(spec_of("right", surface, target), surface, style, not_promised))
        return target

    return register


def registered() -> tuple[Right, ...]:
    """Return every right target whose module has been imported, in order."""
    return tuple(_RIGHT)

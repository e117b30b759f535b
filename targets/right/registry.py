"""What is known of each right target: where it is and in which style it is written."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from capfuzz.attacks.case import Surface

_Target = TypeVar("_Target", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Right:
    """
    A target against which no attack may report an error.

    ``not_promised``: what the style documents that it leaves to others, such as ``links``.
    """

    spec: str
    surface: Surface
    style: str
    not_promised: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The target's own name, the last part of its spec."""
        return self.spec.rpartition(":")[2]


_RIGHT: list[Right] = []


def right(
    surface: Surface, style: str, *, not_promised: tuple[str, ...] = ()
) -> Callable[[_Target], _Target]:
    """Register the decorated target under the public module of its surface."""

    def register(target: _Target) -> _Target:
        name = target.__name__
        spec = f"py:capfuzz.targets.right.{surface}:{name}"
        _RIGHT.append(Right(spec, surface, style, not_promised))
        return target

    return register


def registered() -> tuple[Right, ...]:
    """Return every right target whose module has been imported, in order."""
    return tuple(_RIGHT)

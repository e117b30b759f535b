"""Targets that are right, in the several ways in which people write them."""

from capfuzz.targets.right import session as session
from capfuzz.targets.right.registry import Right, registered

RIGHT: tuple[Right, ...] = registered()

__all__ = ["RIGHT", "Right"]

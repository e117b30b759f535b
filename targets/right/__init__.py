"""Targets that are right, in the several ways in which people write them."""

from capfuzz.targets.right import host, path, session
from capfuzz.targets.right.registry import Right, registered

RIGHT: tuple[Right, ...] = registered()

__all__ = ["RIGHT", "Right", "host", "path", "session"]

"""Targets that are right, in the several ways in which people write them."""

from capfuzz.targets.right import archive, eval, host, http, mcp, path, session, ssrf  # noqa: A004 - as the surface
from capfuzz.targets.right.registry import Right, registered

RIGHT: tuple[Right, ...] = registered()

__all__ = ["RIGHT", "Right", "archive", "eval", "host", "http", "mcp", "path", "session", "ssrf"]

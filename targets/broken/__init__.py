"""Targets that are known to be faulty, to show that an attack finds what it should."""

from capfuzz.targets.broken import archive, eval, host, http, mcp, path, session, ssrf  # noqa: A004 - as the surface
from capfuzz.targets.broken.registry import Fault, registered

FAULTS: tuple[Fault, ...] = registered()

__all__ = ["FAULTS", "Fault", "archive", "eval", "host", "http", "mcp", "path", "session", "ssrf"]

"""Targets that are known to be faulty, to show that an attack finds what it should."""

from capfuzz.targets.broken import host, path, session
from capfuzz.targets.broken.registry import Fault, registered

FAULTS: tuple[Fault, ...] = registered()

__all__ = ["FAULTS", "Fault", "host", "path", "session"]

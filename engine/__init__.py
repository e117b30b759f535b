"""
The reference engine: an in-process *model* of a capability check.

Deterministic, with no real file, socket or clock. It shows what a right sandbox decides and in
which order; it is not itself a security boundary.
"""

from capfuzz.engine.agent import Run, SandboxedAgent
from capfuzz.engine.capabilities import Capabilities, GrantError
from capfuzz.engine.clock import make_tick_clock
from capfuzz.engine.paths import canonical, has_traversal, under_allowlist
from capfuzz.engine.results import Result, Violation
from capfuzz.engine.sandbox import Sandbox
from capfuzz.engine.world import VFS, Net, NetError, Redirect

__all__ = [
    "VFS",
    "Capabilities",
    "GrantError",
    "Net",
    "NetError",
    "Redirect",
    "Result",
    "Run",
    "Sandbox",
    "SandboxedAgent",
    "Violation",
    "canonical",
    "has_traversal",
    "make_tick_clock",
    "under_allowlist",
]

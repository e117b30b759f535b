"""
What can be attacked, and the recorded world that session targets act on.

`World` is the same world that `capfuzz attack` hands to a session target, for a target's own
tests.
"""

from capfuzz.targets.base import Target, TargetError
from capfuzz.targets.world import World

__all__ = ["Target", "TargetError", "World"]

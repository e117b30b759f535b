"""A typo names the nearest known word; said in `capfuzz.targets.suggest`, which rooms below use too."""

from capfuzz.targets.suggest import nearest

__all__ = ["nearest"]

"""The shipped corpus, loaded as this module is: once, by the process that all others come from."""

from capfuzz.attacks.vectors import Vector, load

VECTORS: tuple[Vector, ...] = load()

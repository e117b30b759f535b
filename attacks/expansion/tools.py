"""Families to be."""

from capfuzz.attacks.expansion.family import Family

FAMILIES: tuple[Family, ...] = ()

"""Every family of vectors about paths."""

from capfuzz.attacks.expansion import paths_grants, paths_places, paths_spelling
from capfuzz.attacks.expansion.family import Family

FAMILIES: tuple[Family, ...] = (
    *paths_spelling.FAMILIES,
    *paths_places.FAMILIES,
    *paths_grants.FAMILIES,
)

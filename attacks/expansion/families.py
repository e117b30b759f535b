"""Every family that is expanded from techniques."""

from capfuzz.attacks.expansion import hosts, paths, scenarios, tools, urls
from capfuzz.attacks.expansion.family import Family

FAMILIES: tuple[Family, ...] = (
    *paths.FAMILIES,
    *hosts.FAMILIES,
    *urls.FAMILIES,
    *tools.FAMILIES,
    *scenarios.FAMILIES,
)

"""Every family that is expanded from techniques."""

from capfuzz.attacks.expansion import (
    archives,
    evaluators,
    hosts,
    http,
    kernel,
    paths,
    scenarios,
    ssrf,
    tools,
    urls,
)
from capfuzz.attacks.expansion.family import Family

FAMILIES: tuple[Family, ...] = (
    *paths.FAMILIES,
    *hosts.FAMILIES,
    *http.FAMILIES,
    *urls.FAMILIES,
    *ssrf.FAMILIES,
    *tools.FAMILIES,
    *scenarios.FAMILIES,
    *archives.FAMILIES,
    *evaluators.FAMILIES,
    *kernel.FAMILIES,
)

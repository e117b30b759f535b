"""Hypothesis strategies built on the techniques."""

from capfuzz.strategies.cases import (
    grants,
    hosts,
    op_sequences,
    ops,
    path_cases,
    paths,
    siblings,
    ticks,
    url_cases,
)

__all__ = [
    "grants",
    "hosts",
    "op_sequences",
    "ops",
    "path_cases",
    "paths",
    "siblings",
    "ticks",
    "url_cases",
]

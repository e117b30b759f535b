"""Hostile text made harmless and long text made short: what reports for people share."""

import json
from collections.abc import Mapping
from typing import Any

_LONG_OP = 160


def printable(text: str) -> str:
    """Return ``text`` with everything written out that a terminal obeys or no file can hold."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def cut(text: str, most: int) -> str:
    """Return ``text``, cut where it is longer than ``most`` characters."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def short(op: object, most: int = _LONG_OP) -> str:
    """Return an op as JSON, cut where it is longer than ``most`` characters."""
    return cut(json.dumps(op), most)


def granted(grant: Mapping[str, Any]) -> dict[str, Any]:
    """Return a grant without the lists that are empty."""
    return {name: value for name, value in grant.items() if value or value == 0}


def tried(counts: Mapping[str, int]) -> str:
    """Return how much was tried."""
    return (
        f"{counts['attacks']} attacks, {counts['controls']} controls, "
        f"{counts['generated']} generated, {counts['ops']} ops"
    )

"""What a worker is told to do, as one argument of its command line."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.targets.spec import Options


@dataclass(frozen=True, slots=True)
class Order:
    """
    One worker's work: ``seconds`` long, in a ``folder`` of its own below the parent's.

    ``corpora``: folders of inputs to start from; what is worth keeping goes to the first.
    ``collect_all``: go on after the first fault of severity error.
    ``skipped``: inputs (hex) that have ended a process before.
    """

    harness: str
    spec: str
    options: Options
    seconds: float
    seed: int
    folder: str
    corpora: tuple[str, ...]
    dictionary: str
    collect_all: bool = False
    skipped: tuple[str, ...] = ()

    def to_text(self) -> str:
        """Return the order as JSON."""
        return json.dumps(asdict(self), default=list)

    @classmethod
    def of_text(cls, text: str) -> "Order":
        """Return the order that JSON says."""
        whole = json.loads(text)
        whole["options"] = _options(whole["options"])
        whole["corpora"], whole["skipped"] = tuple(whole["corpora"]), tuple(whole["skipped"])
        return cls(**whole)


def _options(given: dict[str, Any]) -> Options:
    surface = given["surface"]
    sets = {name: frozenset(given[name]) for name in ("dialect", "exposes")}
    return Options(
        **{
            **given,
            **sets,
            "public": tuple(given["public"]),
            "surface": None if surface is None else Surface(surface),
        }
    )

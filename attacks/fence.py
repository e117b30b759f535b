"""Where a grant's prefixes lead in one world: their own links are followed."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from capfuzz.attacks import naive
from capfuzz.attacks.case import WorldSpec
from capfuzz.engine import Capabilities


@dataclass(slots=True)
class Fence:
    """The places that a grant opens in a world, worked out once for all ops of a case."""

    grant: Capabilities
    world: WorldSpec
    _read: list[str] = field(init=False)
    _write: list[str] = field(init=False)

    def __post_init__(self) -> None:
        """Resolve both lists."""
        self._read = self._roots(self.grant.fs_read)
        self._write = self._roots(self.grant.fs_write)

    def readable(self, place: str) -> bool:
        """Tell whether a resolved place may be read."""
        return naive.within(place, self._read)

    def writable(self, place: str) -> bool:
        """Tell whether a resolved place may be written."""
        return naive.within(place, self._write)

    def _roots(self, prefixes: Iterable[str]) -> list[str]:
        roots = []
        for prefix in prefixes:
            try:
                roots.append(naive.resolve(prefix, self.world.links))
            except OSError:  # a loop opens nothing
                continue
        return roots

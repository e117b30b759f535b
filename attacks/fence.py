"""Where a grant's prefixes lead in one world: their own links are followed."""

from dataclasses import dataclass, field
from functools import lru_cache

from capfuzz.attacks import naive
from capfuzz.attacks.case import WorldSpec
from capfuzz.engine import Capabilities


@dataclass(slots=True)
class Fence:
    """The places that a grant opens in a world, worked out once for all ops of a case."""

    grant: Capabilities
    world: WorldSpec
    read: tuple[str, ...] = field(init=False)
    write: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Resolve both lists."""
        links = tuple(self.world.links.items())
        self.read = _places(self.grant.fs_read, links)
        self.write = _places(self.grant.fs_write, links)

    def readable(self, place: str) -> bool:
        """Tell whether a resolved place may be read."""
        return naive.within(place, self.read)

    def writable(self, place: str) -> bool:
        """Tell whether a resolved place may be written."""
        return naive.within(place, self.write)


@lru_cache(maxsize=4096)
def _places(
    prefixes: tuple[str, ...], links_as_items: tuple[tuple[str, str], ...]
) -> tuple[str, ...]:
    links, places = dict(links_as_items), []
    for prefix in prefixes:
        try:
            places.append(naive.resolve(prefix, links))
        except OSError:  # a loop opens nothing
            continue
    return tuple(places)

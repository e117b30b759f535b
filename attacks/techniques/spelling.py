"""What techniques of hosts and tools share: whom they are made for, and that they say it once."""

from collections.abc import Callable, Iterator
from functools import wraps
from ipaddress import AddressValueError, IPv4Address, IPv6Address

Spell = Callable[[str], Iterator[str]]


def others(spell: Spell) -> Spell:
    """Let ``spell`` yield each name once, and never the one that it was given."""

    @wraps(spell)
    def spelt(name: str) -> Iterator[str]:
        said = {name}
        for other in spell(name):
            if other not in said:
                said.add(other)
                yield other

    return spelt


def of_ipv4(spell: Spell) -> Spell:
    """Let ``spell`` yield nothing for what is no dotted IPv4 address; `others` else."""
    return _only(IPv4Address, others(spell))


def of_ipv6(spell: Spell) -> Spell:
    """Let ``spell`` yield nothing for what is no IPv6 address; `others` else."""
    return _only(IPv6Address, others(spell))


def _only(kind: Callable[[str], object], spell: Spell) -> Spell:
    @wraps(spell)
    def spelt(host: str) -> Iterator[str]:
        try:
            kind(host)
        except AddressValueError:
            return
        yield from spell(host)

    return spelt


def octets(host: str) -> list[int]:
    """Return the four octets of a dotted address."""
    return list(IPv4Address(host).packed)

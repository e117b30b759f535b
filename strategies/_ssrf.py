"""From bytes to a text that an ssrf target is asked: internal addresses, their edges and spellings."""

from functools import lru_cache
from ipaddress import ip_address, ip_network

from capfuzz.attacks.expansion.ssrf import IPV4, IPV6
from capfuzz.attacks.special_addresses import INTERNAL, Reach, reach, within
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.strategies.moves import Move, pick, spellings

SSRF_BYTES = 6
_PUBLIC = "93.184.215.14"
# The plainest first: zero picks the loopback address as it stands.
_BLOCKS = tuple(sorted(INTERNAL, key=lambda block: (block != "127.0.0.0/8", ":" in block)))
# Known to everybody, so that what shows is the spelling and not the block.
_WELL_KNOWN = ("127.0.0.0/8", "10.0.0.0/8", "192.168.0.0/16", "::1/128", "fd00::/8")
_OFFSETS = (1, 0, 2, -1, -2, -257, 256)  # from the start of a block, negative ones from its end
_FIRST_INSIDE = 128  # bytes from here on pick a place between the ends
_NEAR_MISS = "near-miss"
# Which technique names an address of a block; the rest is for documentation.
_TECHNIQUES = {
    "internal-loopback": ("127.0.0.0/8", "::1/128"),
    "internal-unspecified": ("0.0.0.0/8", "::/128"),
    "internal-private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
    "internal-link-local": ("169.254.0.0/16",),
    "internal-shared": ("100.64.0.0/10",),
    "carried-teredo": ("2001::/32",),
    "carried-6to4": ("2002::/16",),
    "carried-nat64": ("64:ff9b::/96",),
    "carried-mapped": ("::ffff:0:0/96",),
    "carried-translated": ("::ffff:0:0:0/96",),
    "carried-compatible": ("::/96",),
    "internal-assigned": ("192.0.0.0/24", "2001::/23"),
    "internal-benchmark": ("198.18.0.0/15",),
    "internal-multicast": ("224.0.0.0/4", "ff00::/8"),
    "internal-reserved": ("240.0.0.0/4", "100::/64"),
    "internal-nat64-local": ("64:ff9b:1::/48",),
    "internal-unique-local": ("fc00::/7",),
    "internal-link-local-six": ("fe80::/10",),
    "internal-site-local": ("fec0::/10",),
}


def ssrf_move(data: bytes) -> Move:
    """Return the op that six bytes pick: an address in or beside a block, plain, spelt or in a URL."""
    mode, which, where, near, how, variant = data.ljust(SSRF_BYTES, b"\0")
    make = _MAKERS[mode % len(_MAKERS)]
    blocks = _WELL_KNOWN if make in {_spelt, _in_url} else _BLOCKS
    host = _address(pick(blocks, which), where, near)
    return make(host, how, variant) or _plain(host, how, variant)


def _address(block: str, where: int, near: int) -> str:
    """Return an address of a block: near its start or its end, or somewhere inside."""
    network = ip_network(block)
    size = network.num_addresses
    inside = where >= _FIRST_INSIDE
    offset = where * size // 256 + near if inside else pick(_OFFSETS, where)
    return str(network[offset % size])


def _plain(host: str, _how: int, _variant: int) -> Move:
    return Move(("ssrf", host), _named(host))


def _named(host: str) -> str:
    """Return the technique that names an address by its block."""
    if reach(host) is not Reach.INTERNAL:
        return _NEAR_MISS
    address = ip_address(host)
    blocks = (
        name
        for name, networks in _TECHNIQUES.items()
        if any(within(address, one) for one in networks)
    )
    return next(blocks, "internal-documentation")


def _beside(host: str, how: int, variant: int) -> Move | None:
    """Step out of the block that an address lies in, by up to 256."""
    network = next(one for one in map(ip_network, INTERNAL) if ip_address(host) in one)
    outside = int(network[-1]) + 1 + how if variant % 2 else int(network[0]) - 1 - how
    try:
        return _plain(str(type(network[0])(outside)), how, variant)
    except ValueError:  # before the first address of all, or behind the last
        return None


def _spelt(host: str, how: int, variant: int) -> Move | None:
    technique = pick(IPV6 if ":" in host else IPV4, how)
    texts = spellings(technique, host)
    return _as_it_reads(pick(texts, variant), technique) if texts else None


def _as_it_reads(text: str, technique: str) -> Move:
    """Return a spelling; one that is a plain address again is named by its block."""
    try:
        is_plain = str(ip_address(text)) == text and "%" not in text
    except ValueError:
        is_plain = False
    return Move(("ssrf", text), _named(text) if is_plain else technique)


def _in_url(host: str, how: int, variant: int) -> Move | None:
    technique = pick(_url_techniques(), how)
    inside = f"[{host}]" if ":" in host else host
    urls = [one for one in spellings(technique, _PUBLIC, inside) if "/" in one]
    return Move(("ssrf", pick(urls, variant)), technique) if urls else None


@lru_cache(maxsize=1)
def _url_techniques() -> tuple[str, ...]:
    return tuple(name for name, one in TECHNIQUES.items() if one.kind is Kind.URL)


_MAKERS = (_plain, _beside, _spelt, _in_url)

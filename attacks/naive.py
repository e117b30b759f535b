"""
What a grant allows, said as plainly as can be: the specification of the engine's fast checks.

Written independently of `capfuzz.engine`: it walks segments and labels one by one, and never
compiles, slices or bisects anything. Slow on purpose; what a campaign asks again and again is
remembered.
"""

import ipaddress
import re
import socket
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

MAX_LINKS = 40
_HOST_CHARACTERS = frozenset(string.ascii_lowercase + string.digits + "-_")
_UNSPEAKABLE = re.compile("[\0-\x1f\ud800-\udfff]")
_SHORT_OR_ODD_IPV4 = re.compile(r"[0-9a-fx]+(\.[0-9a-fx]+){0,3}")


_remembered = lru_cache(maxsize=16_384)


@_remembered
def segments(path: str) -> tuple[str, ...]:
    """Return the names of a path without ``..``: empty ones and ``.`` say nothing."""
    return tuple(name for name in path.split("/") if name not in {"", "."})


def within(path: str, roots: Iterable[str]) -> bool:
    """Tell whether ``path`` is one of ``roots`` or below one, segment by segment."""
    return _within(path, tuple(roots))


@_remembered
def _within(path: str, roots: tuple[str, ...]) -> bool:
    names = segments(path)
    return any(names[: len(root)] == root for root in map(segments, roots))


def climbs(path: str) -> bool:
    r"""Tell whether a segment is ``..``, with ``\`` counted as a separator."""
    return ".." in path.replace("\\", "/").split("/")


@_remembered
def unspeakable(path: str) -> bool:
    """Tell whether ``path`` has a C0 control or a lone surrogate."""
    return _UNSPEAKABLE.search(path) is not None


def path_refusal(path: str, prefixes: Iterable[str]) -> str | None:
    """Return why the engine refuses ``path`` (``denied`` for outside), or None."""
    if climbs(path):
        return "path_traversal"
    if not path.startswith("/") or unspeakable(path):
        return "malformed_op"
    return None if within(path, prefixes) else "denied"


def resolve(path: str, links: Mapping[str, str]) -> str:
    """Return where ``path`` leads in a world with ``links``; raises OSError beyond 40 of them."""
    return _resolve(path, tuple(links.items()))


@_remembered
def _resolve(path: str, links_as_items: tuple[tuple[str, str], ...]) -> str:
    links = dict(links_as_items)
    place: list[str] = []
    hops = iter(range(MAX_LINKS))  # of the whole way, as path_resolution(7) counts them
    for name in path.split("/"):
        place = _enter(place, name, links, hops)
    return "/" + "/".join(place)


def _enter(place: list[str], name: str, links: Mapping[str, str], hops: Iterator[int]) -> list[str]:
    if name in {"", "."}:
        return place
    if name == "..":
        return place[:-1]
    target = links.get("/" + "/".join([*place, name]))
    if target is None:
        return [*place, name]
    if next(hops, None) is None:
        raise OSError("too many links")
    here: list[str] = [] if target.startswith("/") else place
    for part in target.split("/"):
        here = _enter(here, part, links, hops)
    return here


@_remembered
def host_name(host: str) -> str | None:
    """Return the form under which the engine compares ``host``, None where it is not plain."""
    if _is_address(host):
        return host
    if not host.isascii():
        return None
    name = host.lower()
    name = name.removesuffix(".")
    labels = name.split(".")
    plain = all(0 < len(label) <= 63 and set(label) <= _HOST_CHARACTERS for label in labels)  # noqa: PLR2004
    return name if plain and len(name) <= 253 and not _is_number(labels[-1]) else None  # noqa: PLR2004


def host_refused(host: str, granted: Iterable[str]) -> bool:
    """Tell whether the engine refuses to contact ``host``."""
    name = host_name(host)
    return name is None or name not in {host_name(one) for one in granted}


@_remembered
def reached(host: str) -> str:
    """Return the host that a lenient client reaches: case, one dot, any ``inet_aton`` spelling."""
    name = "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in host)
    name = name.removesuffix(".")
    if _SHORT_OR_ODD_IPV4.fullmatch(name):
        try:
            return socket.inet_ntoa(socket.inet_aton(name))
        except OSError:
            return name
    return name


def _is_number(label: str) -> bool:
    is_hex = label.startswith("0x") and set(label[2:]) <= set(string.hexdigits)
    return label.isdigit() or is_hex


def _is_address(host: str) -> bool:
    parts = host.split(".")
    if len(parts) == 4 and all(_is_octet(part) for part in parts):  # noqa: PLR2004
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return str(address) == host and "%" not in host and getattr(address, "ipv4_mapped", 0) is None


def _is_octet(part: str) -> bool:
    return part in map(str, range(256))


@_remembered
def lenient_names(host: str) -> Sequence[str]:
    """Return the names that one careless step or another would make of ``host``."""
    import unicodedata  # noqa: PLC0415 - only odd hosts come here
    from urllib.parse import unquote  # noqa: PLC0415

    texts = [host, unquote(host), unquote(unquote(host))]
    texts += [unicodedata.normalize("NFKC", text) for text in texts]
    texts += [text.rpartition("@")[2].partition(":")[0] for text in texts]
    texts += [_printable(text).strip() for text in texts]
    return [reached(text.casefold().strip(".").replace("\u3002", ".")) for text in texts]


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(c for c in text if c.isprintable())

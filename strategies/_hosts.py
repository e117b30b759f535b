"""Strategies for hosts, addresses and URLs."""

import unicodedata
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from capfuzz.attacks import naive
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.attacks.url_readers import READERS, canonical, destinations
from capfuzz.strategies import _arguments
from capfuzz.strategies._spellings import grouped, spelt_by
from capfuzz.strategies.moves import named
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

_HOST = "api.internal"
_EXACT = "granted-host"
_ONE_ADDRESS = (
    *("ipv4-spelling", "ipv4-trailing-dot", "ipv6-spelling", "ipv6-case"),
    *("ipv6-brackets", "ipv6-zone"),
)
_LIKE_AN_ADDRESS = ("ipv4-digits", "ipv6-embedded")


def hosts(*, granted: str = _HOST) -> st.SearchStrategy[str]:
    """
    Return ``granted``, its other spellings, and names that look like it and are not it.

    Shrinks towards ``granted``. Raises ``InvalidArgument`` for what no grant takes as a host.
    """
    _arguments.check_host("granted", granted)
    return st.sampled_from(_like(granted))


def host_spellings(host: str) -> st.SearchStrategy[str]:
    """
    Return other spellings of ``host``, each of which some client reads as that very host.

    Capitals, dots at the end, letters and dots of other scripts, a port, blanks; of an address
    also octal, hexadecimal, short and full forms (CWE-1389). Shrinks towards the name with a dot
    at its end, an address as one decimal number, or an IPv6 address in full. Raises
    ``InvalidArgument`` as `hosts` does.
    """
    _arguments.check_host("host", host)
    return st.sampled_from(_same_host(host))


def ip_spellings(address: str) -> st.SearchStrategy[str]:
    """
    Return texts that some reader turns into ``address``, IPv4 or IPv6.

    As inet_aton(3), the WHATWG URL standard, NFKC and `ipaddress` read them, and for IPv4 the
    IPv6 addresses that hold it: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
    Shrinks towards the decimal number, or the IPv6 address in full. Raises ``InvalidArgument``
    for what is no canonical address.
    """
    _arguments.check_address("address", address)
    return st.sampled_from(_same_address(address))


def url_confusions(allowed: str, other: str) -> st.SearchStrategy[str]:
    """
    Return URLs that one client or another takes to ``other``, though they name ``allowed``.

    Userinfo, backslashes, fragments, blanks, encodings, odd schemes (CWE-918, CWE-436). Shrinks
    towards ``http://other/allowed``. Raises ``InvalidArgument`` for hosts that no grant takes,
    and for two that are the same.
    """
    _arguments.check_host("allowed", allowed)
    _arguments.check_host("other", other)
    if canonical(allowed) == canonical(other):
        raise InvalidArgument(f"other={other!r} must be another host than allowed={allowed!r}")
    return st.sampled_from(_urls(allowed, other))


@lru_cache(maxsize=256)
def _like(granted: str) -> tuple[str, ...]:
    return spelt_by((_EXACT, *named(Kind.HOST, Kind.NAME)), granted)


@lru_cache(maxsize=256)
def _same_host(host: str) -> tuple[str, ...]:
    others = spelt_by(named(Kind.HOST), host)
    return tuple(text for text in others if text != host and _some_client_reads(text, host))


def _some_client_reads(text: str, host: str) -> bool:
    meant = canonical(host)
    urls = (f"http://{text}/", f"http://[{text}]/")
    places = {place for url in urls for read in READERS if (place := read(url))}
    read_as = {name for place in places for names in destinations(place) for name in names}
    return meant in read_as or naive.reached(host) in naive.lenient_names(text)


@lru_cache(maxsize=256)
def _same_address(address: str) -> tuple[str, ...]:
    techniques = grouped(Kind.HOST, *_ONE_ADDRESS) + grouped(Kind.NAME, *_LIKE_AN_ADDRESS)
    return tuple(text for text in spelt_by(techniques, address) if _denotes(text, address))


def _denotes(text: str, address: str) -> bool:
    plain = unicodedata.normalize("NFKC", text).replace("\u3002", ".").rstrip(".")
    return naive.reached(plain) == address or _holds(plain, address)


def _holds(text: str, address: str) -> bool:
    """Tell whether an IPv6 address is the same or has the bits of an IPv4 one, or their inverse."""
    try:
        packed = IPv6Address(text.strip("[]").partition("%")[0]).packed
    except AddressValueError:
        return False
    if ":" in address:
        return packed == IPv6Address(address).packed
    meant = IPv4Address(address).packed
    return meant in packed or bytes(255 - octet for octet in meant) in packed


@lru_cache(maxsize=64)
def _urls(allowed: str, other: str) -> tuple[str, ...]:
    texts = spelt_by(("url-mention", *named(Kind.URL, surface="host")), allowed, other)
    elsewhere = canonical(other)
    return tuple(url for url in texts if allowed in url and _reaches(url, elsewhere))


def _reaches(url: str, host: str | None) -> bool:
    places = {place for read in READERS if (place := read(url))}
    return any(host in names for place in places for names in destinations(place))

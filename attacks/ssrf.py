"""
What a request with a text in it would reach: the ssrf surface's oracle.

The text is a host or an address, or a URL if it has a slash or a backslash. The verdict is over
the readings of several mainstream clients (`capfuzz.attacks.url_readers`):

- ``deny``: some client would connect to an address that is not on the public internet
  (CWE-918), to a name that stands for this machine, or for the metadata of a cloud in a domain
  that is never public.
- ``allow``: a public address as it prints, or a plain name, alone or in a plain URL.
- ``contain``: all the rest. Other spellings of public addresses, IPv6 addresses that carry a
  public IPv4 one, ports, other schemes, and whatever no client connects by.

A target that resolves names (dialect ``resolves``) is asked about `ZONE`, whose names are then
judged by their addresses. ``public:NETWORK`` among the dialects is a network that the target is
documented to let through.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.special_addresses import Reach, reach, within
from capfuzz.attacks.url_readers import READERS, canonical, destinations
from capfuzz.attacks.urls import plain_host

RESOLVES, PUBLIC = "resolves", "public:"
HONEST_NAME = "www.public.test"
# What the suite's own name server tells a target that resolves: every answer is fixed.
ZONE: dict[str, tuple[str, ...]] = {
    HONEST_NAME: ("93.184.215.14",),
    "public.test": ("8.8.8.8",),
    "six.public.test": ("2606:4700:4700::1111",),
    "localhost": ("127.0.0.1",),
    "localhost.localdomain": ("127.0.0.1",),
    "ip6-localhost": ("::1",),
    "ip6-loopback": ("::1",),
    "x.localhost": ("127.0.0.1",),
    "metadata.google.internal": ("169.254.169.254",),
    "metadata": ("169.254.169.254",),
    "metadata.goog": ("169.254.169.254",),
    "instance-data": ("169.254.169.254",),
    "instance-data.ec2.internal": ("169.254.169.254",),
    "metadata.tencentyun.test": ("169.254.0.23",),
    "kubernetes.default.svc": ("10.96.0.1",),
    "loopback.public.test": ("127.0.0.1",),
    "private.public.test": ("10.20.30.40",),
    "link.public.test": ("169.254.169.254",),
    "carrier.public.test": ("100.64.0.1",),
    "unspecified.public.test": ("0.0.0.0",),  # noqa: S104 - nothing is bound
    "six-loopback.public.test": ("::1",),
    "six-private.public.test": ("fd00::1",),
    "mapped.public.test": ("::ffff:127.0.0.1",),
    "second.public.test": ("93.184.215.14", "10.20.30.40"),
    "first.public.test": ("10.20.30.40", "93.184.215.14"),
    "other-family.public.test": ("93.184.215.14", "::1"),
    "third.public.test": ("93.184.215.14", "8.8.8.8", "169.254.169.254"),
    "127.0.0.1.ip.test": ("127.0.0.1",),
    "10-20-30-40.ip.test": ("10.20.30.40",),
}
# RFC 6761, 6.3: these are this machine, whoever is asked; a private-use domain is nobody's.
_THIS_MACHINE = re.compile(
    r"(?:.*\.)?localhost|localhost\.localdomain|ip6-(?:localhost|loopback)|metadata\.google\.internal"
)
_URL = re.compile(r"[/\\]")


def is_url(text: str) -> bool:
    """Tell whether a text is asked as a URL rather than as a host."""
    return _URL.search(text) is not None


@lru_cache(maxsize=16_384)
def rule_ssrf(text: str, dialect: frozenset[str] = frozenset()) -> Verdict:
    """Return what a right filter answers for ``text``; see the module."""
    url = text if is_url(text) else as_url(text)
    if any(_leads_in(host, dialect) for read in READERS if (host := read(url))):
        return Verdict.DENY
    host = plain_host(url) if is_url(text) else _plain(text)
    return Verdict.ALLOW if host and _is_public(host, dialect) else Verdict.CONTAIN


def as_url(host: str) -> str:
    """Return a plain URL of a host; an IPv6 address gets its brackets."""
    bare = ":" in host and not host.startswith("[")
    return f"http://[{host}]/" if bare else f"http://{host}/"


def _plain(host: str) -> str | None:
    return plain_host(as_url(host)) if not host.startswith("[") else None


def _leads_in(host: str, dialect: frozenset[str]) -> bool:
    return any(_is_internal(name, dialect) for names in destinations(host) for name in names)


def _is_internal(name: str, dialect: frozenset[str]) -> bool:
    addresses = _addresses(name, dialect)
    if addresses is None:
        return _THIS_MACHINE.fullmatch(name) is not None
    return any(reach(one) is Reach.INTERNAL and not _declared(one, dialect) for one in addresses)


def _is_public(host: str, dialect: frozenset[str]) -> bool:
    """Tell whether a host that is written plainly must be let through."""
    if canonical(host) != host:
        return False
    addresses = _addresses(host, dialect)
    if addresses is None:  # a name that nobody looks up says nothing but itself
        return host == HONEST_NAME
    return all(reach(one) is Reach.PUBLIC for one in addresses)


def _addresses(name: str, dialect: frozenset[str]) -> Iterable[str] | None:
    """Return the addresses of a literal, or of a name where the target looks names up."""
    try:
        return (str(ip_address(name)),)
    except ValueError:
        return ZONE.get(name) if RESOLVES in dialect else None


def _declared(text: str, dialect: frozenset[str]) -> bool:
    """Tell whether a target is documented to let an address through; ``::`` and ``::1`` never."""
    address = ip_address(text)
    networks = (one.removeprefix(PUBLIC) for one in dialect if one.startswith(PUBLIC))
    return int(address) > 1 and any(within(address, network) for network in networks)

"""Readers of URLs, with an exact list of hosts behind them."""

# ruff: noqa: PLC0415 - the peer is asked for only where it is installed

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from peers import Ask, Peer, Takes


def urllib_host(hosts: Sequence[str]) -> Ask:
    """``urlsplit``, an address written as `ipaddress` writes it, then a look into a set."""
    allowed = frozenset(map(_canonical, hosts))

    def ask(text: str) -> object:
        try:
            host = urlsplit(text).hostname
        except ValueError:
            return False
        return host is not None and _canonical(host.removesuffix(".")) in allowed

    return ask


def yarl_host(hosts: Sequence[str]) -> Ask:
    """``yarl.URL(...).host``, then a look into a set."""
    from yarl import URL

    allowed = frozenset(hosts)

    def ask(text: str) -> object:
        try:
            host = URL(text).host
        except ValueError:
            return False
        return host is not None and host.removesuffix(".") in allowed

    return ask


def _canonical(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return host


HOST_PEERS = (
    Peer("urlsplit + ipaddress", urllib_host, Takes.URL),
    Peer("yarl", yarl_host, Takes.URL, "yarl", "yarl"),
)

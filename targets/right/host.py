"""Host targets that allow only what was granted, in several styles: ``NAME(allowed_hosts, url)``."""

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from capfuzz.attacks.case import Surface
from capfuzz.targets.right.names import lowered
from capfuzz.targets.right.registry import right

# Printable ASCII without the backslash, which some clients take for a slash.
_REST = r"(?:[/?#][!-\[\]-~]*)?"
_HOST = r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]"
_PORT = r"(?::[0-9]{1,5})?"
_MOST_SPELT = 9 * 253  # characters: RFC 1035's 253, each up to three bytes, percent-encoded
_LAST_PORT = 65_535


def _granted(allowed_hosts: Iterable[str]) -> set[str]:
    """Return the hosts as a URL writes them: lower case, no trailing dot, IPv6 in brackets."""
    plain = (lowered(host).removesuffix(".") for host in allowed_hosts)
    return {f"[{host}]" if ":" in host else host for host in plain}


@right(Surface.HOST, "one strict regular expression over the whole URL")
def strict_regex(allowed_hosts: Iterable[str], url: str) -> bool:
    """Tell whether a plain URL, without user info, escapes or capitals, names a granted host."""
    plain = re.fullmatch(f"https?://(?P<host>{_HOST}){_PORT}{_REST}", url)
    return plain is not None and plain["host"] in _granted(allowed_hosts)


@right(Surface.HOST, "urlsplit, after the characters are checked")
def urlsplit_strict(allowed_hosts: Iterable[str], url: str) -> bool:
    """Tell whether urlsplit finds a granted host in a URL that no two parsers read differently."""
    if not re.fullmatch(r"[!-\[\]-~]+", url):
        return False
    parts = urlsplit(url)
    plain = re.fullmatch(f"(?i:({_HOST}){_PORT})", parts.netloc)
    if plain is None or parts.scheme not in {"http", "https"}:
        return False
    return lowered(plain[1]) in _granted(allowed_hosts)


@right(Surface.HOST, "takes case, a trailing dot, user info and ports")
def lenient_spellings(allowed_hosts: Iterable[str], url: str) -> bool:
    """Tell whether a URL names a granted host, however it is dressed up."""
    match = re.fullmatch(rf"(?i:https?)://([!-\[\]-~]+?){_REST}", url)
    if match is None or match[1].count("@") > 1:
        return False
    host = re.sub(r":[0-9]{0,5}\Z", "", match[1].rpartition("@")[2])
    return lowered(host).removesuffix(".") in _granted(allowed_hosts)


@right(Surface.HOST, "rebuilds the beginning of the URL and compares")
def rebuilt(allowed_hosts: Iterable[str], url: str) -> bool:
    """Tell whether the URL begins exactly as one would be written for a granted host."""
    return any(
        re.fullmatch(f"https?://{re.escape(host)}{_REST}", url) for host in _granted(allowed_hosts)
    )


@right(Surface.HOST, "a parser after the WHATWG URL standard")
def whatwg_parser(allowed_hosts: Iterable[str], url: str) -> bool:
    r"""
    Tell whether a browser would connect to a granted host.

    Where other clients read a URL differently (``\`` and several ``@``) it is refused.
    """
    text = url.strip("".join(map(chr, range(0x21)))).replace("\t", "")
    match = re.fullmatch(r"(?i:https?):/*([^/?#]+)(?:[/?#].*)?", text)
    if match is None or re.search(r"[\r\n\\]", url) or match[1].count("@") > 1:
        return False
    address = re.fullmatch(r"(\[.*\]|[^:]*)(?::([0-9]*))?", match[1].rpartition("@")[2])
    if address is None or int(address[2] or 0) > _LAST_PORT:
        return False
    return _whatwg_host(address[1]) in set(map(_whatwg_host, _granted(allowed_hosts)))


def _whatwg_host(host: str) -> str:
    """Return the host as the standard serialises it; raises ``ValueError`` for a failure."""
    if host.startswith("["):
        return str(IPv6Address(host[1:-1]))
    if len(host) > _MOST_SPELT:  # normalising takes long over what is too long anyway
        raise ValueError("no host name")
    name = lowered(normalize("NFKC", unquote(host, errors="strict"))).removesuffix(".")
    if not re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", name):
        raise ValueError("no host name")
    return _ipv4(name) if re.fullmatch(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)", name) else name


def _ipv4(name: str) -> str:
    *heads, tail = map(_number, name.split("."))
    whole = bytes(heads) + tail.to_bytes(4 - len(heads))  # raises for a part that is too great
    return str(IPv4Address(whole))


def _number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8 if text.startswith("0") else 10)

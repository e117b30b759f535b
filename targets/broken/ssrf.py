"""Ssrf targets with one fault each: ``NAME(text)``, true where a request may go."""

import re
import socket
import sys
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.ssrf import (
    by_octets,
    by_value,
    canonical_address,
    literal_urls,
)

_DOTTED = re.compile(r"[0-9]+(?:\.[0-9]+){3}")
_IN_TEXT = re.compile(
    r"(?:0|10|127)\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2[0-9]|3[01])\.|192\.0\.[02]\."
    r"|198\.1[89]\.|198\.51\.100\.|203\.0\.113\.|100\.(?:6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\."
    r"|2(?:2[4-9]|[3-5][0-9])\."
)


@fault(Surface.SSRF, "alias-denied", modelled_on="CVE-2020-28360", style="regex")
def dotted_decimals_alone(address: str) -> bool:
    """
    Know internal addresses by patterns of dotted decimals: ``0x7f.0.0.1`` fits none.

    CVE-2020-28360, private-ip; CVE-2023-42282, ip.
    """
    return by_octets(address) if ":" in address else _IN_TEXT.match(address) is None


@fault(Surface.SSRF, "alias-denied", modelled_on="CVE-2021-29921", style="address parser")
def octal_as_decimal(address: str) -> bool:
    """
    Read ``012.0.0.1`` as 12.0.0.1, which clients take to 10.0.0.1.

    CVE-2021-29921, ipaddress; CVE-2021-28918, netmask.
    """
    if _DOTTED.fullmatch(address):
        return by_octets(".".join(str(int(part)) for part in address.split(".")))
    return canonical_address(address)


@fault(Surface.SSRF, "alias-denied", modelled_on="CVE-2024-4032", style="address parser")
def stale_table(address: str) -> bool:
    """
    Judge by a table that lacks what was registered later: local NAT64 among others.

    CVE-2024-4032, ipaddress.
    """
    late = ip_network("64:ff9b:1::/48")
    return (":" in address and ip_address(address) in late) or canonical_address(address)


@fault(Surface.SSRF, "alias-denied", modelled_on="CWE-918, mapped", style="address parser")
def mapped_judged_outside(address: str) -> bool:
    """Refuse the IPv6 blocks that are known to be internal, and forget mapped addresses. CWE-918."""
    read = ip_address(address)
    mapped = isinstance(read, IPv6Address) and read.ipv4_mapped is not None
    return mapped or canonical_address(address)


@fault(Surface.SSRF, "alias-denied", modelled_on="CWE-918, 6to4", style="address parser")
def carriers_are_public(address: str) -> bool:
    """Take 6to4, NAT64 and compatible addresses for any other global one. CWE-918."""
    read = ip_address(address)
    carriers = map(ip_network, ("2002::/16", "64:ff9b::/96"))
    return any(read in one for one in carriers) or canonical_address(address)


@fault(Surface.SSRF, "alias-denied", modelled_on="CVE-2024-29415, ip", style="text")
def link_local_by_text(address: str) -> bool:
    """Look for ``fe80`` at the start, while link-local addresses run to ``febf``. CWE-187."""
    begins = address.lower().startswith(("fe9", "fea", "feb", "fe81"))
    return begins or canonical_address(address)


@fault(Surface.SSRF, "alias-denied", modelled_on="CWE-187, first private /16", style="text")
def first_of_the_twelve(address: str) -> bool:
    """Compare ``172.16.`` as text: 172.17 to 172.31 are private as well. CWE-187."""
    later = address.startswith(tuple(f"172.{number}." for number in range(17, 32)))
    return (later and _DOTTED.fullmatch(address) is not None) or canonical_address(address)


@fault(Surface.SSRF, "alias-denied", modelled_on="CWE-918, shared space", style="address parser")
def not_private_is_public(address: str) -> bool:
    """Ask whether it is private: what carriers share is neither private nor public. CWE-918."""
    shared = ip_address(address) in ip_network("100.64.0.0/10")
    return shared or canonical_address(address)


@fault(Surface.SSRF, "alias-denied", modelled_on="CWE-918, one metadata address", style="text")
def one_metadata_address(address: str) -> bool:
    """Refuse 169.254.169.254 and none of its neighbours. CWE-918."""
    local = address.startswith("169.254.") and _DOTTED.fullmatch(address) is not None
    return (local and address != "169.254.169.254") or canonical_address(address)


@fault(Surface.SSRF, "alias-denied", modelled_on="CWE-918, unspecified", style="address parser")
def unspecified_is_public(address: str) -> bool:
    """Refuse loopback, and let 0.0.0.0 through, which leads there. CWE-918."""
    return ip_address(address).is_unspecified or canonical_address(address)


@fault(Surface.SSRF, "alias-denied", modelled_on="CWE-350, first record", style="resolver")
def first_address_alone(url: str) -> bool:
    """Judge the first address of a name, while the client tries them all. CWE-350."""
    host = urlsplit(url).hostname or ""
    if not re.fullmatch(r"http://[a-z0-9.-]+/.*", url):
        return literal_urls(url)
    first = socket.getaddrinfo(host, 80, type=socket.SOCK_STREAM)[0]
    return by_value(str(first[4][0]))


@fault(Surface.SSRF, "alias-denied", modelled_on="CWE-350, IPv4 alone", style="resolver")
def other_family_unseen(url: str) -> bool:
    """Look up IPv4 addresses alone: the client prefers the IPv6 one. CWE-350."""
    if not re.fullmatch(r"http://[a-z0-9.-]+/.*", url):
        return literal_urls(url)
    _, _, found = socket.gethostbyname_ex(urlsplit(url).hostname or "")
    return all(by_value(one) for one in found)


@fault(Surface.SSRF, "alias-denied", modelled_on="CWE-918, names not resolved", style="url parser")
def names_are_public(url: str) -> bool:
    """Refuse internal literals, and take whatever is no literal for a public name. CWE-918."""
    host = re.fullmatch(r"http://([A-Za-z0-9.-]*[A-Za-z][A-Za-z0-9-]*)/[!-\[\]-~]*", url)
    is_name = host is not None and re.search(r"(?:^|\.)0[xX][0-9A-Fa-f]*$", host[1]) is None
    return is_name or literal_urls(url)


@fault(Surface.SSRF, "alias-denied", modelled_on="CVE-2024-29041", style="url parser")
def hostname_of_urlsplit(url: str) -> bool:
    r"""
    Ask ``urlsplit`` alone, which finds 8.8.8.8 in ``http://127.0.0.1\@8.8.8.8/``.

    CVE-2024-29041, express.
    """
    return urlsplit(url).scheme in {"http", "https"} and canonical_address(
        urlsplit(url).hostname or ""
    )


@fault(Surface.SSRF, "alias-denied", modelled_on="CVE-2018-3774", style="regex")
def host_before_at(url: str) -> bool:
    """
    Match the host up to a colon or ``@``: ``http://8.8.8.8:80@127.0.0.1/``.

    CVE-2018-3774, url-parse.
    """
    found = re.match(r"https?://(?:\[([0-9a-f:]+)\]|([0-9.]+))", url)
    plain = re.fullmatch(r"https?://[!-\[\]-~]+", url) is not None
    return found is not None and plain and canonical_address(found[1] or found[2])


@fault(Surface.SSRF, "control-allowed", modelled_on="a mask that is too short", style="text")
def begins_like_private(address: str) -> bool:
    """Refuse whatever begins like 172. or 192., honest neighbours included."""
    return not address.startswith(("172.", "192.")) and canonical_address(address)


@fault(Surface.SSRF, "fail-closed", modelled_on="CWE-248", style="address parser")
def exits_on_nonsense(address: str) -> bool:
    """End the process where an address cannot be read. CWE-248."""
    try:
        return canonical_address(address)
    except ValueError:
        sys.exit(f"no address: {address}")


@fault(Surface.SSRF, "alias-denied", modelled_on="CWE-918, inet_aton after the check")
def decimal_is_a_name(host: str) -> bool:
    """Take one number for a name, which a C library reads as an address. CWE-918."""
    return re.fullmatch("[0-9]+", host) is not None or canonical_address(host)

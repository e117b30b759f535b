"""Broken checkers of the ssrf surface: the shipped faults, and filters that lack one block."""

import importlib
import re
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken import FAULTS
from capfuzz.targets.right.ssrf import canonical_address, literal_urls
from capfuzz.targets.ssrf import SsrfTarget


class Asked(SsrfTarget):
    """A target that is asked in its own form."""

    def run(self, case, patience=1.0):
        """Adapt the case first."""
        return super().run(self.adapt(case) or case, patience)


def lacks(*blocks):
    """Return the filter that does not know some blocks."""
    networks = [ip_network(one) for one in blocks]

    def public(address):
        return any(ip_address(address) in one for one in networks) or canonical_address(address)

    return public


def loopback_by_text(address):
    """Know the one loopback address that everybody writes."""
    block = ip_address(address) in ip_network("127.0.0.0/8")
    return (block and address != "127.0.0.1") or canonical_address(address)


def any_answer(url):
    """Take whatever a name resolves to for public."""
    named = re.fullmatch(r"http://[a-z0-9.-]*[a-z]/", url) is not None
    return bool(named and importlib.import_module("socket").gethostbyname(urlsplit(url).hostname))


def no_six(address):
    """Refuse the IPv6 addresses of one provider."""
    return not address.startswith("2a00:") and canonical_address(address)


def searched(url):
    """Search the whole URL for what is internal."""
    return not re.search(r"127\.|10\.0|localhost", url) and literal_urls(url)


_MADE = {
    "knows 127.0.0.1 alone": loopback_by_text,
    "lacks protocol assignments": lacks("192.0.0.0/24", "2001::/23"),
    "lacks documentation": lacks("192.0.2.0/24", "2001:db8::/32"),
    "lacks benchmarks": lacks("198.18.0.0/15"),
    "lacks multicast": lacks("224.0.0.0/4", "ff00::/8"),
    "lacks reserved": lacks("240.0.0.0/4", "100::/64"),
    "knows fd00 alone": lacks("fc00::/8"),
    "lacks site-local": lacks("fec0::/10"),
    "lacks compatible": lacks("::7f00:0/104"),
    "lacks translated": lacks("::ffff:0:0:0/96"),
    "lacks Teredo": lacks("2001::/32"),
    "trusts name servers": lambda url: any_answer(url) or literal_urls(url),
    "refuses a provider": no_six,
    "searches the whole URL": searched,
}


def _shipped(spec):
    module, _, name = spec.removeprefix("py:").partition(":")
    return getattr(importlib.import_module(module), name)


SSRF = {
    **{name: Asked(name, made) for name, made in _MADE.items()},
    **{
        f"ssrf fault {one.name}": Asked(one.name, _shipped(one.spec))
        for one in FAULTS
        if one.surface is Surface.SSRF
    },
}

FALLS_TO = {
    "knows 127.0.0.1 alone": "internal-loopback",
    "lacks protocol assignments": "internal-assigned",
    "lacks documentation": "internal-documentation",
    "lacks benchmarks": "internal-benchmark",
    "lacks multicast": "internal-multicast",
    "lacks reserved": "internal-reserved",
    "knows fd00 alone": "internal-unique-local",
    "lacks site-local": "internal-site-local",
    "lacks compatible": "carried-compatible",
    "lacks translated": "carried-translated",
    "lacks Teredo": "carried-teredo",
    "trusts name servers": "resolved-inside",
    "refuses a provider": "public-address",
    "searches the whole URL": "public-url",
    "ssrf fault stale_table": "internal-nat64-local",
    "ssrf fault mapped_judged_outside": "carried-mapped",
    "ssrf fault carriers_are_public": "carried-6to4 carried-nat64",
    "ssrf fault link_local_by_text": "internal-link-local-six",
    "ssrf fault first_of_the_twelve": "internal-private",
    "ssrf fault not_private_is_public": "internal-shared",
    "ssrf fault one_metadata_address": "internal-link-local internal-metadata",
    "ssrf fault unspecified_is_public": "internal-unspecified",
    "ssrf fault first_address_alone": "resolved-to-several",
    "ssrf fault names_are_public": "internal-name internal-metadata-name",
    "ssrf fault begins_like_private": "near-miss",
}

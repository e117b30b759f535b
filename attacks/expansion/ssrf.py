"""Families for the ssrf surface: may a request to the public internet go there?"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.hosts import storable
from capfuzz.attacks.expansion.net_notes import notes_for
from capfuzz.attacks.ssrf import HONEST_NAME, is_url, rule_ssrf
from capfuzz.attacks.techniques.catalog import TECHNIQUES

_PUBLIC, _PUBLIC_SIX = "93.184.215.14", "2606:4700:4700::1111"
_PLAIN_URL = f"http://{_PUBLIC}/"
# The honest neighbour that tells a block from what merely looks like it.
_NEIGHBOURS = {
    "127.": "126.255.255.254",
    "10.": "11.0.0.1",
    "172.": "172.32.0.1",
    "192.168.": "192.169.0.1",
    "192.0.": "192.0.3.1",
    "169.254.": "169.255.0.1",
    "100.": "100.128.0.1",
    "198.1": "198.20.0.1",
    "198.51.": "198.51.101.1",
    "203.0.113.": "203.0.114.1",
    "2": "223.255.255.254",
    "0": "1.0.0.1",
}
_RANGES = tuple(name for name in TECHNIQUES if name.startswith("internal-") and "name" not in name)
_FORMS = tuple(name for name in TECHNIQUES if name.startswith("carried-"))
_NAMES = ("internal-name", "internal-metadata-name", "resolved-inside", "resolved-to-several")
_HONEST = ("public-address", "near-miss", "public-url")
# Techniques that mean the address that they are given.
IPV4 = (
    "ipv4-decimal",
    "ipv4-hex",
    "ipv4-octal",
    "ipv4-short",
    "ipv4-dotted-hex",
    "ipv4-dotted-octal",
    "ipv4-mixed",
    "ipv4-trailing-dot",
    "ipv4-digits",
    "ipv4-octal-misread",
)
IPV6 = ("ipv6-expanded", "ipv6-case", "ipv6-brackets", "ipv6-zone")
_INSIDE = ("127.0.0.1", "10.20.30.40", "169.254.169.254", "192.168.0.1")
_INSIDE_SIX = ("::1", "fd00::a:1", "fe80::a:1")
_URLS = tuple(
    name
    for name in TECHNIQUES
    if name.startswith("url-") and name not in {"url-outside", "url-port", "url-other-scheme"}
)


def _control(text: str) -> Row:
    if is_url(text):
        return Row("public-url", (("ssrf", text),))
    return Row("public-address", (("ssrf", text),))


def _neighbour(text: str) -> Row:
    """Return the honest twin of an address: the nearest public one, where one is at hand."""
    if ":" in text:
        return _control(_PUBLIC_SIX)
    found = [twin for start, twin in _NEIGHBOURS.items() if text.startswith(start)]
    return Row("near-miss", (("ssrf", found[0]),)) if found else _control(_PUBLIC)


def _row(technique: str, text: str, control: Row, means: str = "") -> Row:
    return Row(
        technique=technique,
        ops=(("ssrf", text),),
        control=control,
        means=means or text[:80],
        flags=(TECHNIQUES[technique].group,),
    )


def _plain_rows(techniques: Sequence[str]) -> Iterator[Row]:
    for technique in techniques:
        for text in TECHNIQUES[technique].spell():
            yield _row(technique, text, _neighbour(text))


def _name_rows() -> Iterator[Row]:
    for technique in _NAMES:
        for text in TECHNIQUES[technique].spell():
            yield _row(technique, text, _control(HONEST_NAME))


def _honest_rows() -> Iterator[Row]:
    for technique in _HONEST:
        for text in TECHNIQUES[technique].spell():
            yield Row(technique, (("ssrf", text),))


@cache
def _asked_elsewhere() -> frozenset[str]:
    return frozenset(
        text for name in (*_RANGES, *_FORMS, *_NAMES) for text in TECHNIQUES[name].spell()
    )


def _spelling_rows() -> Iterator[Row]:
    """
    Spell internal addresses in every way.

    Only what some client connects by: what a yes to any other text leads to, nobody can tell.
    """
    for techniques, inside, twin in (
        (IPV4, _INSIDE, _PUBLIC),
        (("ipv4-loopback",), _INSIDE[:1], _PUBLIC),
        (IPV6, _INSIDE_SIX, _PUBLIC_SIX),
    ):
        for technique in techniques:
            for host in inside:
                for text in TECHNIQUES[technique].spell(host):
                    if text not in _asked_elsewhere() and _leads_in(text):
                        yield _row(technique, text, _control(twin), means=host)


def _url_rows() -> Iterator[Row]:
    """Hide an internal host in a URL that also names a public one."""
    for technique in _URLS:
        for inside in _INSIDE[:2]:
            for url in TECHNIQUES[technique].spell(_PUBLIC, inside):
                if is_url(url) and _leads_in(url):
                    yield _row(technique, url, _control(_PLAIN_URL), means=inside)


def _leads_in(text: str) -> bool:
    denied = rule_ssrf(text, frozenset()) is Verdict.DENY
    return denied and storable(text) and "\r" not in text and "\n" not in text


def _ranges() -> Iterator[Row]:
    yield from _honest_rows()
    yield from _plain_rows(_RANGES)


def _forms() -> Iterator[Row]:
    yield from _plain_rows(_FORMS)


def _family(name: str, cwe: str, rows: Callable[[], Iterator[Row]]) -> Family:
    return Family(
        name=name,
        surfaces=("ssrf",),
        cwe=cwe,
        grant={},
        world={},
        notes=notes_for(flag for row in rows() for flag in row.flags),
        rows=rows,
    )


FAMILIES: tuple[Family, ...] = (
    _family("ssrf-ranges", "CWE-918", _ranges),
    _family("ssrf-forms", "CWE-918", _forms),
    _family("ssrf-spellings", "CWE-1389", _spelling_rows),
    _family("ssrf-names", "CWE-918", _name_rows),
    _family("ssrf-urls", "CWE-436", _url_rows),
)

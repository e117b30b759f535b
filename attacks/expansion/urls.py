"""Families of URLs for the host surface: may this be contacted, with that host granted?"""

from collections.abc import Callable, Iterator, Sequence

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.net_notes import notes_for
from capfuzz.attacks.expansion.stage import GRANT
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.urls import rule_url

_ALLOWED, _OTHER = "api.internal", "evil.test"
_PLAIN = "http://api.internal/status"
# The honest URL that has, behind the authority, what the attack has in it.
_TWINS = {
    "url-mention": "https://api.internal/evil.test",
    "url-userinfo": "https://api.internal/@user/post",
    "url-password": "https://api.internal/time/12:30:00",
    "url-userinfo-odd": "https://api.internal/mail/a@b",
    "url-fragment": "https://api.internal/#http://evil.test/",
    "url-query": "https://api.internal/?next=http://evil.test/",
    "url-delimiter": "https://api.internal/a;v=1",
    "url-nested": "https://api.internal/?next=http://evil.test/",
    "url-percent": "https://api.internal/50%25.png",
    "url-percent-double": "https://api.internal/50%25.png",
    "url-percent-unicode": "https://api.internal/caf%C3%A9",
}


def _url_rows(techniques: Sequence[str]) -> Iterator[Row]:
    for technique in techniques:
        for url in TECHNIQUES[technique].spell(_ALLOWED, _OTHER):
            yield _row(technique, url, _ALLOWED, _twin(technique, url))


def _twin(technique: str, url: str) -> Row:
    if technique in _TWINS:
        return _control("honest-url", _TWINS[technique])
    https = url.strip().lower().startswith("https")
    return _control("granted-url", _PLAIN.replace("http:", "https:") if https else _PLAIN)


def _control(technique: str, url: str, host: str = _ALLOWED) -> Row:
    grant = {} if host == _ALLOWED else {"net_hosts": [host]}
    return Row(technique, (("url", url),), grant=grant)


def _row(technique: str, url: str, host: str, control: Row) -> Row:
    return Row(
        technique=technique,
        ops=(("url", url),),
        control=control,
        means=_OTHER if _OTHER in url else host,
        flags=(TECHNIQUES[technique].group,),
        grant=control.grant,
    )


def _honest_rows() -> Iterator[Row]:
    for technique in ("granted-url", "honest-url"):
        for url in TECHNIQUES[technique].spell(_ALLOWED, _OTHER):
            yield _control(technique, url)


def _name_rows(techniques: Sequence[str], hosts: Sequence[str]) -> Iterator[Row]:
    """
    Put the names of a technique into plain URLs.

    Only what is denied: nobody can see where an answer of yes leads, so a spelling of the granted
    host itself would prove nothing.
    """
    for technique in techniques:
        for host in hosts:
            control = _control("granted-url", _plain(host), host)
            for name in TECHNIQUES[technique].spell(host):
                if rule_url([host], _plain(name), frozenset()) is Verdict.DENY:
                    yield _row(technique, _plain(name), host, control)


def _plain(name: str) -> str:
    return f"http://[{name}]/status" if ":" in name else f"http://{name}/status"


_AUTHORITY = (
    "url-outside",
    "url-mention",
    "url-userinfo",
    "url-password",
    "url-userinfo-odd",
    "url-backslash",
    "url-fragment",
    "url-query",
    "url-delimiter",
    "url-brackets",
    "url-port",
    "url-port-empty",
)
_SCHEMES = (
    "url-slashes",
    "url-slashes-backslash",
    "url-relative",
    "url-schemeless",
    "url-scheme-case",
    "url-scheme-blank",
    "url-scheme-control",
    "url-scheme-tab",
    "url-scheme-other",
    "url-scheme-file",
    "url-wrapped",
    "url-nested",
    "url-other-scheme",
)
_CHARACTERS = (
    "url-line-break",
    "url-tab",
    "url-nul",
    "url-space",
    "url-percent",
    "url-percent-double",
    "url-percent-unicode",
    "url-folded-mark",
    "url-unicode-dot",
    "url-compatible",
)
_NAMES = (
    "implicit-host",
    "host-suffix",
    "host-subdomain",
    "host-www",
    "host-prefix",
    "host-infix",
    "host-part",
    "host-sibling",
    "host-first-label",
    "host-label-order",
    "host-near",
    "host-homograph",
    "host-accents",
    "host-bidi",
    "host-punycode",
)
_IPV4 = (
    "ipv4-byte-order",
    "ipv4-octal-misread",
    "ipv4-range",
    "address-name",
    "ipv6-compatible",
    "ipv6-translated",
    "ipv6-nat64",
    "ipv6-6to4",
    "ipv6-teredo",
    "ipv6-isatap",
)
_IPV6 = ("ipv6-neighbour", "ipv6-name")


def _all_names() -> Iterator[Row]:
    yield from _name_rows(_NAMES, (_ALLOWED,))
    yield from _name_rows(("host-slug", "host-regex-dot"), ("my-api.corp.test",))
    yield from _name_rows(("host-case-unicode",), ("kiss-first.test",))
    yield from _name_rows(("host-deviation",), ("strasse.test",))
    yield from _name_rows(("host-cut",), (f"{'a' * 63}.internal",))


def _all_addresses() -> Iterator[Row]:
    yield from _name_rows(_IPV4, ("10.20.30.40",))
    yield from _name_rows(("ipv4-prefix",), ("10.20.30.4",))
    yield from _name_rows(("ipv4-loopback",), ("127.0.0.1",))
    yield from _name_rows(_IPV6, ("fd00::a:1",))


def _url_family(name: str, cwe: str, techniques: Sequence[str]) -> Family:
    def rows() -> Iterator[Row]:
        yield from _url_rows(techniques)
        yield from _honest_rows() if name == "url-authority" else ()

    return _family(name, cwe, rows)


def _family(name: str, cwe: str, rows: Callable[[], Iterator[Row]]) -> Family:
    return Family(
        name=name,
        surfaces=("host",),
        cwe=cwe,
        grant=GRANT,
        world={},
        notes=notes_for(flag for row in rows() for flag in row.flags),
        rows=rows,
    )


FAMILIES: tuple[Family, ...] = (
    _url_family("url-authority", "CWE-436", _AUTHORITY),
    _url_family("url-schemes", "CWE-20", _SCHEMES),
    _url_family("url-characters", "CWE-436", _CHARACTERS),
    _family("url-names", "CWE-1023", _all_names),
    _family("url-addresses", "CWE-1389", _all_addresses),
)

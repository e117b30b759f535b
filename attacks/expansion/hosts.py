"""Families of hosts: names, spellings and addresses tried by fetching, and sequences of fetches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capfuzz.attacks import naive
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.net_notes import notes_for
from capfuzz.attacks.expansion.scenarios import rows as scenario_rows
from capfuzz.attacks.expansion.stage import GRANT
from capfuzz.attacks.techniques.catalog import TECHNIQUES

NAME = "api.internal"
_ROUTE = "/status"
_MAX_NAME = 300
_OK, _TAKEN = {_ROUTE: "ok"}, {_ROUTE: "taken"}
_WORLD = {"hosts": {NAME: _OK, "evil.test": _TAKEN}}


@dataclass(frozen=True, slots=True)
class Plan:
    """Some techniques, and the hosts that are granted while each is tried, one at a time."""

    techniques: tuple[str, ...]
    hosts: tuple[str, ...] = (NAME,)

    def rows(self) -> Iterator[Row]:
        """Spell every technique for every granted host."""
        for technique in self.techniques:
            for host in self.hosts:
                for spelt in TECHNIQUES[technique].spell(host):
                    if storable(spelt):
                        yield _row(technique, host, spelt)


def _row(technique: str, host: str, spelt: str) -> Row:
    place = naive.reached(spelt)
    grant = {} if host == NAME else {"net_hosts": [host]}
    own = {} if host == NAME else _hosts(host)
    control = Row("granted-host", (_fetch(host),), grant=grant, world=own)
    return Row(
        technique=technique,
        ops=(_fetch(spelt),),
        control=control,
        means=host if place == host else place[:80],
        flags=(TECHNIQUES[technique].group,),
        grant=grant,
        world=own if place in {host, "evil.test"} or too_long(spelt) else _hosts(host, spelt),
    )


def storable(name: str) -> bool:
    """Tell whether a corpus file can hold a name: lone surrogates are left to generated cases."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def too_long(name: str) -> bool:
    """Tell whether a name would bloat the world; reaching it shows without an answer, too."""
    return len(name) > _MAX_NAME


def _fetch(host: str) -> tuple[str, str, str]:
    return ("net_fetch", host, _ROUTE)


def _hosts(granted: str, *spelt: str) -> Mapping[str, Any]:
    """Return a world in which the host that is spelt answers, so that reaching it shows."""
    return {"hosts": {granted: _OK, "evil.test": _TAKEN, **dict.fromkeys(spelt, _TAKEN)}}


def _family(name: str, cwe: str, *plans: Plan) -> Family:
    techniques = [TECHNIQUES[one] for plan in plans for one in plan.techniques]
    return Family(
        name=name,
        surfaces=("session",),
        cwe=cwe,
        grant=GRANT,
        world=_WORLD,
        notes=notes_for(one.group for one in techniques),
        rows=lambda: (row for plan in plans for row in plan.rows()),
    )


def scenario_family(
    name: str, cwe: str, modules: Sequence[str], world: Mapping[str, Any]
) -> Family:
    """Return the family of all scenarios in ``modules`` of `capfuzz.attacks.techniques`."""
    package = f"{'.'.join(__name__.split('.')[:-2])}.techniques"
    wanted = {f"{package}.{module}" for module in modules}
    members = [one for one in TECHNIQUES.values() if one.spell.__module__ in wanted]
    return Family(
        name=name,
        surfaces=("session",),
        cwe=cwe,
        grant=GRANT,
        world=world,
        notes=notes_for(one.group for one in members),
        rows=lambda: (row for one in members for row in scenario_rows(one)),
    )


_LETTERS = "kiss-first.test"  # holds all letters and pairs that case folding may change
_DASHED = "my-api.corp.test"
_IPV4, _LOOPBACK, _DIGIT = "10.20.30.40", "127.0.0.1", "10.20.30.4"
_IPV6 = "fd00::a:1"
_LONG = f"{'a' * 63}.internal"
_LONGEST = ".".join(["a" * 49] * 4) + f".{'b' * 53}"  # 253 characters

FAMILIES: tuple[Family, ...] = (
    _family(
        "host-names",
        "CWE-1023",
        Plan(
            (
                "outside-host",
                "implicit-host",
                "host-suffix",
                "host-subdomain",
                "host-www",
                "host-prefix",
                "host-infix",
                "host-part",
                "host-nothing",
                "host-sibling",
                "host-first-label",
                "host-label-order",
                "host-near",
                "host-pattern",
                "host-list",
            )
        ),
        Plan(("host-slug", "host-regex-dot"), (_DASHED,)),
    ),
    _family(
        "host-letters",
        "CWE-176",
        Plan(("host-case", "host-compatible", "host-homograph", "host-accents")),
        Plan(("host-case-unicode",), (_LETTERS,)),
        Plan(("host-ignorable", "host-bidi", "host-dot-unicode", "host-unencodable")),
        Plan(("host-deviation",), ("strasse.test",)),
        Plan(("host-punycode",), (NAME, "xn--bcher-kva.test")),
        Plan(("host-punycode-broken",)),
    ),
    _family(
        "host-shape",
        "CWE-20",
        Plan(("host-trailing-dots", "host-empty-label", "host-long")),
        Plan(("host-cut",), (_LONG, _LONGEST)),
        Plan(
            (
                "host-port",
                "host-userinfo",
                "host-then-path",
                "host-backslash",
                "host-as-url",
                "host-nul",
                "host-blank",
                "host-control",
                "host-regex-line",
                "host-quoted",
                "host-escaped",
                "host-percent",
                "host-percent-double",
            )
        ),
    ),
    _family(
        "host-ipv4",
        "CWE-1389",
        Plan(
            (
                "ipv4-decimal",
                "ipv4-hex",
                "ipv4-octal",
                "ipv4-short",
                "ipv4-dotted-hex",
                "ipv4-dotted-octal",
                "ipv4-mixed",
                "ipv4-trailing-dot",
                "ipv4-byte-order",
                "ipv4-overflow",
                "ipv4-extra-parts",
                "ipv4-lenient-number",
                "ipv4-digits",
                "ipv4-range",
                "ipv4-cidr",
                "address-name",
            ),
            (_IPV4,),
        ),
        Plan(("ipv4-prefix",), (_DIGIT,)),
        Plan(("ipv4-short", "ipv4-loopback"), (_LOOPBACK,)),
        Plan(("ipv4-octal-misread",), ("10.20.30.9",)),
    ),
    _family(
        "host-ipv6",
        "CWE-1389",
        Plan(
            (
                "ipv6-expanded",
                "ipv6-case",
                "ipv6-brackets",
                "ipv6-zone",
                "ipv6-length",
                "ipv6-neighbour",
                "ipv6-malformed",
                "ipv6-name",
            ),
            (_IPV6,),
        ),
        Plan(("ipv6-expanded", "ipv4-loopback"), ("::1",)),
        Plan(
            (
                "ipv6-mapped",
                "ipv6-compatible",
                "ipv6-translated",
                "ipv6-nat64",
                "ipv6-6to4",
                "ipv6-teredo",
                "ipv6-isatap",
            ),
            (_IPV4,),
        ),
    ),
    scenario_family("host-sequences", "CWE-863", ("hosts_sequences",), _WORLD),
    scenario_family("egress-redirect", "CWE-918", ("hosts_redirects",), _WORLD),
)

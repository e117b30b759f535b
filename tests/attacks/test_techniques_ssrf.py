"""The ssrf surface: its table of addresses, its oracle, and that each of its vectors bites."""

import ipaddress
import itertools
from collections import Counter

import pytest
from capfuzz.attacks.case import Surface, Verdict
from capfuzz.attacks.expansion.family import text
from capfuzz.attacks.expansion.ssrf import FAMILIES
from capfuzz.attacks.special_addresses import INTERNAL, OPEN, Reach, carried, reach, within
from capfuzz.attacks.ssrf import PUBLIC, RESOLVES, ZONE, as_url, rule_ssrf
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.strategies import single
from capfuzz.strategies._ssrf import SSRF_BYTES
from capfuzz.strategies.cases import ssrf_cases
from hypothesis import given
from hypothesis import strategies as st

VECTORS = load([CORPUS / f"{one.name}.json" for one in FAMILIES])
ATTACKS = [one for one in VECTORS if not one.is_control]
OURS = {name: one for name, one in TECHNIQUES.items() if ".ssrf_" in one.spell.__module__}
DENY, ALLOW, CONTAIN = Verdict.DENY, Verdict.ALLOW, Verdict.CONTAIN
RESOLVING = frozenset({RESOLVES})


# ---------------------------------------------------------------- the table


@pytest.mark.parametrize("block", INTERNAL)
def test_a_block_is_internal_from_end_to_end(block):
    """An edge of a block would be let through by whoever is right by this table."""
    network = ipaddress.ip_network(block)
    ends = [str(network[0]), str(network[-1])]
    assert {Reach.INTERNAL} == {reach(one) for one in ends}


@pytest.mark.parametrize("block", [one for one in INTERNAL if ":" not in one])
def test_what_lies_beside_a_block_is_in_another_or_public(block):
    """A block would be a bit too wide, and honest neighbours be refused."""
    network = ipaddress.ip_network(block)
    for number in (int(network[0]) - 1, int(network[-1]) + 1):
        if 0 < number < 1 << 32:
            beside = ipaddress.IPv4Address(number)
            covered = any(within(beside, one) for one in (*INTERNAL, *OPEN))
            assert covered or reach(str(beside)) is Reach.PUBLIC


@pytest.mark.parametrize(
    "address", ["0.0.0.1", "100.64.0.1", "192.0.0.8", "198.18.0.1", "240.0.0.1"]
)
def test_the_library_agrees_where_it_is_up_to_date(address):
    """The table would contradict the registry that both are copied from."""
    assert reach(address) is Reach.INTERNAL
    assert not ipaddress.ip_address(address).is_global or address == "192.0.0.8"


def test_the_library_agrees_on_what_is_public():
    """A public address would be called internal, and a right filter over-blocking."""
    numbers = range(0, 1 << 32, 65_537 * 31)
    asked = [str(ipaddress.IPv4Address(number)) for number in numbers]
    public = [one for one in asked if reach(one) is Reach.PUBLIC]
    assert len(public) > 1_000
    assert all(ipaddress.ip_address(one).is_global for one in public)


@pytest.mark.parametrize(
    ("address", "inner"),
    [
        ("::ffff:a14:1e28", "10.20.30.40"),
        ("::ffff:0:a14:1e28", "10.20.30.40"),
        ("64:ff9b::a14:1e28", "10.20.30.40"),
        ("2002:a14:1e28::1", "10.20.30.40"),
        ("2001:0:c000:201::f5eb:e1d7", "10.20.30.40"),
        ("::a14:1e28", "10.20.30.40"),
    ],
)
def test_a_carrier_leads_where_its_ipv4_address_does(address, inner):
    """An internal address would be public in another coat."""
    assert inner in map(str, carried(ipaddress.ip_address(address)))
    assert reach(address) is Reach.INTERNAL


@pytest.mark.parametrize(
    "address", ["::ffff:808:808", "64:ff9b::808:808", "2002:808:808::", "192.0.0.9"]
)
def test_right_targets_may_differ_on_carriers_of_public_addresses(address):
    """A strict filter, or a lenient one, would be accused without need."""
    assert (Reach.OPEN, CONTAIN) == (reach(address), rule_ssrf(address))


# ---------------------------------------------------------------- the oracle


@pytest.mark.parametrize(
    "text",
    [
        *("127.1", "0x7f.1", "017700000001", "2130706433", "012.024.036.050", "127.0.0.1."),
        *("\uff11\uff12\uff17.0.0.1", "127\u30020\u30020\u30021", "[::1]", "fe80::1%eth0"),
        *("LOCALHOST.", "x.localhost", "metadata.google.internal", "febf::1", "::FFFF:127.0.0.1"),
        *(
            "http://127.0.0.1\\@8.8.8.8/",
            "http://8.8.8.8@127.0.0.1/",
            "//10.0.0.1/",
        ),
        *("http:127.0.0.1/", "\thttp://127.0.0.1/", "file:///etc/passwd", "http://[::1]/"),
    ],
)
def test_what_some_client_takes_inside_is_denied(text):
    """A filter that lets it through would be called right."""
    assert rule_ssrf(text) is DENY


@pytest.mark.parametrize(
    "text",
    [
        "8.8.8.8",
        "11.0.0.1",
        "2606:4700:4700::1111",
        "www.public.test",
        "http://8.8.8.8/?u=http://10.0.0.1/",
    ],
)
def test_what_is_plainly_public_is_allowed(text):
    """A filter that refuses everything would pass."""
    assert rule_ssrf(text) is ALLOW


@pytest.mark.parametrize(
    "text",
    [
        *(
            "010.0.0.1",
            "08.8.8.8",
            "127.0.0.1x",
            "256.0.0.1",
            "127.0.0.0.1",
            "::1::",
            "",
            "134744072",
        ),
        *(
            "http://8.8.8.8:8080/",
            "ftp://8.8.8.8/",
            "http://u@8.8.8.8/",
            "5f00::1",
            "168.63.129.16",
        ),
        *("other.test", "private.public.test", "2606:4700:4700:0:0:0:0:1111"),
    ],
)
def test_where_right_filters_differ_either_answer_is_right(text):
    """A right filter would be accused for reading a text as one client and not another."""
    assert rule_ssrf(text) is CONTAIN


def test_names_are_judged_by_their_addresses_where_they_are_looked_up():
    """A name that leads inside would pass a filter that could know."""
    ruled = {name: rule_ssrf(name, RESOLVING) for name in ZONE}
    inside = {
        name for name, found in ZONE.items() if any(reach(one) is Reach.INTERNAL for one in found)
    }
    assert inside == {name for name, verdict in ruled.items() if verdict is DENY}


def test_a_declared_network_is_contained():
    """Documented behaviour would be a fault."""
    assert CONTAIN is rule_ssrf("100.64.0.1", frozenset({f"{PUBLIC}100.64.0.0/10"}))
    assert DENY is rule_ssrf("10.0.0.1", frozenset({f"{PUBLIC}100.64.0.0/10"}))


def test_a_bare_ipv6_address_gets_its_brackets():
    """Its first group would be the host and the rest a port."""
    assert ["http://[::1]/", "http://[::1]/", "http://a/"] == [*map(as_url, ("::1", "[::1]", "a"))]


# ---------------------------------------------------------------- techniques and vectors


@pytest.mark.parametrize("name", OURS)
def test_a_technique_is_pure_bounded_and_described(name):
    """A technique that varies or never ends would break replay; findings speak its words."""
    one = OURS[name]
    said = list(itertools.islice(one.spell(), 40))
    assert said == list(one.spell())
    assert len(said) == len(set(said)) <= 30
    assert (Kind.ADDRESS, ("ssrf",), True) == (
        one.kind,
        one.surfaces,
        one.description.endswith("."),
    )


@pytest.mark.parametrize("name", [one for one in OURS if one.startswith(("internal-", "carried-"))])
def test_what_a_technique_calls_internal_is_internal(name):
    """An attack that is none would accuse the right filter."""
    loose = name == "internal-metadata-name"
    assert loose or {DENY} == {rule_ssrf(one) for one in OURS[name].spell()}


@pytest.mark.parametrize("name", ["public-address", "near-miss", "public-url"])
def test_what_a_technique_calls_public_is_public(name):
    """A control that a right filter refuses would be told as over-blocking."""
    assert {ALLOW} == {rule_ssrf(one) for one in OURS[name].spell()}


def test_every_technique_has_vectors():
    """A technique without vectors is never tried."""
    assert set() == set(OURS) - {one.technique for one in VECTORS}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda one: one.name)
def test_the_corpus_is_what_the_techniques_write(family):
    """A stale file would try something else than the code describes."""
    assert (CORPUS / f"{family.name}.json").read_text(encoding="ascii") == text(family)


def test_stated_verdicts_are_the_oracles():
    """A vector and the oracle that disagree accuse somebody wrongly."""
    told = [(one.id, one.case.verdicts) for one in VECTORS]
    assert told == [(one.id, tuple(rule_ssrf(op[1]) for op in one.case.ops)) for one in VECTORS]


def test_every_attack_but_a_name_is_denied():
    """A vector that no filter can fail would be counted as an attack."""
    loose = {one.technique for one in ATTACKS if one.case.verdicts != (DENY,)}
    assert {"internal-metadata-name", "resolved-inside", "resolved-to-several"} == loose
    names = [one.case.ops[0][1] for one in ATTACKS if one.case.verdicts != (DENY,)]
    assert [] == [one for one in names if rule_ssrf(one, RESOLVING) is not DENY]


def test_no_attack_stands_twice():
    """A copy proves nothing, and makes a count of vectors a lie."""
    counts = Counter(one.case.ops for one in ATTACKS)
    assert [] == [ops for ops, count in counts.items() if count > 1]


def test_an_ssrf_vector_is_asked_of_this_surface_alone():
    """A session would be asked an op that it does not know."""
    assert {(Surface.SSRF,)} == {one.surfaces for one in VECTORS}


# ---------------------------------------------------------------- generated cases


@given(ssrf_cases())
def test_a_generated_case_asks_one_text(case):
    """A target could not be asked what is drawn."""
    ((kind, asked),) = case.ops
    assert ("ssrf", str) == (kind, type(asked))
    assert set(case.techniques) <= set(TECHNIQUES)


@given(st.binary(min_size=SSRF_BYTES, max_size=SSRF_BYTES))
def test_any_bytes_are_a_case(data):
    """A fuzzer that hands over any bytes would crash the harness."""
    assert single.ssrf_case(data).ops == single.ssrf_case(data).ops


def test_zero_is_the_plainest():
    """A finding would shrink to something odd."""
    assert (("ssrf", "127.0.0.1"),) == single.ssrf_case(bytes(SSRF_BYTES)).ops


@given(ssrf_cases())
def test_a_plain_internal_address_is_named_by_its_block(case):
    """One fault would be told under many names."""
    ((_, asked),), (name,) = case.ops, case.techniques
    try:
        plain = str(ipaddress.ip_address(asked)) == asked and "%" not in asked
    except ValueError:
        plain = False
    if plain:
        inside = reach(asked) is Reach.INTERNAL
        assert name.startswith(("internal-", "carried-")) if inside else name == "near-miss"

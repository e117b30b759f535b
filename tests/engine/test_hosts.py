"""The host checks: one form for a name, one spelling for an address, nothing else a host."""

import string

import pytest
from capfuzz.engine.hosts import Hosts, ascii_lower, normal_host
from hypothesis import given
from hypothesis import strategies as st

from .drawn import check

LABEL = "a" * 63
LONGEST = ".".join([LABEL, LABEL, LABEL, "b" * 61])  # 253 characters
OVERLONG = LONGEST + "b"  # 254 characters, no label over 63


def test_the_letters_of_ascii_are_lowered():
    """Else `API.internal` would be another host than the one that answers to it."""
    assert string.ascii_lowercase == ascii_lower(string.ascii_uppercase)


@pytest.mark.parametrize(
    "text", ["@[`{", "\u212a", "\u0130", "\u017f", "\uff21", "Ä", "ß", "09-_."]
)
def test_nothing_but_ascii_letters_is_lowered(text):
    """Else a Kelvin sign would become the letter of a granted host."""
    assert text == ascii_lower(text)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("api.internal", "api.internal"),
        ("API.Internal", "api.internal"),
        ("api.internal.", "api.internal"),
        ("API.INTERNAL.", "api.internal"),
        ("localhost", "localhost"),
        ("a", "a"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("_dmarc.example", "_dmarc.example"),
        ("a-b.c-d", "a-b.c-d"),
        ("0a", "0a"),
        ("1.2.3.4a", "1.2.3.4a"),
        ("1.a", "1.a"),
        ("0xg", "0xg"),
        ("x0", "x0"),
        ("a.0x1g", "a.0x1g"),
        ("127.0.0.1", "127.0.0.1"),
        ("0.0.0.0", "0.0.0.0"),
        ("255.255.255.255", "255.255.255.255"),
        ("::1", "::1"),
        ("::", "::"),
        ("2001:db8::1", "2001:db8::1"),
        ("fe80::a:b:c:d", "fe80::a:b:c:d"),
        ("64:ff9b::102:304", "64:ff9b::102:304"),
        (LABEL, LABEL),
        (LONGEST, LONGEST),
        (LONGEST + ".", LONGEST),
    ],
)
def test_a_plain_host_has_one_form(host, expected):
    """Else a granted host would be refused, or a name would count as an address."""
    assert expected == normal_host(host)


@pytest.mark.parametrize(
    "host",
    [
        # empty labels, and more than one trailing dot
        *("", ".", "..", "a..", ".a", "a..b", "..a"),
        # lengths
        *(LABEL + "a", "a." + LABEL + "a", LABEL + "a.b", OVERLONG, OVERLONG + "."),
        # what a URL or a shell would give a meaning to
        *("a%2eb", "%61", "a@b", "a/b", "/a", "a\\b", "a:80", "a:", ":", "http://a", "a?b", "a#b"),
        *(
            "*.a",
            "*",
            "[::1]",
            "[a]",
            "a b",
            " a",
            "a ",
            "a\tb",
            "a\n",
            "\na",
            "a\0",
            "a\r\nb",
            "a;b",
        ),
        *("a,b", "a+b", "a~b", "$a", "a\x7f"),
        # not ASCII
        *(
            "bücher.example",
            "\u212a",
            "a\u3002b",
            "\uff41",
            "a\u00ad",
            "a\u200d",
            "\ud800",
            "\u2460",
            "\u0661",
        ),
        # addresses in another spelling than the canonical one
        *("127.1", "127.0.1", "1", "0", "2130706433", "0x7f000001", "0x7f.0.0.1", "0x", "a.0x"),
        *("017700000001", "0177.0.0.1", "127.0.0.01", "127.00.0.1", "127.0.0.0x1", "1.2.3.4.5"),
        *(
            "256.0.0.1",
            "127.0.0.256",
            "127.0.0.1.",
            "127.0.0.1..",
            "a.1",
            "a.b.0x1f",
            "a.09",
            "A.0XF",
        ),
        *("a.1.", "1.2.3", "999999999999", "1.2.3.99999999999"),
        *("::0", "0::1", "::01", "::FFFF", "::ABCD", "2001:DB8::1", "2001:db8:0:0:0:0:0:1", "::1."),
        *("::ffff:127.0.0.1", "::ffff:7f00:1", "::1.2.3.4", "fe80::1%eth0", "::1%0", "::1%", "1:2"),
        *(
            ":::",
            "::1/128",
            "::g",
            "12345::",
            "0:0:0:0:0:0:0:1",
            "::\u0661",
            "1::2::3",
            ":" * 5_000,
        ),
    ],
)
def test_anything_else_is_no_host(host):
    """Else a lenient client would be sent to a host that nobody granted."""
    assert normal_host(host) is None


def test_a_name_of_digits_beyond_every_limit_is_no_host():
    """Else a long number would raise out of the check instead of being refused."""
    assert [None, None] == [normal_host("1" * 10_000), normal_host("0x" + "f" * 10_000)]


NAMED = ["kiosk.internal", "a", "1.a", "x0", "10.0.0.7", "127.0.0.1", "::1", "2001:db8::1", LONGEST]


@pytest.mark.parametrize(
    ("host", "granted"),
    [
        ("kiosk.internal", True),
        ("KIOSK.internal", True),
        ("Kiosk.Internal.", True),
        ("A.", True),
        ("X0", True),
        ("1.A", True),
        (LONGEST.upper() + ".", True),
        ("10.0.0.7", True),
        ("::1", True),
        ("2001:db8::1", True),
        # lower() folds the Kelvin sign, and a dot would end an address
        ("\u212aiosk.internal", False),
        ("kios\u212a.internal.", False),
        ("k\u0130osk.internal", False),
        ("10.0.0.7.", False),
        ("::1.", False),
        ("2001:DB8::1", False),
        ("2001:db8::1.", False),
        ("kiosk.internal..", False),
        ("kiosk", False),
        ("", False),
        (".", False),
    ],
)
def test_a_host_is_admitted_in_any_case_and_an_address_in_one_spelling(host, granted):
    """Else the quick look-up would let in what only folds to a granted host, or lose a name."""
    assert granted == Hosts(NAMED).admit(host)


LOOK_ALIKES = ["k\u212a", "i\u0130", "i\u0131", "s\u017f", ".\u3002", ".\uff0e", "1\u0661", "aA"]
FORMS = ["{}", "{}.", "{}..", " {}", "x.{}", "0{}", "{}:80", "{}%0", "{}\n", "[{}]"]


def _respelt(host):
    """Return spellings of ``host``: in other cases, with one look-alike, with trimmings."""
    folded = [host, host.upper(), host.title(), *(host.replace(*pair, 1) for pair in LOOK_ALIKES)]
    return [form.format(body) for form in FORMS for body in folded]


SPELLINGS = [spelling for host in NAMED for spelling in _respelt(host)]


def test_the_quick_look_up_agrees_with_the_rule_on_every_spelling():
    """Else the fast way and the right one would differ on some look-alike of a granted host."""
    hosts = Hosts(NAMED)
    admitted = [host for host in SPELLINGS if hosts.admit(host)]
    assert [host for host in SPELLINGS if normal_host(host) in NAMED] == admitted
    assert {*NAMED} < {*admitted} < {*SPELLINGS}


@check
@given(
    st.lists(st.sampled_from(NAMED)),
    st.one_of(st.sampled_from(SPELLINGS), st.text(max_size=6)),
)
def test_a_host_is_admitted_just_where_its_one_form_is_granted(named, host):
    """Else a host would be admitted under a grant that does not name it."""
    assert (normal_host(host) in named) == Hosts(named).admit(host)

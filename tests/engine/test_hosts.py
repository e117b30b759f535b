"""The host checks: one form for a name, one spelling for an address, nothing else a host."""

import string

import pytest
from capfuzz.engine.hosts import ascii_lower, normal_host

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

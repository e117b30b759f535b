"""
Where a URL leads, as five kinds of client read it; each reader is small and stands alone.

A reader returns the host as it isolates it (an IPv6 literal without brackets), or None where that
client would not connect. `destinations` turns such a text into names and addresses.
"""

import re
import unicodedata
from collections.abc import Callable
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import unquote

from capfuzz.attacks.naive import reached

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SPECIAL = frozenset({"http", "https", "ws", "wss", "ftp"})
_C0_AND_SPACE = "".join(map(chr, range(0x21)))
_BREAKS = str.maketrans("", "", "\t\r\n")
_LAST_PORT = 65535
LOCAL = "localhost"  # RFC 8089, section 2: a file URL without a host is about this machine


def whatwg(url: str) -> str | None:
    """Read as the WHATWG URL standard does, relative to an http page where there is no scheme."""
    text = url.strip(_C0_AND_SPACE).translate(_BREAKS)
    scheme, rest = _split_scheme(text)
    slash = "/\\" if scheme in {None, "file", *_SPECIAL} else "/"
    if scheme not in _SPECIAL and not re.match(f"[{re.escape(slash)}]{{2}}", rest):
        return LOCAL if scheme == "file" else None
    # Any number of slashes introduces the authority of a special scheme, two that of the others.
    rest = rest.lstrip(slash) if scheme in {None, *_SPECIAL} else rest[2:]
    authority = re.split(f"[{re.escape(slash)}?#]", rest, maxsplit=1)[0]
    if scheme == "file" and not authority:
        return LOCAL
    host = _host_and_port(authority.rpartition("@")[2])
    # Only the hosts of special schemes are decoded; that of another is opaque.
    if not host or ":" in host or slash == "/":
        return host
    return _whatwg_domain(host)


def _whatwg_domain(host: str) -> str | None:
    try:
        domain = unquote(host, errors="strict")
    except UnicodeDecodeError:
        return None
    return None if _FORBIDDEN.search(unicodedata.normalize("NFKC", domain)) else domain


# "Forbidden domain code points"; `%` is one of them, because decoding happens once and before.
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^|]")


def _split_scheme(text: str) -> tuple[str | None, str]:
    match = _SCHEME.match(text)
    return (match[1].lower(), text[match.end() :]) if match else (None, text)


def _host_and_port(text: str) -> str | None:
    """Return the host before the port, brackets removed; None where either is malformed."""
    match = re.fullmatch(r"(?:\[([^\[\]]*)\]|([^:\[\]]*))(?::([0-9]*))?", text, re.DOTALL)
    if match is None or int(match[3] or 0) > _LAST_PORT:
        return None
    return match[2] if match[1] is None else _ipv6(match[1])


def _ipv6(text: str) -> str | None:
    """Return an IPv6 address without its zone (RFC 6874), None for anything else in brackets."""
    try:
        return str(IPv6Address(text.partition("%")[0]))
    except AddressValueError:
        return None


_RFC3986 = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//"
    r"(?:(?:[\w.~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?"
    r"(?:\[([^\[\]/?#]*)\]|((?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*))"
    r"(?::[0-9]*)?(?:[/?#].*)?",
    re.ASCII | re.DOTALL,
)


def rfc3986(url: str) -> str | None:
    """Read by the grammar of RFC 3986, section 3.2: what is no authority names no host."""
    match = _RFC3986.fullmatch(url)
    if match is None:
        return None
    if match[1] is not None:
        return _ipv6(match[1])
    return match[2] or (LOCAL if url[:5].lower() == "file:" else None)


def splitter(url: str) -> str | None:
    """Read as libraries do that split and do not validate, such as Python's before 3.11.4."""
    text = url.lstrip(_C0_AND_SPACE).translate(_BREAKS)
    match = re.match(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//([^/?#]*)", text)
    if match is None:
        return None
    place = match[1].rpartition("@")[2]
    before, bracket, inside = place.partition("[")
    host = inside.partition("]")[0] if bracket else before.partition(":")[0]
    normal = unicodedata.normalize("NFKC", host)
    if not host.isascii() and set(normal) & set("/?#@:"):
        return None  # CVE-2019-9636: refused since
    return _ipv6(host) if ":" in host else host


_CURL_REFUSES = re.compile("[\x00-\x20\x7f/:#?!@{}\\[\\]\\\\$'\"^`*<>=;,&+()]")


def curl(url: str) -> str | None:
    """Read as curl 7.88 does: a C string, a guessed scheme, up to three slashes, the first ``@``."""
    # A NUL in user information is left alone: bindings refuse it, or end the text nowhere.
    if re.match("[^\0]*\0[^/?#]*@", url):
        return None
    text = url.partition("\0")[0]
    if re.search("[\x00-\x20\x7f]", text):
        return None
    if text[:5].lower() == "file:":
        return LOCAL if re.match("/(?!/)|///", text[5:]) else None
    authority = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:/{1,3}", "", text)
    before, at, after = re.split("[/?#]", authority, maxsplit=1)[0].partition("@")
    host = _host_and_port(after if at else before)
    if not host or ":" in host:
        return host or None
    return None if _CURL_REFUSES.search(unquote(host)) else unquote(host)


def folding(url: str) -> str | None:
    """Read as clients do that normalise the whole text first (CVE-2019-9636, CVE-2019-10160)."""
    return None if url.isascii() else splitter(unicodedata.normalize("NFKC", url))


_WRAPPERS = re.compile(r"[\s<]*(?:(?:url|jar|blob|feed|view-source):)+(?=[a-z]+:)", re.IGNORECASE)


def unwrapping(url: str) -> str | None:
    """Read the URL inside another, as ``jar:``, ``blob:`` and ``url:`` are read."""
    match = _WRAPPERS.match(url)
    return whatwg(url[match.end() :].partition("!/")[0].rstrip(">")) if match else None


READERS: tuple[Callable[[str], str | None], ...] = (
    whatwg,
    rfc3986,
    splitter,
    curl,
    folding,
    unwrapping,
)

_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_NO_HOST = re.compile(r"[\x00-\x20\x7f/?#@:\[\]]")
_MAX_NAME, _MAX_LABEL = 253, 63
# UTS 46 maps these to nothing; the two joiners are deviations, see `_folded`.
_IGNORED = re.compile(
    "[\u00ad\u034f\u180b-\u180d\u180f\u200b\u2060\u2064\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]"
)
_JOINERS = re.compile("[\u200c\u200d]")


def destinations(host: str) -> tuple[frozenset[str], ...]:
    """
    Return what ``host`` may stand for: one set for clients that keep ``ß``, one for the rest.

    The members of a set are the same host decoded and as it stands, without those that nobody
    could look up; an empty set reaches nothing.
    """
    forms = {host, unquote(host)}
    return tuple(
        frozenset(name for form in forms if (name := _canonical(form, deviate)))
        for deviate in _WAYS
    )


_WAYS = (True, False)  # UTS 46 non-transitional as browsers do it, and IDNA 2003 with its mapping


def canonical(host: str) -> str | None:
    """Return the one form of a plain host, as a grant names it; None where it is none."""
    return _canonical(host, deviate=False)


def _canonical(host: str, deviate: bool) -> str | None:  # noqa: FBT001 - one of two ways
    if ":" in host:
        return _address(host)
    name = _folded(host, deviate)
    if name is None or _NO_HOST.search(name):
        return None
    labels = [_to_ascii(label) for label in name.removesuffix(".").split(".")]
    if not all(labels):
        return None
    name = ".".join(label for label in labels if label)
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        return _ipv4(name)
    # No registry holds a top-level label with other characters, so such a name leads nowhere.
    exists = len(name) <= _MAX_NAME and _LABEL.fullmatch(name.rpartition(".")[2])
    return name if exists else None


def _ipv4(text: str) -> str | None:
    """Return the address that inet_aton(3) and the WHATWG URL standard read, None where none."""
    try:
        return str(IPv4Address(reached(text)))
    except AddressValueError:
        return None


def _address(text: str) -> str | None:
    plain = _ipv6(text)
    mapped = IPv6Address(plain).ipv4_mapped if plain else None
    return plain if mapped is None else str(mapped)


def _folded(host: str, deviate: bool) -> str | None:  # noqa: FBT001 - one of two ways
    text = _IGNORED.sub("", host.replace("\u3002", "."))
    if not deviate:
        return _mapped(_JOINERS.sub("", text))
    if re.search("(?:^|[\x00-\x7f])[\u200c\u200d]", text):
        return None  # RFC 5892, appendix A: a joiner needs a letter of a joining script before it
    return "".join(part if part in _DEVIATIONS else _mapped(part) for part in _PARTS.split(text))


_DEVIATIONS = frozenset("ßς\u200c\u200d")
_PARTS = re.compile("([ßς\u200c\u200d])")


def _mapped(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", normal).replace("\u3002", ".")


def _to_ascii(label: str) -> str | None:
    if label.isascii():
        return label if len(label) <= _MAX_LABEL else None
    if any(unicodedata.category(character)[0] == "C" for character in _JOINERS.sub("", label)):
        return None  # controls, bidi marks, surrogates, private and unassigned
    ascii_label = "xn--" + label.encode("punycode").decode("ascii")
    return ascii_label if len(ascii_label) <= _MAX_LABEL else None

"""Which technique a spelling out of nowhere comes closest to, so that its finding has a name."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

# What tells most about a text comes first; the technique is one that the catalogue has.
_PATHS: tuple[tuple[str, str], ...] = (
    ("\0", "nul-inside-dots"),
    (r"%25", "double-percent"),
    (r"%[cCeEfF][0-9a-fA-F]%", "overlong-two"),
    (r"%2[eE]", "percent-dots"),
    (r"%2[fF]", "percent-slash"),
    (r"%", "percent-dots"),
    (r"[\x01-\x20\x7f]", "control-between-dots"),
    (r"[\ud800-\udfff]", "lone-surrogate"),
    (r"\\", "backslash-climb"),
    ("\uff0e", "fullwidth-dots"),
    ("\uff0f", "fullwidth-slash"),
    ("[\u2024\u2025\ufe52]", "dot-leaders"),
    (r"(^|/)\.\.(/|$)", "climb"),
    (r"^/work[^/]", "sibling-word"),
)
_HOSTS: tuple[tuple[str, str], ...] = (
    ("\0", "host-nul"),
    (r"%25", "host-percent-double"),
    (r"%", "host-percent"),
    (r"\\", "host-backslash"),
    (r"@", "host-userinfo"),
    (r"[\x01-\x1f\x7f]", "host-control"),
    (r" ", "host-blank"),
    (r"/", "host-then-path"),
    (r"\.\.|\.$", "host-trailing-dots"),
    (r"^(0x[0-9a-fA-F]+|[0-9]+)$", "ipv4-decimal"),
    (r"^(0[xX0-9][0-9a-fA-F]*|[0-9]+)(\.(0[xX])?[0-9a-fA-F]+){1,3}$", "ipv4-octal"),
    (r"^[^:]*:[0-9]*$", "host-port"),
    (r":.*\.", "ipv6-mapped"),
    (r"\[|\]", "ipv6-brackets"),
    (r":", "ipv6-expanded"),
)
_URLS: tuple[tuple[str, str], ...] = (
    ("[\r\n]", "url-line-break"),
    ("\t", "url-tab"),
    ("\0", "url-nul"),
    (r" ", "url-space"),
    (r"\\.*@|@.*\\|\\", "url-backslash"),
    (r"#.*@", "url-fragment"),
    (r"\?.*@", "url-query"),
    (r"@", "url-userinfo"),
    (r"%25", "url-percent-double"),
    (r"%", "url-percent"),
    (r"^https?:///", "url-slashes"),
    (r"^//", "url-relative"),
    (r"^(?!https?:)[a-zA-Z]+:", "url-scheme-other"),
    (r"^(?!https?:)", "url-schemeless"),
    (r"[\[\]]", "url-brackets"),
)


def path(text: str) -> str:
    """Return the technique of a path."""
    return _first(_PATHS, text) or ("fullwidth-dots" if _folds(text) else "outside")


def host(text: str) -> str:
    """Return the technique of a host; one with nothing odd is judged by what it is near to."""
    if not text.isascii():
        return "host-compatible" if _folds(text) else "host-homograph"
    folded = text.lower() != text and "host-case"
    return _first(_HOSTS, text) or folded or "outside-host"


def url(text: str) -> str:
    """Return the technique of a URL."""
    found = _first(_URLS, text)
    if found or text.isascii():
        return found or "outside-host"
    return "url-compatible" if _folds(text) else "url-unicode-dot"


def tool(text: str) -> str:
    """Return the technique of a tool's name."""
    return "outside-tool" if text.isidentifier() and text.isascii() else "tool-control"


def op(one: Any) -> str:
    """Return the technique of an op of a known kind."""
    kind, text = one[0], one[1]
    return _KINDS[kind](text)


_KINDS: dict[str, Callable[[str], str]] = {
    "fs_read": path,
    "fs_write": path,
    "net_fetch": host,
    "url": url,
    "tool": tool,
}


def _first(table: tuple[tuple[str, str], ...], text: str) -> str | None:
    return next((name for pattern, name in table if re.search(pattern, text)), None)


def _folds(text: str) -> bool:
    return not text.isascii() and unicodedata.normalize("NFKC", text) != text

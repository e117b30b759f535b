"""
What a URL reaches, read as several mainstream clients read it: the host surface's oracle.

The verdict is over all readings, so that a target is right only if no client that is handed the
URL afterwards goes elsewhere:

- ``deny``: some client would connect to a host that was not granted (CWE-918, CWE-436), or the
  text has a raw CR or LF (CWE-93).
- ``allow``: plain http or https, the host spelt exactly as granted, nothing between it and the
  path: no userinfo, no port (a grant names none, and stricter targets want none), no odd
  character, no ``//`` or dot segment in the path.
- ``contain``: all the rest. Another spelling of the granted host, another scheme or a port; and
  what no client would connect with at all, such as ``http://`` or ``mailto:x``: refusing is
  usual, yet whoever accepts it has let nothing out.
"""

import re
from collections.abc import Iterable

from capfuzz.attacks.case import Verdict
from capfuzz.attacks.url_readers import READERS, canonical, destinations

_CHARACTER = r"(?:[\w.~!$&'()*+,;=:@-]|%(?![01]|7[Ff])[0-9A-Fa-f]{2})"
_NO_DOTS = r"(?!\.{1,2}(?:[/?#]|\Z))"
# RFC 3986, section 3; a query or a fragment that follows the host at once is left out.
_PLAIN = re.compile(
    r"https?://(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))"
    rf"(?:/(?:{_NO_DOTS}{_CHARACTER}+/)*{_NO_DOTS}{_CHARACTER}*"
    rf"(?:\?(?:{_CHARACTER}|[/?])*)?(?:\#(?:{_CHARACTER}|[/?])*)?)?",
    re.ASCII,
)


def rule_url(allowed: Iterable[str], url: str, dialect: frozenset[str]) -> Verdict:
    """Return what a right allow-list function answers for ``url``; see the module."""
    hosts = frozenset(allowed)
    granted = frozenset(name for host in hosts if (name := canonical(host)))
    if "\r" in url or "\n" in url:
        return Verdict.DENY
    texts = {text for read in READERS if (text := read(url))}
    if any(_leads_out(text, granted, dialect) for text in texts):
        return Verdict.DENY
    return Verdict.ALLOW if plain_host(url) in hosts & granted else Verdict.CONTAIN


def plain_host(url: str) -> str | None:
    """Return the host of a URL that nobody could read in two ways, None for any other URL."""
    match = _PLAIN.fullmatch(url)
    return (match[1] or match[2]) if match else None


def _leads_out(text: str, granted: frozenset[str], dialect: frozenset[str]) -> bool:
    return any(
        names and not any(_covered(name, granted, dialect) for name in names)
        for names in destinations(text)
    )


def _covered(name: str, granted: frozenset[str], dialect: frozenset[str]) -> bool:
    if name in granted:
        return True
    return "subdomains" in dialect and any(name.endswith(f".{host}") for host in granted)

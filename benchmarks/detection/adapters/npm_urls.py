"""
Guards of URLs around npm packages: ``url-parse``, ``urijs`` and Express's redirects.

The published reports of the first two are about lists of hosts that are kept out. The list here is
as long as such a list can get: it has every host that is written plainly, but those allowed.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from node_asked import ask

_PASSES = """(allowed, name) =>
  allowed.includes(name) || !/^[a-z0-9._-]+$|:.*:/i.test(name)"""

_URL_PARSE = f"""require => {{
  const parse = require('url-parse'), passes = {_PASSES}
  return (allowed, url) => passes(allowed, parse(url).hostname)
}}"""

_URIJS = f"""require => {{
  const URI = require('urijs'), passes = {_PASSES}
  return (allowed, url) => passes(allowed, new URI(url).hostname())
}}"""

# The host that a browser ends at, where Express redirects it to a URL whose host is allowed.
_EXPRESS = """require => {
  const app = require('express')()
  return (allowed, url) => {
    if (!allowed.includes(new URL(url).hostname)) return null
    const response = Object.create(app.response)
    const headers = {}
    response.set = (name, value) => { headers[name] = value; return response }
    response.get = name => headers[name]
    response.location(url)
    return new URL(headers.Location).hostname
  }
}"""


def url_parse_denies(allowed: list[str], url: str) -> bool:
    """Tell whether a deny-list on the host name of ``url-parse`` lets a URL through."""
    return bool(ask(_URL_PARSE, allowed, url))


def urijs_denies(allowed: list[str], url: str) -> bool:
    """Tell whether a deny-list on the host name of ``urijs`` lets a URL through."""
    return bool(ask(_URIJS, allowed, url))


def express_sends(allowed: list[str], url: str) -> bool:
    """Tell whether a redirect through an allow-list ends at the host that RFC 3986 reads."""
    ended = ask(_EXPRESS, allowed, url)
    return ended is not None and ended == urlsplit(url).hostname

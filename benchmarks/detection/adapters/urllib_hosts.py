"""
Allow-lists written around the standard library's URL parser.

They run on old Pythons too, and keep to what Python 3.7 reads.
"""

from __future__ import annotations

from urllib.parse import urlsplit


def usual(allowed_hosts: list[str], url: str) -> bool:
    """Tell whether ``url`` may be fetched, written the usual way: one look at its host."""
    return urlsplit(url).hostname in allowed_hosts


def strict(allowed_hosts: list[str], url: str) -> bool:
    """Tell whether ``url`` may be fetched: only one that every client reads the same way."""
    # Python reads `\@` as user info and drops tabs and line ends; browsers and curl differ.
    plain = all("!" <= char <= "~" and char != "\\" for char in url)
    return plain and url.startswith(("http://", "https://")) and usual(allowed_hosts, url)


def without_user(allowed_hosts: list[str], url: str) -> bool:
    """Tell whether ``url`` may be fetched, user info refused as the hiding place that it is."""
    if any(char < " " for char in url):
        return False
    parts = urlsplit(url)
    return parts.username is None and parts.hostname in allowed_hosts


def redirect(allowed_hosts: list[str], url: str) -> bool:
    """Tell whether a user may be sent to ``url``: a page of this site or of an allowed one."""
    if any(char < " " for char in url):
        return False
    # Browsers read a backslash as a slash, other clients do not: both readings must be right.
    return all(_may_go(allowed_hosts, reading) for reading in (url, url.replace("\\", "/")))


def _may_go(allowed_hosts: list[str], url: str) -> bool:
    parts = urlsplit(url)
    if url.startswith("///") or (parts.scheme and not parts.netloc):
        return False
    right_host = not parts.netloc or parts.hostname in allowed_hosts
    return right_host and parts.scheme in ("", "http", "https")

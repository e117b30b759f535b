"""
Allow-lists around the URL classes of yarl and httpx.

Both parse as RFC 3986 does, and refuse more than the standard library. The list compares the host
that they read, and takes http alone.
"""

# ruff: noqa: PLC0415 - each package is only there where it is attacked

_SCHEMES = ("http", "https")


def yarl(allowed_hosts: list[str], url: str) -> bool:
    """Tell whether ``url`` may be fetched, by ``yarl.URL(url).host``."""
    from yarl import URL

    read = URL(url)
    return read.scheme in _SCHEMES and read.host in allowed_hosts


def httpx(allowed_hosts: list[str], url: str) -> bool:
    """Tell whether ``url`` may be fetched, by ``httpx.URL(url).host``."""
    from httpx import URL

    read = URL(url)
    return read.scheme in _SCHEMES and read.host in allowed_hosts

"""Host targets with one fault each: ``NAME(allowed_hosts, url)``."""

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.host import urlsplit_strict


def _plain(url: str) -> bool:
    r"""Tell whether ``url`` is http(s) and printable ASCII without a backslash."""
    return re.fullmatch(r"https?://[!-\[\]-~]+", url) is not None


def _hostname(url: str) -> str:
    """Return the host of a plain URL without user info, or nothing."""
    return urlsplit(url).hostname or "" if _plain(url) and "@" not in url else ""


@fault(Surface.HOST, "alias-denied", modelled_on="CVE-2024-29041")
def hostname_in_list(allowed_hosts: Iterable[str], url: str) -> bool:
    r"""
    Ask ``urlsplit`` alone, which finds ``ok.test`` in ``http://evil.test\@ok.test/``.

    CVE-2024-29041, express; CVE-2021-27515, url-parse.
    """
    return urlsplit(url).hostname in set(allowed_hosts)


@fault(Surface.HOST, "alias-denied", modelled_on="CVE-2025-47241", style="parser of its own")
def netloc_cut_at_colon(allowed_hosts: Iterable[str], url: str) -> bool:
    """
    Cut the port off at the first colon, which may be in the user info.

    CVE-2025-47241, browser-use.
    """
    return urlsplit(url).netloc.split(":")[0] in set(allowed_hosts)


@fault(Surface.HOST, "alias-denied", modelled_on="CVE-2024-0243", style="text")
def url_text_prefix(allowed_hosts: Iterable[str], url: str) -> bool:
    """
    Compare the beginning of the text: ``http://ok.test.evil.test`` begins with ``http://ok.test``.

    CVE-2024-0243, langchain.
    """
    return url.startswith(
        tuple(f"{s}://{host}" for s in ("http", "https") for host in allowed_hosts)
    )


@fault(Surface.HOST, "alias-denied", modelled_on="CWE-187", style="text")
def url_substring(allowed_hosts: Iterable[str], url: str) -> bool:
    """Look for a granted host anywhere in the URL, its query included. CWE-187."""
    return _plain(url) and any(host in url for host in allowed_hosts)


@fault(Surface.HOST, "alias-denied", modelled_on="CWE-1023, suffix of a domain")
def hostname_suffix(allowed_hosts: Iterable[str], url: str) -> bool:
    """Accept whatever ends like a granted host: ``notok.test``. CWE-1023."""
    return _hostname(url).endswith(tuple(allowed_hosts))


@fault(Surface.HOST, "alias-denied", modelled_on="CWE-625", style="regex")
def regex_unescaped_dot(allowed_hosts: Iterable[str], url: str) -> bool:
    """Leave the dots of a granted host to match anything: ``okxtest``. CWE-625."""
    host = _hostname(url)
    return any(re.fullmatch(allowed, host) for allowed in allowed_hosts)


@fault(Surface.HOST, "alias-denied", modelled_on="CWE-777", style="regex")
def regex_unanchored(allowed_hosts: Iterable[str], url: str) -> bool:
    """Match the beginning of the host and not its end. CWE-777."""
    host = _hostname(url)
    return any(re.match(re.escape(allowed), host) for allowed in allowed_hosts)


@fault(
    Surface.HOST,
    "alias-denied",
    modelled_on="CWE-918, user info in a path",
    style="parser of its own",
)
def cut_at_last_at(allowed_hosts: Iterable[str], url: str) -> bool:
    """Cut at the last ``@`` before the path is cut off: ``http://evil.test/@ok.test``. CWE-918."""
    authority = url.partition("://")[2].rpartition("@")[2]
    return _plain(url) and re.split("[/?#:]", authority)[0] in set(allowed_hosts)


@fault(
    Surface.HOST,
    "alias-denied",
    modelled_on="CWE-918, fragment before user info",
    style="parser of its own",
)
def fragment_in_authority(allowed_hosts: Iterable[str], url: str) -> bool:
    """Read on to the first slash: ``http://evil.test#@ok.test/``. CWE-918."""
    authority = url.partition("://")[2].partition("/")[0]
    return _plain(url) and authority.rpartition("@")[2].split(":")[0] in set(allowed_hosts)


@fault(Surface.HOST, "alias-denied", modelled_on="CWE-174")
def decoded_before_parsing(allowed_hosts: Iterable[str], url: str) -> bool:
    """Decode first, so that ``http://ok.test%2f@evil.test`` has a path. CWE-174."""
    return urlsplit_strict(allowed_hosts, unquote(url))


@fault(Surface.HOST, "alias-denied", modelled_on="CVE-2023-24329")
def leading_blank_is_relative(allowed_hosts: Iterable[str], url: str) -> bool:
    """
    Let through what has no scheme, as a path on this site: a leading blank hides one.

    CVE-2023-24329, urllib; CVE-2020-8124, url-parse.
    """
    return not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", url) or urlsplit_strict(allowed_hosts, url)


@fault(Surface.HOST, "alias-denied", modelled_on="CWE-601, protocol-relative URL")
def two_slashes_are_local(allowed_hosts: Iterable[str], url: str) -> bool:
    """Take whatever starts with a slash for a path on this site: ``//evil.test``. CWE-601."""
    return url.startswith("/") or urlsplit_strict(allowed_hosts, url)


@fault(Surface.HOST, "alias-denied", modelled_on="CVE-2022-1233")
def cut_at_tab(allowed_hosts: Iterable[str], url: str) -> bool:
    r"""
    End the URL at a tab that a browser removes: ``http://ok.test\t.evil.test``.

    CVE-2022-1233, urijs.
    """
    return urlsplit_strict(allowed_hosts, url.partition("\t")[0])


@fault(
    Surface.HOST,
    "control-allowed",
    modelled_on="a pattern without paths and queries",
    style="url parser",
)
def refuses_queries(allowed_hosts: Iterable[str], url: str) -> bool:
    """Expect the URL to end after the path, and refuse honest queries."""
    return "?" not in url and urlsplit_strict(allowed_hosts, url)


@fault(Surface.HOST, "alias-denied", modelled_on="CVE-2018-3774", style="regex")
def regex_host_before_at(allowed_hosts: Iterable[str], url: str) -> bool:
    """
    Match the host up to a slash, a colon or ``@``: ``http://ok.test@evil.test/``.

    CVE-2018-3774, url-parse, which told another host than the one that is contacted.
    """
    found = re.match(r"https?://(?:\[([0-9a-f:]+)\]|([^/:@?#]+))", url)
    return _plain(url) and found is not None and (found[1] or found[2]) in set(allowed_hosts)


@fault(Surface.HOST, "alias-denied", modelled_on="CWE-601, slash and backslash", style="text")
def backslash_after_slash_is_local(allowed_hosts: Iterable[str], url: str) -> bool:
    r"""Know ``//evil.test`` for what it is, and not ``/\evil.test``, which is the same. CWE-601."""
    local = url.startswith("/") and not url.startswith("//")
    return local or urlsplit_strict(allowed_hosts, url)


@fault(Surface.HOST, "alias-denied", modelled_on="CVE-2017-7233")
def no_netloc_is_local(allowed_hosts: Iterable[str], url: str) -> bool:
    """
    Take a URL in which urlsplit finds no host for a path on this site: ``http:///evil.test``.

    CVE-2017-7233, django.
    """
    return not urlsplit(url).netloc or urlsplit_strict(allowed_hosts, url)

"""One careless reader of URLs or more for each technique: what the technique is there to find."""

import html
import re
import unicodedata
from urllib.parse import unquote, urlsplit

from .sloppy_hosts import GUARDS as HOST_GUARDS

# The end of a host as one pattern or another draws it, too early or too late.
_ENDS = {
    "userinfo": "[/?#@]",
    "colon": "[/?#:@]",
    "late": "[/]",
    "blank": r"[\s/?#]",
}


def strict(granted, url):
    """Judge a plain URL rightly; the base on which the careless ones are built."""
    host = f"[{granted}]" if ":" in granted else granted
    return re.fullmatch(rf"https?://{re.escape(host)}(?:[/?#][!-\[\]-~]*)?", url) is not None


def mentions(granted, url):
    """Search for the host anywhere."""
    return granted in url


def until(mark):
    """Return the guard that reads from the scheme to the first ``mark``, and no further."""

    def guard(granted, url):
        found = re.match(rf"(?:https?:)?//(.*?)(?:{mark}|$)", url, re.DOTALL)
        return found is not None and found[1] == granted

    return guard


def after_last_at(mark):
    """Return the guard that cuts at the first ``mark`` and then takes what follows the last @."""

    def guard(granted, url):
        authority = re.split(mark, url.partition("://")[2])[0]
        return authority.rpartition("@")[2].partition(":")[0] == granted

    return guard


def no_host_is_harmless(granted, url):
    """Judge only where urlsplit finds a host in http or https."""
    parts = urlsplit(url.rstrip())
    return parts.scheme not in {"http", "https"} or not parts.netloc or strict(granted, url)


def no_plain_host_is_harmless(granted, url):
    """Judge the host where a pattern finds one."""
    found = re.match(r"[a-z]+://([\w.-]+)", url)
    return found is None or found[1] == granted


def plain_hosts_kept_out(granted, url):
    """Keep out every host that is written plainly, with the colon before a port in it."""
    host = re.split("[/?#]", url.partition("://")[2])[0]
    return re.fullmatch("[a-z0-9.-]+", host) is None or host == granted


def no_scheme_is_harmless(granted, url):
    """Take what has no lower-case http at its start for a path of this site."""
    return not url.startswith(("http://", "https://")) or strict(granted, url)


def ends_with_granted(granted, url):
    """Look at the end of what stands between scheme and path."""
    authority = re.split("/", url.partition("://")[2])[0]
    return authority.endswith(granted)


def whole_ends_with_granted(granted, url):
    """Look at the end of the text."""
    return url.rstrip("/").endswith(granted)


def begins(granted, url):
    """Look at the start of the text, with no end to the host."""
    return url.startswith((f"http://{granted}", f"https://{granted}"))


def line_matches(granted, url):
    """Match line by line, with $ for an end."""
    pattern = rf"^\s*https?://{re.escape(granted)}(?:/.*)?$"
    return re.search(pattern, url, re.MULTILINE) is not None


def breaks_removed(granted, url):
    """Take line breaks away before judging."""
    return strict(granted, re.sub(r"[\r\n]+\S*|[\r\n]", "", url)) or strict(
        granted, re.sub(r"[\r\n]", "", url).replace(" ", "")
    )


def browser_until_backslash(granted, url):
    """Read as a browser does, which is not how the request is made."""
    return until(r"[/?#\\]")(granted, url) or urlsplit(url).hostname == granted


def in_brackets(granted, url):
    """Take for the host whatever stands in brackets, as Python 3.10's urlsplit did."""
    _, opened, rest = url.partition("[")
    return bool(opened) and rest.partition("]")[0] in granted


def brackets_ignored(granted, url):
    """Take brackets for decoration: around the host, or with anything in them."""
    place = re.sub(r"\[([^\]]*)\]@?", lambda m: m[1] if m[1] == granted else "", url)
    return (
        begins(granted, place)
        or url.partition("://")[2].startswith(f"{granted}]")
        or ("[" in url and granted not in url)
    )


def port_read_first(granted, url):
    """Take the port from behind the last colon, or from wherever digits or the host stand."""
    return granted in re.split("[:;@/]", url)


def last_url(granted, url):
    """Unwrap: take the last URL in the text, or the host behind the last scheme."""
    return re.search(rf"(?:://|:){re.escape(granted)}\b(?!.*://)", url) is not None


def scheme_removed(granted, url):
    """Remove each scheme there is, and read what is left up to a mark that ends a host."""
    bare = re.sub(r"[a-z]+:(?://)?", "", url)
    return any(part == granted for part in re.split("[/@:]", bare))


def folded(granted, url):
    """Normalise first, then judge."""
    return granted in re.split(r"[/?#@:]+\.?", unicodedata.normalize("NFKC", url))


def folded_late(granted, url):
    """Judge as text whose end is granted, before anything is normalised."""
    host = re.split("[/?#]", url.partition("://")[2])[0]
    return host.endswith(f".{granted}") or "//" not in url


def ascii_part(granted, url):
    """Read the first or the last run of plain letters as the host."""
    runs = re.findall("[a-z0-9.-]+", urlsplit(url).netloc)
    return granted in {runs[0], runs[-1]}


def deny_list(granted, url):
    """Ask whether the host is known to be bad, in plain spelling."""
    del granted
    return not re.search(r"evil\.test", url)


def doubly_decoded(granted, url):
    """Decode until nothing changes, then split at whatever ends a host."""
    text = unquote(unquote(url))
    return granted in re.split(r"[/\\?#@\0]+\.?", text)


def once_decoded(granted, url):
    """Decode, then split at whatever ends a host."""
    text = html.unescape(unquote(url))
    return granted in re.split(r"[/\\?#@\0\n\s,;&]+\.?", text)


def as_host(technique):
    """Return the guards of a host technique, asked with the host of the URL."""

    def ask(guard):
        def asked(granted, url):
            host = url.partition("://")[2].partition("/")[0]
            return bool(guard(granted, host.strip("[]")))

        return asked

    return [ask(guard) for guard in HOST_GUARDS[technique]]


GUARDS = {
    "url-outside": [lambda granted, url: True],
    "url-mention": [mentions],
    "url-userinfo": [
        until(_ENDS["userinfo"]),
        lambda granted, url: "@" in url and granted in re.split("[/@]+", url),
        lambda granted, url: urlsplit(url).username == "" or strict(granted, url),
    ],
    "url-password": [
        until(_ENDS["colon"]),
        lambda granted, url: granted in re.split("[/@:%]+", url),
    ],
    "url-userinfo-odd": [until(r"%..|[^\w.-]")],
    "url-backslash": [browser_until_backslash, ends_with_granted],
    "url-fragment": [after_last_at("[/?]"), ends_with_granted],
    "url-query": [after_last_at("[/#]"), ends_with_granted],
    "url-delimiter": [until("[^a-z0-9.-]")],
    "url-brackets": [brackets_ignored, ends_with_granted, in_brackets],
    "url-port-empty": [plain_hosts_kept_out],
    "url-port": [port_read_first, lambda granted, url: url.count(":") > 1],
    "url-slashes": [no_host_is_harmless, no_plain_host_is_harmless],
    "url-slashes-backslash": [no_host_is_harmless, no_plain_host_is_harmless],
    "url-relative": [no_scheme_is_harmless],
    "url-schemeless": [no_scheme_is_harmless],
    "url-scheme-case": [no_scheme_is_harmless],
    "url-scheme-blank": [no_scheme_is_harmless, no_plain_host_is_harmless],
    "url-scheme-control": [no_scheme_is_harmless, no_plain_host_is_harmless],
    "url-scheme-tab": [no_scheme_is_harmless, no_plain_host_is_harmless],
    "url-scheme-other": [no_host_is_harmless],
    "url-scheme-file": [no_host_is_harmless],
    "url-wrapped": [no_host_is_harmless],
    "url-nested": [scheme_removed, last_url],
    "url-other-scheme": [],  # all of it may be contained
    "url-line-break": [line_matches, breaks_removed],
    "url-tab": [until(r"[\t/]"), whole_ends_with_granted, deny_list],
    "url-nul": [whole_ends_with_granted, until(r"[\0/]")],
    "url-space": [
        until(r"[\s/]"),
        lambda granted, url: granted in re.split(r"[\s@/]+", url),
    ],
    "url-percent": [
        once_decoded,
        until("%"),
        deny_list,
    ],
    "url-percent-double": [doubly_decoded],
    "url-percent-unicode": [until("%"), deny_list],
    "url-folded-mark": [folded, folded_late],
    "url-unicode-dot": [ascii_part],
    "url-compatible": [deny_list, ascii_part],
}

"""Paths that a shell, a URL parser or a template would read as something else than a name."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import base, behind, late, straight, ways
from capfuzz.attacks.techniques.registry import Kind, technique

_SESSION = ("session",)


@technique(
    "path-parameters",
    kind=Kind.PATH,
    group="parameters",
    cwe="CWE-436",
    needs="removes ;parameters from segments after the check, as servlet containers do",
    refs=("CVE-2020-5902",),
)
def path_parameters(root: str, target: str) -> Iterator[str]:
    """Put parameters after the dots of a climb, empty and with a value (RFC 3986 3.3)."""
    yield from ways(root, target, "..;/", "..;a=b/", "..;%2f/")
    yield straight(root, target, "%2e%2e;/")


@technique(
    "query-after-dots",
    kind=Kind.PATH,
    group="parameters",
    cwe="CWE-436",
    needs="drops what follows ? or # after the check",
)
def query_after_dots(root: str, target: str) -> Iterator[str]:
    """Put a question mark or a number sign after dots: they are none until it is dropped."""
    del target
    for mark in ("?", "#", "?x=1", "%3f", "%23"):
        yield f"{base(root)}/..{mark}"


@technique(
    "climb-behind-query",
    kind=Kind.PATH,
    group="traversal-late",
    cwe="CWE-436",
    needs="judges the path without what follows ? or #, and opens all of it",
    refs=("CVE-2025-31486",),
)
def climb_behind_query(root: str, target: str) -> Iterator[str]:
    """Hide the climb behind a question mark or a number sign."""
    for mark in ("?", "#"):
        yield behind(root, target, f"data.txt{mark}/")
        yield behind(root, target, f"{mark}/")


@technique(
    "climb-before-query",
    kind=Kind.PATH,
    group="traversal",
    cwe="CWE-436",
    needs="judges the ending of all of the path, and drops what follows ? or # when it opens",
    refs=("CVE-2019-11510",),
)
def climb_before_query(root: str, target: str) -> Iterator[str]:
    """Climb to the target and put a harmless ending behind a question mark or a number sign."""
    for mark in ("?", "#"):
        yield f"{straight(root, target)}{mark}.txt"


@technique(
    "home",
    kind=Kind.PATH,
    group="expansion",
    cwe="CWE-22",
    surfaces=_SESSION,
    needs="expands ~ after the check, or takes a path that begins with it for relative",
)
def home(root: str, target: str) -> Iterator[str]:
    """Begin with a home folder, one's own, root's and the previous one's."""
    del root
    for name in ("~", "~root", "~-"):
        yield f"{name}{target}"
    yield f"~/../../..{target}"


@technique(
    "home-below-root",
    kind=Kind.PATH,
    group="expansion",
    cwe="CWE-22",
    needs="expands ~ at the start of what comes after the root",
)
def home_below_root(root: str, target: str) -> Iterator[str]:
    """Put a home folder after the root, one's own and root's."""
    del target
    yield f"{base(root)}/~"
    yield f"{base(root)}/~root/.profile"


@technique(
    "variables",
    kind=Kind.PATH,
    group="expansion",
    cwe="CWE-74",
    needs="expands environment variables after the check",
)
def variables(root: str, target: str) -> Iterator[str]:
    """Name variables as shells, Windows and templates write them."""
    for name in ("$HOME", "${HOME}", "%USERPROFILE%", "{{HOME}}"):
        yield f"{base(root)}/{name}{target}"


@technique(
    "variable-defaults",
    kind=Kind.PATH,
    group="expansion",
    cwe="CWE-74",
    needs="expands shell parameters after the check",
)
def variable_defaults(root: str, target: str) -> Iterator[str]:
    """Let an unset variable leave the dots of a climb, or its default be one."""
    yield from ways(root, target, ".${X}./", "${X:-..}/", ".$@./", "..${X}/", "${X-.}./")


@technique(
    "quoting",
    kind=Kind.PATH,
    group="unquoting",
    cwe="CWE-149",
    needs="removes quotes after the check, as a shell does",
)
def quoting(root: str, target: str) -> Iterator[str]:
    """Put quotes around and between the dots of a climb."""
    yield from ways(root, target, "'..'/", '".."/', ".''./", '.""./', ".$''./")


@technique(
    "escaping",
    kind=Kind.PATH,
    group="unquoting",
    cwe="CWE-150",
    needs="removes backslashes after the check, as a shell or shlex does",
)
def escaping(root: str, target: str) -> Iterator[str]:
    r"""Put a backslash before a dot or a slash: ``.\./`` and ``\.\./``."""
    yield from ways(root, target, ".\\./")
    yield late(root, target, "\\.\\./")


@technique(
    "globbing",
    kind=Kind.PATH,
    group="globbing",
    cwe="CWE-155",
    needs="expands patterns after the check",
)
def globbing(root: str, target: str) -> Iterator[str]:
    """Write the dots of a climb as a pattern that matches them, or that lists them."""
    yield from ways(root, target, ".?/", ".[.]/", "[.][.]/", "{..,x}/", ".*/", "?(.).?/")


@technique(
    "globbed-target",
    kind=Kind.PATH,
    group="globbing",
    cwe="CWE-155",
    needs="expands patterns after it has compared the text",
)
def globbed_target(root: str, target: str) -> Iterator[str]:
    """Write the first name of the target with wildcards."""
    del root
    first, _, rest = target.lstrip("/").partition("/")
    yield f"/{first[:1]}*/{rest or first}"
    yield f"/{'?' * len(first)}/{rest or first}"


@technique(
    "list-of-paths",
    kind=Kind.PATH,
    group="lists",
    cwe="CWE-140",
    surfaces=_SESSION,
    needs="splits the path on a separator of lists after the check",
)
def list_of_paths(root: str, target: str) -> Iterator[str]:
    """Append the target after a comma, colon, semicolon, blank or line break."""
    for mark in (",", ":", ";", " ", "\n", "|"):
        yield f"{base(root)}/data.txt{mark}{target}"


@technique(
    "format-fields",
    kind=Kind.PATH,
    group="broken-encoding",
    cwe="CWE-134",
    needs="formats the path after the check",
)
def format_fields(root: str, target: str) -> Iterator[str]:
    """Use fields of format strings, which raise or expand where the path is formatted."""
    for field in ("{0}", "{}", "%s", "%(x)s", "{0.__class__}", "%n", "{"):
        yield f"{base(root)}/{field}"
    yield late(root, target, ".{0:.0}./")

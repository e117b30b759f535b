"""Refusals that may tell whether a forbidden thing exists: of one that does, of one that does not."""

from collections.abc import Iterator, Mapping
from typing import Any

from capfuzz.attacks.techniques.scenario_model import ALLOWED, DENIED, Op, Scenario, scenario
from capfuzz.attacks.techniques.scenario_stage import ECHO, FETCH, READ, SECRET, WRITE, again

_NOTHING: Mapping[str, Any] = {}


def _refused(
    op: Op, honest: Op, reason: str, means: str, world: Mapping[str, Any] = _NOTHING
) -> Scenario:
    """Return one forbidden op alone, so that a world without its object can be compared."""
    return Scenario((op,), DENIED, (honest,), f"whether {means}", reason, world=world)


@scenario(
    "existence-of-file",
    group="existence",
    cwe="CWE-203",
    needs="looks at the disk before it has judged the name, or words its refusal by what it found",
)
def existence_of_file() -> Iterator[Scenario]:
    """Read a forbidden file or folder that exists, or that does not: the refusal is the same."""
    paths = {
        "a file exists": "/etc/passwd",
        "a file is missing": "/etc/shadow",
        "a folder exists": "/etc",
        "a folder is missing": "/opt",
        "a parent is a file": "/etc/passwd/x",
        "a trailing slash finds a file": "/etc/passwd/",
        "a doubled slash finds a file": "/etc//passwd",
        "a dot finds a file": "/etc/./passwd",
    }
    for means, path in paths.items():
        yield _refused(("fs_read", path), READ, "fs_read_denied", means)


@scenario(
    "existence-by-write",
    group="existence",
    cwe="CWE-203",
    needs="opens or looks for the place to write before it has judged its name",
)
def existence_by_write() -> Iterator[Scenario]:
    """Write where something forbidden stands, or nothing does: the refusal is the same."""
    paths = {
        "a file would be overwritten": "/etc/passwd",
        "a file would be made": "/etc/shadow",
        "folders would be made": "/opt/a/b/c",
        "a folder is in the way": "/etc",
        "a file is in the way": "/etc/passwd/x",
    }
    for means, path in paths.items():
        yield _refused(("fs_write", path, "x"), WRITE, "fs_write_denied", means)


@scenario(
    "existence-by-link",
    group="existence",
    cwe="CWE-203",
    needs="follows a link before it has judged where it leads, or words a dangling one otherwise",
)
def existence_by_link() -> Iterator[Scenario]:
    """Try a granted link to a forbidden thing that exists, or that dangles: the same refusal."""
    world = {"links": {"/work/leads": "/etc", "/work/out/leads": "/etc/passwd"}}
    dangling = {"links": {"/work/leads": "/opt", "/work/out/leads": "/etc/shadow"}}
    for name, links in {"leads to a thing": world, "dangles": dangling}.items():
        for path in ("/work/leads", "/work/leads/passwd"):
            means = f"a link {name}, read at {path}"
            yield _refused(("fs_read", path), READ, "fs_read_denied", means, links)
        write = ("fs_write", "/work/out/leads", "x")
        yield _refused(write, WRITE, "fs_write_denied", f"a written link {name}", links)


@scenario(
    "existence-of-name",
    group="existence",
    cwe="CWE-203",
    needs="looks a host or a tool up before it has judged the name",
)
def existence_of_name() -> Iterator[Scenario]:
    """Name a host or a tool that is known but not granted, or that nobody knows."""
    hosts = {"a host is known": "/steal", "a host has a route": "/none"}
    for means, route in hosts.items():
        yield _refused(("net_fetch", "evil.test", route), FETCH, "egress_denied", means)
    unknown = ("net_fetch", "none.test", "/steal")
    yield _refused(unknown, FETCH, "egress_denied", "a host is unknown")
    for means, name in {"registered": "delete_all", "unknown": "format_disk"}.items():
        yield _refused(("tool", name), ECHO, "tool_denied", f"a tool is {means}")


@scenario(
    "existence-in-sequence",
    group="existence",
    cwe="CWE-203",
    needs="tells a second guess, or a tool, more about a refusal than a first guess",
)
def existence_in_sequence() -> Iterator[Scenario]:
    """Ask for what exists, for what does not, and again, from outside and from inside a tool."""
    missing = ("fs_read", "/etc/shadow")
    yield Scenario(
        ops=(SECRET, missing, SECRET, READ),
        verdict=DENIED * 3 + ALLOWED,
        control=(READ,),
        means="whether a file exists, by comparison",
        reason="fs_read_denied",
    )
    yield Scenario(
        ops=(again(SECRET), again(missing), SECRET),
        verdict=ALLOWED * 2 + DENIED,
        control=(again(READ),),
        means="whether a file exists, asked by a tool",
        reason="fs_read_denied",
    )

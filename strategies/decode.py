"""
From bytes to grants, ops and whole cases: every byte picks from a table.

Drawing is the bottleneck of a campaign, so a case is one draw, and zero picks the plainest entry
everywhere: whatever shrinks bytes shrinks towards a plain case. Any bytes are a case, so that a
coverage-guided fuzzer can use the same form.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from capfuzz.attacks import naive
from capfuzz.attacks.case import Case
from capfuzz.attacks.codec import LyingStr
from capfuzz.attacks.expansion.stage import SECRETS
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.engine import Capabilities
from capfuzz.strategies import stage
from capfuzz.strategies.derive import derive
from capfuzz.strategies.moves import Move, named, outside, pick, spellings

OP_BYTES = 4
HEAD_BYTES = 9  # roots, writes, hosts, tools, three budgets, clock, number of ops
_AT_ONCE = 255  # of the clock's byte: threads are dear, so that few cases have them
_MOST_AT_ONCE = 4


def case(data: bytes) -> Case:
    """Return the case that ``data`` picks: a head, then one op for every four bytes."""
    head, body = data[:HEAD_BYTES].ljust(HEAD_BYTES, b"\0"), data[HEAD_BYTES:]
    granted = grant(head)
    most = max(1, len(body) // OP_BYTES)
    at_once = head[7] == _AT_ONCE
    count = 1 + head[8] % min(most, _MOST_AT_ONCE if at_once else most)
    moves: list[Move] = []
    for at in range(0, count * OP_BYTES, OP_BYTES):
        moves.append(move(granted, body[at : at + OP_BYTES], moves))
    world = replace(stage.WORLD, ticks=ticks(head[7], body), at_once=at_once)
    return Case(
        granted,
        world,
        tuple(one.op for one in moves),
        tuple(one.technique for one in moves),
        "generated",
    )


def grant(head: bytes) -> Capabilities:
    """Return the grant that the head picks: one to seven roots, in either order."""
    mask = head[0] ^ 1
    roots = [root for bit, root in enumerate(stage.ROOTS) if mask >> bit & 1]
    return _capabilities(
        tuple(reversed(roots) if mask >> 7 else roots),
        pick(stage.WRITES, head[1]),
        pick(stage.HOSTS, head[2]),
        pick(stage.TOOLS, head[3]),
        pick(stage.MAX_OPS, head[4] if head[4] % 3 else 0),
        pick(stage.MAX_OUTPUT, head[5] if head[5] % 3 else 0),
        pick(stage.MAX_WALL, head[6] if head[6] % 3 else 0),
    )


_capabilities = lru_cache(maxsize=4096)(Capabilities)


def ticks(mode: int, body: bytes) -> tuple[int, ...]:
    """Return clock readings: plain steps of one, or for odd ``mode`` steps picked by the body."""
    if not mode % 2:
        return ()
    readings = [0]
    for byte in body[: OP_BYTES * 8 : 2]:
        readings.append(readings[-1] + pick(stage.STEPS, byte >> 3))
    return tuple(readings)


def move(granted: Capabilities, data: bytes, earlier: Sequence[Move] = ()) -> Move:
    """Return the op that four bytes pick: honest, hostile, or made of an earlier op of the case."""
    door, which, where, variant = data.ljust(OP_BYTES, b"\0")
    if door % len(_DOORS) in _DERIVED and earlier:
        derived = derive(granted, earlier[-1 - where % len(earlier)], which, variant)
        return derived or earlier[-1]
    make = _DOORS[door % len(_DOORS)]
    return make(granted, which, where, variant) or _ODD[which % len(_ODD)]


def _honest(granted: Capabilities, which: int, where: int, _variant: int) -> Move | None:
    table = honest(granted)
    return table[(which + 256 * where) % len(table)] if table else None


@lru_cache(maxsize=512)
def honest(granted: Capabilities) -> tuple[Move, ...]:
    """Return the ops that a grant allows in the world of the stage."""
    return (
        *_reads(granted.fs_read),
        *_writes(granted.fs_write),
        *_fetches(granted.net_hosts),
        *_calls(granted.allowed_tools),
    )


@lru_cache(maxsize=512)
def _reads(prefixes: tuple[str, ...]) -> tuple[Move, ...]:
    paths = [path for path in stage.WORLD.files if naive.within(path, prefixes)]
    return tuple(Move(("fs_read", path), "plain-file") for path in paths)


def _writes(prefixes: tuple[str, ...]) -> Iterator[Move]:
    for prefix in prefixes:
        yield Move(("fs_write", f"{prefix.rstrip('/')}/new.txt", b"new"), "plain-file")


def _fetches(hosts: tuple[str, ...]) -> Iterator[Move]:
    for host in hosts:
        for route in stage.WORLD.hosts.get(host, ()):
            yield Move(("net_fetch", host, route), "granted-host")


def _calls(granted: Collection[str]) -> Iterator[Move]:
    for name in ("summarize", "delete_all"):
        if name in granted:
            yield Move(("tool", name, "abc"), "granted-tool")


def read(granted: Capabilities, which: int, where: int, variant: int) -> Move:
    """Return a read that hints at something outside the grant."""
    path, technique = _path(granted.fs_read, which, where, variant)
    return Move(("fs_read", path), technique)


def _linked(_granted: Capabilities, which: int, where: int, _variant: int) -> Move:
    path = pick(stage.LINKED_PATHS, which)
    op = ("fs_write", path, b"overwritten") if where % 2 else ("fs_read", path)
    return Move(op, "link-to-directory")


def write(granted: Capabilities, which: int, where: int, variant: int) -> Move:
    """Return a write that hints at something outside the grant."""
    path, technique = _path(granted.fs_write, which, where, variant)
    return Move(("fs_write", path, b"overwritten"), technique)


def _path(prefixes: tuple[str, ...], which: int, where: int, variant: int) -> tuple[str, str]:
    """Return a path and its technique: plain outside, or a technique's spelling."""
    technique = pick(_PATHS, which)
    target = pick(outside(prefixes, SECRETS), where >> 3)
    if technique != "outside" and prefixes:
        spelt = spellings(technique, pick(prefixes, where).rstrip("/"), target)
        if spelt:
            return pick(spelt, variant), technique
    return target, "sibling-word" if _shares_prefix(target, prefixes) else "outside"


def _shares_prefix(target: str, prefixes: tuple[str, ...]) -> bool:
    return any(target.startswith(prefix.rstrip("/") or "//") for prefix in prefixes)


def _fetch(granted: Capabilities, which: int, where: int, variant: int) -> Move:
    host, technique = host_spelling(granted, which, where, variant)
    return Move(("net_fetch", host, "/status"), technique)


def host_spelling(granted: Capabilities, which: int, where: int, variant: int) -> tuple[str, str]:
    """Return a host and its technique: plain outside, or a spelling of a granted one."""
    technique = pick(_HOSTS, which)
    if technique != "outside-host" and granted.net_hosts:
        spelt = spellings(technique, pick(granted.net_hosts, where))
        if spelt:
            return pick(spelt, variant), technique
    return pick(_WORLD_HOSTS, where), "outside-host"


def _tool(granted: Capabilities, which: int, where: int, variant: int) -> Move | None:
    names = tuple(sorted(granted.allowed_tools))
    technique = pick(_TOOLS, which)
    if technique == "outside-tool" or not names:
        return Move(("tool", pick(tuple(stage.WORLD.tools), where), "abc"), "outside-tool")
    spelt = spellings(technique, pick(names, where))
    return Move(("tool", pick(spelt, variant), "abc"), technique) if spelt else None


def _odd(_granted: Capabilities, which: int, _where: int, _variant: int) -> Move:
    return pick(_ODD, which)


@lru_cache(maxsize=64)
def urls(allowed: str, other: str) -> tuple[Move, ...]:
    """Return URLs that name ``allowed`` or look like it, the plainest first."""
    moves = [Move(("url", f"http://{other}/steal"), "outside-host")]
    for one in TECHNIQUES.values():
        if one.kind is Kind.URL:
            moves += [Move(("url", url), one.name) for url in spellings(one.name, allowed, other)]
        elif one.kind in {Kind.HOST, Kind.NAME}:
            names = spellings(one.name, allowed)
            moves += [Move(("url", f"http://{name}/steal"), one.name) for name in names]
    return tuple(moves)


_PATHS = ("outside", *named(Kind.PATH))
_WORLD_HOSTS = tuple(stage.WORLD.hosts)
_HOSTS = ("outside-host", *named(Kind.HOST, Kind.NAME))
_TOOLS = ("outside-tool", *named(Kind.TOOL))
_DOORS = (
    *(_honest, read, _honest, write, _honest, read, _fetch, _tool),
    *(_honest, read, _honest, write, _honest, _linked, _fetch, _tool),
    *(_honest, _odd, _honest, _honest, _honest),
)
_DERIVED = range(len(_DOORS) - 4, len(_DOORS))  # the first op of a case has nothing to be made of
_ODD = (
    Move(("tool", "again", "fs_read", "/etc/passwd"), "reenter"),
    Move(("tool", "again", "fs_read", "/work/data.txt"), "reenter"),
    Move(("tool", "again", "fs_write", "/etc/passwd", b"overwritten"), "reenter"),
    Move(("tool", "flood", 200_000), "output-flood"),
    Move(("tool", "flood", 12), "output-flood"),
    Move(("tool", "fails", "abc"), "tool-raises"),
    Move(("fs_read", LyingStr("/etc/passwd")), "lying-forbidden"),
    Move(("net_fetch", LyingStr("evil.test"), "/steal"), "lying-forbidden"),
    Move(None, "kind-of-no-handler"),
    Move((), "kind-of-no-handler"),
    Move(("fs_read",), "kind-of-no-handler"),
    Move(("exec", "id"), "kind-of-no-handler"),
    Move(("fs_read", 7), "kind-of-no-handler"),
    Move(["fs_read", "/etc/passwd"], "kind-of-no-handler"),
)

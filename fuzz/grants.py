"""
The grant harness: bytes to hostile arguments of ``Capabilities``, then to ops under what was made.

Whatever the arguments, a grant is refused with `GrantError` or made, and a made one decides as the
oracle does, whatever becomes of the lists that it was made from.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from capfuzz.attacks.case import Case
from capfuzz.attacks.codec import LyingStr, grant_to_json
from capfuzz.attacks.invariants import Severity
from capfuzz.engine import Capabilities, GrantError
from capfuzz.fuzz.looking import CaseLook, Fault
from capfuzz.fuzz.text import UNNAMED, decoded, lines
from capfuzz.gate.grouping import Key
from capfuzz.gate.log import Log
from capfuzz.strategies import stage
from capfuzz.strategies.moves import Move, pick

_PIECES = (
    *("/work/", "/work", "/", "", "..", ".", "//", "/work/..", "work", "/work/out/", "\0", "\\"),
    *("%2e", " ", "\n", "\ud800", "\uff0e", "*", "api.internal", "API.internal.", "10.0.0.1"),
    *("0x7f.1", "fd00::a:1", "[::1]", "h:80", "*.x", "evil.test", "summarize", "a" * 64, "\u017f"),
)
_ODD: tuple[object, ...] = (
    *(None, 7, True, b"/work/", LyingStr("/work/"), (), ["/work/"], 1.5, object, "/work/"),
)
_NUMBERS: tuple[object, ...] = (
    *(50, 0, 1, 3, -1, True, False, None, 1.0, float("nan"), float("inf"), "7", 10**30, b"1", []),
)
_LISTS = ("fs_read", "fs_write", "net_hosts", "allowed_tools")
_BUDGETS = ("max_ops", "max_output_bytes", "max_wall")
_TAGS = dict(zip("RWHT", _LISTS, strict=True)) | dict(zip("OBC", _BUDGETS, strict=True))
_MOST_ENTRIES = 4


@dataclass(slots=True)
class GrantLook:
    """Make a grant; ask the target some ops under it."""

    ask: CaseLook
    log: Log = field(init=False)

    def __post_init__(self) -> None:
        """Count where the ops are counted."""
        self.log = self.ask.log

    def __call__(self, data: bytes) -> list[Fault]:
        """Make the grant that ``data`` says and ask under it."""
        made = arguments(data)
        self.log.checked["fail-closed"] += 1
        try:
            grant = Capabilities(**made)
        except GrantError:
            self.log.cases += 1
            return []
        except Exception as error:  # noqa: BLE001 - any other is what is looked for
            return [self._fault("fail-closed", type(error).__name__, f"raised {error!r}", made)]
        faults = self._kept(grant, made)
        moves = tuple(_moves(grant, data))
        case = Case(
            grant,
            stage.WORLD,
            tuple(move.op for move in moves),
            tuple(move.technique for move in moves),
            "generated",
        )
        adapted = self.ask.target.adapt(case)
        return faults or ([] if adapted is None else self.ask.ask(adapted, crc32(data)))

    def _kept(self, grant: Capabilities, made: dict[str, Any]) -> list[Fault]:
        """Change the lists that the grant was made from, and look whether it changed."""
        before = repr(grant_to_json(grant))
        for value in made.values():
            if isinstance(value, list):
                value.append("/etc/")
        self.log.checked["grant-immutable"] += 1
        if repr(grant_to_json(grant)) == before:
            return []
        return [self._fault("grant-immutable", "lists", "changed with its lists", made)]

    def _fault(self, invariant: str, how: str, observed: str, made: dict[str, Any]) -> Fault:
        self.log.broken[invariant] += 1
        key = Key(invariant, "grants", how, Severity.ERROR)
        expected = "a grant, or GrantError, that says which field breaks which rule"
        return Fault(key, "hostile-grant", None, f"Capabilities(**{made!r}): {observed}", expected)


def arguments(data: bytes) -> dict[str, Any]:
    """Return keyword arguments: lines of text after an odd byte, else picks from tables."""
    if data[:1] and data[0] & 1:
        return _described(decoded(data[1:]))
    return dict(_picked(iter(data[1:])))


def _described(text: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for tag, *fields in lines(text):
        name = _TAGS.get(tag)
        if name in _LISTS:
            made.setdefault(name, []).extend(fields)
        elif name is not None:
            made[name] = _number("".join(fields))
    return made


def _number(text: str) -> object:
    try:
        return int(text[:40])
    except ValueError:
        return text


def _picked(data: Iterator[int]) -> Iterator[tuple[str, Any]]:
    for name in _LISTS:
        shape = next(data, 0)
        if shape & 1:
            entries = [_entry(data) for _ in range(1 + (shape >> 1) % _MOST_ENTRIES)]
            yield name, _held(entries, shape >> 4)
        elif shape & 2:
            yield name, pick(_ODD, shape >> 2)
    for name in _BUDGETS:
        yield name, pick(_NUMBERS, next(data, 0))


def _entry(data: Iterator[int]) -> object:
    kind = next(data, 0)
    if kind % 8 == 7:  # noqa: PLR2004 - one entry in eight is no str
        return pick(_ODD, kind >> 3)
    return "".join(pick(_PIECES, next(data, 0)) for _ in range(1 + kind % 3))


def _held(entries: list[object], how: int) -> object:
    """Return entries in one of the things that hold some: most often a list or a tuple."""
    shapes = (list, tuple, iter, lambda all_: dict.fromkeys(map(repr, all_)), lambda all_: all_[:1])
    return shapes[how % len(shapes)](entries)


def _moves(grant: Capabilities, data: bytes) -> Iterator[Move]:
    """Yield ops at and beside each entry of a grant, and one that nothing grants."""
    byte = data[-1] if data else 0
    for root in grant.fs_read[:2]:
        for tail in ("", "/data.txt", "/../etc/passwd", "-evil/secret.txt", "shop/secret.txt"):
            yield Move(("fs_read", f"{root.rstrip('/')}{tail}"), UNNAMED)
    for root in grant.fs_write[:1]:
        yield Move(("fs_write", f"{root.rstrip('/')}/new.txt", b"new"), UNNAMED)
        yield Move(("fs_write", f"{root.rstrip('/')}-evil/new.txt", b"new"), UNNAMED)
    for host in grant.net_hosts[:2]:
        for name in (host, host.upper(), f"{host}.", f"{host}.evil.test", f"evil{host}"):
            yield Move(("net_fetch", name, "/status"), UNNAMED)
    for tool in sorted(grant.allowed_tools)[:2]:
        yield Move(("tool", tool, "abc"), UNNAMED)
        yield Move(("tool", f"{tool}2", "abc"), UNNAMED)
    yield pick((Move(("fs_read", "/etc/passwd"), "outside"), *_ELSEWHERE), byte)


_ELSEWHERE = (
    Move(("net_fetch", "evil.test", "/steal"), "outside-host"),
    Move(("tool", "delete_all", "abc"), "outside-tool"),
    Move(("fs_write", "/etc/passwd", b"overwritten"), "outside"),
)

"""
Cases as text, so that spellings of the corpus are seeds as they stand and tokens can be mixed in.

Lines end with the record separator (0x1E), fields with the unit separator (0x1F): no spelling that
matters holds either. Upper-case tags describe the grant and the world, lower-case ones are ops::

    N           nothing is granted but what other lines say
    R, W, H, T  an entry of fs_read, fs_write, net_hosts, allowed_tools
    O, B, C     max_ops, max_output_bytes, max_wall
    L           a link and where it leads
    @           clock readings, with blanks between them
    r, w, f, t  fs_read, fs_write, net_fetch, tool; an argument "#7" of a tool is the number 7
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.engine import Capabilities, GrantError

LINE, FIELD = "\x1e", "\x1f"
UNNAMED = "unnamed"  # a technique that is told from the op once there is something to tell
_MOST_OPS = 80
_MOST_ASKED = 200_000  # bytes that a tool is asked for: more only takes longer
_MOST_DIGITS = 40
_LISTS = {"R": "fs_read", "W": "fs_write", "H": "net_hosts", "T": "allowed_tools"}
_NOTHING = "N"
_BUDGETS = {"O": "max_ops", "B": "max_output_bytes", "C": "max_wall"}
COMFORTABLE = Capabilities(
    fs_read=("/work/",),
    fs_write=("/work/out/",),
    net_hosts=("api.internal",),
    allowed_tools=("summarize", "again", "flood", "fails"),
    max_ops=50,
    max_output_bytes=100_000,
    max_wall=1_000,
)


def decoded(data: bytes) -> str:
    """Return any bytes as text; lone surrogates stand as UTF-8 would spell them."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes that `decoded` reads as ``text``."""
    return text.encode("utf-8", "surrogatepass")


def lines(text: str) -> list[list[str]]:
    """Return the lines of a text as lists of fields, a tag first."""
    return [line.split(FIELD) for line in text.split(LINE) if line]


def case_of(text: str, world: WorldSpec) -> Case | None:
    """Return the case that a text describes in ``world``; None without a usable grant or an op."""
    parsed = lines(text)
    ops = tuple(op for line in parsed if (op := _op(line)) is not None)[:_MOST_OPS]
    granted = grant_of(frozenset(_entries(parsed)))
    if granted is None or not ops:
        return None
    return Case(granted, _world(parsed, world), ops, (UNNAMED,) * len(ops), "generated")


def _entries(parsed: Iterable[list[str]]) -> Iterator[tuple[int, str, str]]:
    for number, (tag, *fields) in enumerate(parsed):
        if tag == _NOTHING:
            yield number, tag, ""
        elif (tag in _LISTS or tag in _BUDGETS) and fields:
            yield number, tag, fields[0]


@lru_cache(maxsize=4096)
def grant_of(entries: frozenset[tuple[int, str, str]]) -> Capabilities | None:
    """Return the grant of numbered entries, the comfortable one where no list has any."""
    made: dict[str, Any] = {}
    for _, tag, value in sorted(entries):
        if tag == _NOTHING:
            made.setdefault("fs_read", [])
        elif tag in _LISTS:
            made.setdefault(_LISTS[tag], []).append(value)
        else:
            made[_BUDGETS[tag]] = _number(value)
    budgets = {name: getattr(COMFORTABLE, name) for name in _BUDGETS.values()} | made
    if not made.keys() & set(_LISTS.values()):
        return replace(COMFORTABLE, **budgets)
    try:
        return Capabilities(**budgets)
    except GrantError:
        return None


def _world(parsed: Iterable[list[str]], world: WorldSpec) -> WorldSpec:
    links = {line[1]: line[2] for line in parsed if line[0] == "L" and len(line) == 3}  # noqa: PLR2004
    ticks = next((line[1] for line in parsed if line[0] == "@" and len(line) > 1), None)
    if not links and ticks is None:
        return world
    usable = {path: to for path, to in links.items() if path.startswith("/") and "\0" not in path}
    readings = () if ticks is None else tuple(map(_tick, ticks.split()))
    linked = replace(world, links={**world.links, **usable}, ticks=readings)
    return linked if linked.can_stand() else replace(world, ticks=readings)


def _number(text: str) -> int:
    known = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if known else 0


def _tick(text: str) -> int:
    return -_number(text[1:]) if text.startswith("-") else _number(text)


def _op(line: list[str]) -> object | None:
    tag, *fields = line
    if tag not in _OPS:
        return None
    return _OPS[tag](*fields, "", "") if tag != "t" else _tool(fields)


def _tool(fields: list[str]) -> object:
    name, *arguments = fields or [""]
    return ("tool", name, *map(_argument, arguments))


def _argument(text: str) -> object:
    return min(_number(text[1:]), _MOST_ASKED) if text.startswith("#") else text


def _said(argument: object) -> str:
    return f"#{argument}" if isinstance(argument, int) else str(argument)


_OPS: dict[str, Callable[..., object]] = {
    "r": lambda path, *_: ("fs_read", path),
    "w": lambda path, data, *_: ("fs_write", path, data.encode("utf-8", "surrogatepass")),
    "f": lambda host, path, *_: ("net_fetch", host, path),
    "t": lambda *_: None,
}


def text_of(case: Case, world: WorldSpec) -> str | None:
    """Return the text of a case, None where it has ops, links or a clock that no line can say."""
    ops = [_line(op) for op in case.ops]
    spoken = [one for one in ops if one is not None]
    if len(spoken) < len(ops) or len(ops) > _MOST_OPS or case.world.at_once:
        return None
    whole = LINE.join([*grant_lines(case.grant), *_world_lines(case.world, world), *spoken])
    read = case_of(whole, world)
    return whole if read is not None and repr(_flat(read.ops)) == repr(_flat(case.ops)) else None


def _flat(ops: Iterable[object]) -> list[object]:
    """Return ops with the data of a write as text: which of both it was makes no difference."""
    return [
        tuple(decoded(part) if isinstance(part, bytes) else part for part in op)
        if isinstance(op, tuple)
        else op
        for op in ops
    ]


def grant_lines(grant: Capabilities) -> Iterator[str]:
    """Yield the lines that describe a grant, none for the comfortable one."""
    if grant == COMFORTABLE:
        return
    if not any(getattr(grant, name) for name in _LISTS.values()):
        yield _NOTHING
    for tag, name in _LISTS.items():
        values = getattr(grant, name)
        yield from (f"{tag}{FIELD}{value}" for value in (sorted(values) if tag == "T" else values))
    for tag, name in _BUDGETS.items():
        if getattr(grant, name) != getattr(COMFORTABLE, name):
            yield f"{tag}{FIELD}{getattr(grant, name)}"


def _world_lines(world: WorldSpec, base: WorldSpec) -> Iterator[str]:
    for path, to in world.links.items():
        if base.links.get(path) != to:
            yield f"L{FIELD}{path}{FIELD}{to}"
    if world.ticks:
        yield f"@{FIELD}{' '.join(map(str, world.ticks))}"


def _line(op: object) -> str | None:
    match op:
        case ("fs_read", str(path)):
            return f"r{FIELD}{path}"
        case ("fs_write", str(path), str() | bytes() as data):
            return f"w{FIELD}{path}{FIELD}{decoded(data) if isinstance(data, bytes) else data}"
        case ("net_fetch", str(host), str(path)):
            return f"f{FIELD}{host}{FIELD}{path}"
        case ("tool", str(name), *rest) if all(type(one) in (str, int) for one in rest):
            return FIELD.join(["t", name, *map(_said, rest)])
        case _:
            return None

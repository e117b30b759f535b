"""
The tightest grant under which a recorded run passes.

Each file by itself, or its folder where two or more files of that folder were used and nothing is
to be said against it; never a folder above that, so that a grant does not grow with a run. Exact
hosts and tools, and as budgets what was used. What `capfuzz lint` calls an error is left out, and
so is what no grant can allow; both are told.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from capfuzz.attacks.naive import climbs
from capfuzz.engine import Capabilities
from capfuzz.engine.hosts import normal_host
from capfuzz.engine.paths import is_wellformed
from capfuzz.gate.grants.calls import is_plain
from capfuzz.gate.grants.linter import remarks_on
from capfuzz.gate.grants.rules import ERROR, NOTE, ancestors, entry
from capfuzz.gate.grants.trial import Asked, Trial, tried
from capfuzz.gate.toml import written
from capfuzz.targets.given import short
from capfuzz.targets.grant_file import BUDGETS, LISTS

_NO_LIMIT = 10**18
_NO_SHAPE = "it is no op of a known shape"
_KEYS = {
    "fs_read": "fs_read",
    "fs_write": "fs_write",
    "net_fetch": "net_hosts",
    "tool": "allowed_tools",
}


class Suggestion(NamedTuple):
    """A grant as a file, the calls that it leaves out and why, and how the run fares under it."""

    text: str
    left_out: Mapping[int, str]
    trial: Trial


def tightest(asked: Sequence[Asked], name: str) -> Suggestion:
    """Return the tightest grant for the calls that are not marked; ``name`` is the run's."""
    left_out = {
        one.number: reason for one in asked if not one.marked and (reason := _reason(one.ops))
    }
    kept = [one for one in asked if not one.marked and one.number not in left_out]
    others = [one for one in asked if one.marked or one.number in left_out]
    lists: dict[str, Any] = {key: sorted(_entries(key, kept, others)) for key in LISTS}
    wide = Capabilities(**lists | dict.fromkeys(BUDGETS, _NO_LIMIT))
    used = tried(asked, wide)
    budgets = {"max_ops": used.ops, "max_output_bytes": used.output_bytes, "max_wall": used.elapsed}
    recorded = {key: value for key, value in budgets.items() if value}
    trial = tried(asked, Capabilities(**lists | recorded))
    heading = f"The tightest grant for {len(kept)} of the {len(asked)} calls of {short(name)}."
    text = _text((heading, *_told(left_out, trial), *_doubtful(lists)), lists, recorded)
    return Suggestion(text, left_out, trial)


def _reason(ops: Iterable[Any]) -> str:
    """Return why no grant worth writing allows a call, empty where one does."""
    return next(filter(None, map(_reason_of_one, ops)), "")


def _reason_of_one(op: Any) -> str:
    if not is_plain(op):
        return _NO_SHAPE
    match op:
        case ("fs_read", path) | ("fs_write", path, str() | bytes()):
            if climbs(path):
                return "its path has a '..' segment"
            if not is_wellformed(path):
                return "its path is relative or empty, or has a control or a lone surrogate"
        case ("net_fetch", host, str()):
            if normal_host(host) is None:
                return "its host is not spelt as a plain host name or address"
        case ("tool", name, *_):
            if not name or not _is_text(name):
                return "its tool has no name that can be written down"
        case _:
            return _NO_SHAPE
    said = remarks_on(entry(_KEYS[op[0]], 0, op[1]))
    return next((f"{one.rule.id} {one.what}" for one in said if one.severity is ERROR), "")


def _is_text(name: str) -> bool:
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def _entries(key: str, kept: Sequence[Asked], others: Sequence[Asked]) -> set[str]:
    wanted = set(_named(key, kept))
    if not key.startswith("fs_"):
        return wanted
    unwanted = {place for path in _named(key, others) for place in (path, *ancestors(path))}
    by_folder: dict[str, set[str]] = {}
    for path in wanted:
        by_folder.setdefault(next(ancestors(path)), set()).add(path)
    for folder, paths in by_folder.items():
        if len(paths) > 1 and folder not in unwanted and _may_stand(key, folder):
            wanted = wanted - paths | {folder}
    return {path for path in wanted if not wanted.intersection(ancestors(path))}


def _named(key: str, asked: Iterable[Asked]) -> Iterator[str]:
    """Yield the plain form of what the calls name, where it has one."""
    for op in (op for one in asked for op in one.ops):
        if is_plain(op) and _KEYS.get(op[0]) == key:
            yield entry(key, 0, op[1]).plain


def _may_stand(key: str, folder: str) -> bool:
    """Tell whether a folder may stand for files in it: nothing is to be said against it."""
    return all(one.severity is NOTE for one in remarks_on(entry(key, 0, folder)))


def _told(left_out: Mapping[int, str], trial: Trial) -> Iterator[str]:
    for number, reason in left_out.items():
        yield f"Left out: call {number}: {short(reason)}"
    for one in trial.judged:
        if one.allowed and (one.asked.marked or one.asked.number in left_out):
            yield f"Allowed all the same: call {one.asked.number}, which asks for nothing else."


def _doubtful(lists: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what is to be said against an entry that the run needed all the same."""
    for key, names in lists.items():
        for one in (one for name in names for one in remarks_on(entry(key, 0, name))):
            if one.severity is not NOTE:
                yield f"Needed, but look at it: {key}: {one.rule.id} {one.what}"


def _text(words: Sequence[str], lists: Mapping[str, list[str]], budgets: Mapping[str, int]) -> str:
    lines = [f"# {word}" for word in words]
    for key, names in lists.items():
        if len(names) > 1:
            lines += [f"{key} = [", *(f"  {written(name)}," for name in names), "]"]
        else:
            lines.append(f"{key} = [{''.join(map(written, names))}]")
    lines += [f"{key} = {value}" for key, value in budgets.items()]
    if "max_output_bytes" not in budgets:
        lines.append("# max_output_bytes: no output was recorded")
    if "max_wall" not in budgets:
        lines.append("# max_wall: no ticks were recorded")
    return "\n".join(lines) + "\n"

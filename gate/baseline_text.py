"""The text of a baseline, edited so that what a person wrote beside the entries stays."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from capfuzz.gate.baseline import LIST, Entry, is_json, parsed
from capfuzz.gate.errors import UsageError
from capfuzz.gate.toml import written

_HEADER = re.compile(rf"\s*\[\[\s*{LIST}\s*\]\]\s*(#.*)?")


def edited(
    path: str,
    text: str,
    old: Sequence[Entry],
    fates: Sequence[Entry | None],
    new: Sequence[Entry],
) -> str:
    """
    Return ``text`` with each of its ``old`` entries as ``fates`` says, and with ``new`` ones added.

    A fate is the entry itself, another one in its place, or None. Raises `UsageError` where that
    cannot be done without touching the rest.
    """
    wanted = (*filter(None, fates), *new)
    made = _as_json(wanted) if is_json(path) else _as_toml(text, old, fates, new)
    if made is None or parsed(path, made) != wanted:
        raise UsageError(
            f"{path}: cannot be edited without touching the rest; write each entry as a table of "
            f"its own, under [[{LIST}]]"
        )
    return made


def _as_json(entries: Sequence[Entry]) -> str:
    told = [dict(_values(one)) for one in entries]
    return json.dumps({LIST: told}, indent=2, default=date.isoformat, ensure_ascii=False) + "\n"


def _as_toml(
    text: str, old: Sequence[Entry], fates: Sequence[Entry | None], new: Sequence[Entry]
) -> str | None:
    lines = text.splitlines(keepends=True)
    spans = list(_spans(lines))
    if len(spans) != len(old):
        return None
    for (first, header, end), before, after in reversed(
        list(zip(spans, old, fates, strict=True))
    ):  # from the end, so that the numbers of the lines stay right
        if after is None:
            lines[first : _past_blank(lines, end)] = []
        elif after is not before:
            lines[header:end] = [_table(after)]
    return "\n".join(["".join(lines), *map(_table, new)]).lstrip("\n")


def _spans(lines: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield for each entry the first line of the comment above it, its header, and its end."""
    headers = [number for number, line in enumerate(lines) if _HEADER.fullmatch(line.rstrip())]
    starts = [_comment_above(lines, header) for header in headers]
    for start, header, limit in zip(starts, headers, [*starts, len(lines)][1:], strict=True):
        end = limit
        while _is_loose(lines[end - 1]):
            end -= 1
        yield start, header, end


def _comment_above(lines: Sequence[str], header: int) -> int:
    while header and lines[header - 1].lstrip().startswith("#"):
        header -= 1
    return header


def _is_loose(line: str) -> bool:
    """Tell whether a line is blank or a comment."""
    return not line.strip() or line.lstrip().startswith("#")


def _past_blank(lines: Sequence[str], end: int) -> int:
    while end < len(lines) and not lines[end].strip():
        end += 1
    return end


def _table(entry: Entry) -> str:
    """Return an entry as a table of TOML."""
    said = (f"{name} = {written(value)}\n" for name, value in _values(entry))
    return f"[[{LIST}]]\n{''.join(said)}"


def _values(entry: Entry) -> Iterator[tuple[str, Any]]:
    for name in Entry.__dataclass_fields__:
        value = getattr(entry, name)
        if value is not None:
            yield name, value

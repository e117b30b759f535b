"""
Where the keys of a TOML document stand, and the entries of their arrays.

`tomllib` does not say. Only what separates one value from the next is looked at: where the text is
no TOML, what comes out means nothing.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
    \#[^\n]*
    | \"{3}(?:\\.|[^\\])*?(?:\"{3,5}|\Z) | '{3}.*?(?:'{3,5}|\Z)
    | "(?:\\.|[^"\\])*+"? | '[^']*+'?
    | [\[\]{}=,]
    | [^\s\[\]{}=,"'\#]+
    """,
    re.DOTALL | re.VERBOSE,
)
_MOST_DOTS = 100  # outside of strings


class Lines(NamedTuple):
    """The line of a key, counted from 1, and of each entry where its value is an array."""

    key: int
    entries: tuple[int, ...] = ()


class _Token(NamedTuple):
    line: int
    text: str


def is_deep(text: str) -> bool:
    """Tell whether a text has so many dotted keys that `tomllib` takes gigabytes for them."""
    bare = (token for _, token in _tokens(text) if token[0] not in "\"'")
    return sum(token.count(".") for token in bare) > _MOST_DOTS


def lines(text: str) -> dict[str, Lines]:
    """Return where each key of a document stands, by the last part of its name."""
    tokens = [*_tokens(text)]
    found = {}
    for at, token in enumerate(tokens):
        if token.text == "=":
            line, name = tokens[at - 1]
            found[name.rpartition(".")[2].strip("\"'")] = Lines(line, _entries(tokens, at + 1))
    return found


def _tokens(text: str) -> Iterator[_Token]:
    line, seen = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        if not match[0].startswith("#"):
            yield _Token(line, match[0])


def _entries(tokens: list[_Token], start: int) -> tuple[int, ...]:
    """Return the line of each entry of the array that begins at ``start``, none for other values."""
    if tokens[start].text != "[":
        return ()
    found, depth, fresh = [], 0, True
    for token in tokens[start:]:
        if token.text in "]}":
            depth -= 1
            if not depth:
                break
        elif fresh and depth == 1:
            found.append(token.line)
            fresh = False
        if token.text in "[{":
            depth += 1
        fresh = fresh if token.text == "[" and depth == 1 else token.text == "," and depth == 1
    return tuple(found)

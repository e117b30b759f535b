"""
Hostile text made harmless to read: nothing in it reaches a browser or Markdown.

Everything beyond printable ASCII is written as an escape, which also shows what a font hides.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

_MOST = 240  # characters of one op that are shown
_MOST_NAMES = 4
# `unicodedata` has no names for control characters.
_CONTROLS = {"\0": "NULL", "\t": "TAB", "\n": "LINE FEED", "\r": "CARRIAGE RETURN"}


def code(value: Any) -> str:
    """Return a JSON value as an HTML code element, cut where it is long."""
    return _code(json.dumps(value))


def hint(text: str) -> str:
    """Return a text as an HTML code element, without the quotes of JSON."""
    return _code(json.dumps(text)[1:-1])


def prose(text: str) -> str:
    """Return a docstring's text, with what stands in double backticks as code."""
    words = re.split(r"``(.+?)``", text)
    words[1::2] = [f"<code>{markup(word)}</code>" for word in words[1::2]]
    words[::2] = [markup(word) for word in words[::2]]
    return "".join(words)


def markup(text: str) -> str:
    """Return text that neither HTML nor Markdown takes for markup."""
    return re.sub(r"[^\w\s.,;()/…-]", lambda sign: f"&#{ord(sign[0])};", text).replace("_", "&#95;")


def _code(text: str) -> str:
    text = text.replace("\x7f", "\\u007f")
    cut = f"{text[:_MOST]} … ({len(text):,} characters)" if len(text) > _MOST else text
    return f"<code>{markup(cut)}</code>"


def unseen(value: Any) -> str:
    """Name the characters of a JSON value that are not printable ASCII, each once."""
    odd = dict.fromkeys(one for text in _texts(value) for one in text if not " " <= one <= "~")
    names = [_name(one) for one in odd]
    return ", ".join(names[:_MOST_NAMES] + ["…"] * (len(names) > _MOST_NAMES))


def _name(character: str) -> str:
    name = unicodedata.name(character, _CONTROLS.get(character, ""))
    return f"U+{ord(character):04X} {name}".strip()


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            yield from _texts([*value, *value.values()])

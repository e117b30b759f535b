"""One careless tool guard or more for each technique of tools: what the technique is to find."""

import difflib
import fnmatch
import html
import re
import unicodedata
from posixpath import basename
from urllib.parse import unquote, unquote_plus

from .sloppy_hosts import (
    LIKE,
    accents_dropped,
    as_like,
    as_regex,
    ascii_only,
    backspaced,
    same,
    unseen_dropped,
)

_IMPLICIT = {
    "help",
    "list_tools",
    "tools/list",
    "think",
    "final_answer",
    "bash",
    "python",
}
_SEPARATOR = r"__|::|->|[._\-/:#@?]"
_DEFAULTS = {"", ".", "None", "null", "default", "0"}


def has_attribute(_granted, name):
    """Find the name among the attributes of some object, or of one of another language."""
    return any(hasattr(one, name) for one in ({}, print)) or name in {
        "run",
        "constructor",
        "__proto__",
        "toString",
        "_tools",
        "eval",
        "getattr",
    }


def strips_dunder(name):
    """Take underscores and a dotted rest away."""
    return name.strip("_").partition(".")[0]


def words(name):
    """Split a name of any style into words."""
    return [word.lower() for word in re.findall("[A-Z]?[a-z]+|[A-Z]+", name)]


def length_asserted(_granted, name):
    """Take for granted that names are short."""
    assert len(name) < 256
    return False


RAISING = {length_asserted}

GUARDS = {
    "outside-tool": [lambda granted, name: True],
    "implicit-tool": [lambda granted, name: name in _IMPLICIT],
    "tool-prefix": [lambda granted, name: name.startswith(granted)],
    "tool-suffix": [lambda granted, name: name.endswith(granted)],
    "tool-infix": [lambda granted, name: granted in name],
    "tool-part": [lambda granted, name: name in granted],
    "tool-nothing": [lambda granted, name: name.strip() in _DEFAULTS],
    "tool-near": [lambda granted, name: bool(difflib.get_close_matches(name, [granted]))],
    "tool-pattern": [
        fnmatch.fnmatchcase,
        as_regex,
        as_like,
        lambda granted, name: name == "all",
    ],
    "tool-list": [lambda granted, name: granted in re.split(r"[,; |+\n&]+", name)],
    "tool-call-text": [
        lambda granted, name: granted in re.findall(r"\w+", name),
        lambda granted, name: name.startswith("$("),
    ],
    "tool-namespace": [same(lambda name: re.split(_SEPARATOR, name)[-1])],
    "tool-member": [same(lambda name: re.split(_SEPARATOR, name)[0])],
    "tool-separator": [same(lambda name: re.sub(r"[._\-/: ]", "", name))],
    "tool-camel": [same(words)],
    "tool-path": [
        same(lambda name: basename(name.replace("\\", "/")).partition(".")[0]),
        same(lambda name: name.partition("/")[0]),
    ],
    "tool-escaped": [
        same(lambda name: html.unescape(unquote(unquote(name))).rstrip("\0")),
        same(lambda name: unquote_plus(name).strip()),
        same(lambda name: name.encode().decode("unicode_escape")),
    ],
    "tool-attribute": [has_attribute, same(strips_dunder)],
    "tool-op-kind": [lambda granted, name: name in {"fs_read", "fs_write", "net_fetch", "tool"}],
    "tool-case": [same(str.lower)],
    "tool-case-unicode": [same(str.upper)],
    "tool-compatible": [same(lambda name: unicodedata.normalize("NFKC", name))],
    "tool-homograph": [
        same(lambda name: name.translate(LIKE)),
        same(accents_dropped),
        same(ascii_only),
    ],
    "tool-ignorable": [same(unseen_dropped)],
    "tool-blank": [
        same(lambda name: "".join(name.split())),
        lambda granted, name: re.search(f"^{granted}$", name, re.MULTILINE),
    ],
    "tool-control": [
        lambda granted, name: granted in name.split("\0"),
        same(backspaced),
        same(lambda name: re.sub(r"\x1b\[[0-9]*m|\x7f", "", name)),
    ],
    "tool-unencodable": [length_asserted],
}

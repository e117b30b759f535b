"""
Spellings that can be made as long as one likes: of each technique, and of what parsers choke on.

A stretch is a head, a unit that is repeated, and a tail; the tail often spoils a match at the very
end, which is what makes a backtracking expression try everything.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from capfuzz.attacks.case import Behaviour, Case, WorldSpec
from capfuzz.attacks.naive import within
from capfuzz.attacks.vectors import Vector
from capfuzz.engine import Capabilities

_HOST = "api.internal"
_NOWHERE = "capfuzz-nothing-here"
_NO_END = 10**12


@dataclass(frozen=True, slots=True)
class Stretch:
    """A spelling of any length, and the case in which it is tried; ``at`` is where in the op."""

    name: str
    case: Case
    head: str
    unit: str
    tail: str
    at: int = 1

    @property
    def kind(self) -> object:
        """The kind of its op."""
        op: Any = self.case.ops[0]
        return op[0]

    def of(self, length: int) -> Case:
        """Return the case with about ``length`` characters of the unit."""
        text = self.head + self.unit * max(1, length // len(self.unit)) + self.tail
        op: Any = self.case.ops[0]
        return replace(self.case, ops=((*op[: self.at], text, *op[self.at + 1 :]),), verdicts=())


# name, before the unit, the unit, after it
_PATHS = (
    ("slashes", "/work", "/", "data.txt"),
    ("dot-segments", "/work/", "./", "data.txt"),
    ("dots-in-a-name", "/work/", ".", "x"),
    ("down-and-up", "/work/", "sub/../", "data.txt"),
    ("climbs", "/work/", "../", _NOWHERE),
    ("climbs-at-the-end", "/work/", "d/", "../../" + _NOWHERE),
    ("stripped-climbs", "/work/", "....//", _NOWHERE),
    ("deep", "/work/", "d/", "data.txt"),
    ("deep-and-broken-off", "/work/", "d/", "\n"),
    ("long-name", "/work/", "a", "!"),
    ("digits", "/work/", "7", "!"),
    ("words", "/work/", "a ", "!"),
    ("hyphens", "/work/", "a-", "!"),
    ("underscores", "/work/", "a_", "!"),
    ("extensions", "/work/", "a.", "!"),
    ("blanks", "/work/", " ", "x"),
    ("tabs", "/work/", "\t", "x"),
    ("line-ends", "/work/", "\n", "x"),
    ("nuls", "/work/", "\0", "x"),
    ("percent-25", "/work/", "%25", "2e"),
    ("percent-dots", "/work/", "%2e%2e%2f", _NOWHERE),
    ("percents", "/work/", "%", "x"),
    ("backslashes", "/work/", "\\", "x"),
    ("backslash-climbs", "/work/", "..\\", _NOWHERE),
    ("combining-marks", "/work/e", "\u0301\u0316", "x"),
    ("fullwidth-climbs", "/work/", "\uff0e\uff0e\uff0f", _NOWHERE),
    ("ligatures", "/work/", "\ufdfa", "x"),
    ("surrogates", "/work/", "\ud800", "x"),
    ("semicolons", "/work/", ";/", "data.txt"),
    ("brackets", "/work/", "[", "x"),
    ("braces", "/work/", "{a,", "x"),
    ("stars", "/work/", "*a", "x"),
    ("siblings", "/work", "shop", "/data.txt"),
    ("roots", "", "/work", "/data.txt"),
)
_URLS = (
    ("labels", "http://", "a.", "api.internal/"),
    ("long-label", "http://", "a", ".internal/"),
    ("long-label-and-broken-off", "http://", "a", "!/"),
    ("hyphens", "http://", "a-", "!/"),
    ("dots", "http://api.internal", ".", "/"),
    ("ats", "http://", "@", "api.internal/"),
    ("userinfos", "http://", "a@", "api.internal/"),
    ("long-userinfo", "http://", "a", "@example.org/"),
    ("passwords", "http://", "a:", "@example.org/"),
    ("colons", "http://api.internal", ":", "80/"),
    ("port-digits", "http://api.internal:", "0", "80/"),
    ("digits", "http://", "1", "/"),
    ("octal-zeros", "http://", "0", "177.0.0.1/"),
    ("hex-zeros", "http://0x", "0", "7f000001/"),
    ("numbers", "http://", "1.", "1/"),
    ("ipv6-groups", "http://[", "0:", "1]/"),
    ("ipv6-zone", "http://[::1%25", "a", "]/"),
    ("brackets", "http://", "[", "]/"),
    ("percent-25", "http://", "%25", ".internal/"),
    ("percent-letters", "http://", "%61", ".internal/"),
    ("backslashes", "http:", "\\", "api.internal/"),
    ("tabs", "http://api", "\t", ".internal/"),
    ("blanks", "http://api.internal", " ", "!/"),
    ("fullwidth", "http://", "\uff41", ".internal/"),
    ("combining-marks", "http://e", "\u0301\u0316", ".internal/"),
    ("ligatures", "http://", "\ufdfa", ".internal/"),
    ("soft-hyphens", "http://api", "\u00ad", ".internal/"),
    ("umlauts", "http://", "\u00fc", ".internal/"),
    ("punycode", "http://xn--", "a", ".internal/"),
    ("punycode-labels", "http://", "xn--a.", "internal/"),
    ("slashes", "http:", "/", "api.internal/"),
    ("schemes", "", "http:", "//api.internal/"),
    ("scheme-letters", "", "a+", "://api.internal/"),
    ("path", "http://api.internal/", "a/", "!"),
    ("queries", "http://api.internal/", "?a=", "!"),
    ("fragments", "http://api.internal/", "#a", "!"),
)
_TOOLS = (
    ("letters", "lookup", "s", ""),
    ("dots", "lookup", ".", "x"),
    ("blanks", "lookup", " ", "x"),
    ("capitals", "lookup", "\u0130", ""),
    ("combining-marks", "lookup", "\u0301\u0316", ""),
)
_WORLD = WorldSpec(
    files={"/work/data.txt": b"data", "/work/sub/file.txt": b"file", "/workshop/data.txt": b"no"},
    hosts={_HOST: {"/": "ok"}, "example.org": {"/": "no"}},
    tools={"lookup": Behaviour.ECHO},
)


def stretches(vectors: Iterable[Vector]) -> Iterator[Stretch]:
    """Yield what parsers choke on, then one spelling of every technique among the vectors."""
    read = Capabilities(fs_read=("/work",), max_output_bytes=_NO_END)
    write = Capabilities(fs_write=("/work",), max_output_bytes=_NO_END)
    fetch = Capabilities(net_hosts=(_HOST,), max_output_bytes=_NO_END)
    call = Capabilities(allowed_tools=("lookup",), max_output_bytes=_NO_END)
    yield from _of("path", _PATHS, _case(read, ("fs_read", "")))
    yield from _of("write", _PATHS, _case(write, ("fs_write", "", b"data")))
    yield from _of("url", _URLS, _case(fetch, ("url", "")))
    yield from _of("host", _names(), _case(fetch, ("net_fetch", "", "/")))
    yield from _of("route", [("letters", "/", "a", "")], _case(fetch, ("net_fetch", _HOST, "")), 2)
    yield from _of("tool", _TOOLS, _case(call, ("tool", "", "word")))
    yield from _techniques(vectors)


def plain_twin(text: str, kept: str = "") -> str:
    """
    Return a text of the same length and with the same segments, in which nothing is special.

    A scheme, or a prefix ``kept``, stays as it is.
    """
    scheme = re.match(r"[a-z]+://", text)
    head = kept if text.startswith(kept) and kept else scheme[0] if scheme else ""
    return head + re.sub(r"[^/.]|\.(?=[./]|\Z)", "a", text[len(head) :])


def _case(grant: Capabilities, op: tuple[object, ...]) -> Case:
    return Case(grant, _WORLD, (op,), ("",), "complexity")


def _of(
    where: str, table: Iterable[tuple[str, str, str, str]], case: Case, at: int = 1
) -> Iterator[Stretch]:
    for name, head, unit, tail in table:
        full = f"longer-{where}-{name}"
        yield Stretch(full, replace(case, techniques=(full,)), head, unit, tail, at)


def _names() -> Iterator[tuple[str, str, str, str]]:
    """Yield what stands between scheme and path in the URLs: a session is given hosts."""
    for name, head, unit, tail in _URLS:
        if head.startswith("http://") and tail.endswith("/"):
            yield name, head.removeprefix("http://"), unit, tail.removesuffix("/")


def _techniques(vectors: Iterable[Vector]) -> Iterator[Stretch]:
    """Yield for each technique the spelling of its first vector, what is hostile in it repeated."""
    seen = set()
    for vector in vectors:
        if vector.is_control or len(vector.case.ops) != 1:
            continue
        stretch = _repeated(vector, vector.case.ops[0])
        if stretch is not None and (vector.technique, stretch.kind) not in seen:
            seen.add((vector.technique, stretch.kind))
            yield stretch


def _repeated(vector: Vector, op: object) -> Stretch | None:
    match op:
        case ("fs_read", str(text)) | ("fs_write", str(text), _):
            roots = (*vector.case.grant.fs_read, *vector.case.grant.fs_write)
            head = next((root for root in roots if within(text, [root])), "").rstrip("/") + "/"
            return _whole(vector, head, text[len(head) :] + "/")
        case ("net_fetch", str(text), _):
            return _whole(vector, "", text + ".")
        case ("url", str(text)):
            scheme, mark, rest = text.partition("://")
            return _whole(vector, scheme + mark, rest)
        case ("tool", str(text), *_):
            return _whole(vector, "", text)
    return None


def _whole(vector: Vector, head: str, unit: str) -> Stretch | None:
    if not unit.strip("/."):
        return None  # stands in the tables
    return Stretch(vector.technique, vector.case, head, unit, "")

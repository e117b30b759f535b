"""How a path of the world is put to a function, so that nobody is sent to the machine's own files."""

import os
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import accumulate
from urllib.parse import unquote

from capfuzz.attacks.naive import MAX_LINKS

_MOST_DECODINGS = 5
_TRIMMED = frozenset(" \"'")
# Schemes and drives, an authority after a scheme, then the slashes that make a path absolute.
_ABSOLUTE = re.compile(r"(?:(?:\w[\w.+-]*:)+(?://[^/]*)?|(?:\./)+)?/+")
_PLAIN = re.compile(r"[\w-][\w .:-]*", re.ASCII)


def handed(path: str, root: str, floor: str) -> str:
    """
    Return what the function is given for a path of the world: the rest after the root.

    Whatever some reader would take as absolute is moved below ``floor``, the world's ``/``:
    percent-encoded or fullwidth slashes, backslashes, schemes, drives, blanks before a slash.
    """
    rest = _rest(path, root)
    lead = _lead(rest)
    return f"{rest[:lead]}{floor.strip('/')}/{rest[lead:]}" if lead else rest


def askable(path: str, root: str) -> bool:
    """
    Tell whether `handed` can move ``path`` without changing what it means.

    Not so where only a lenient reader takes it for absolute and it climbs further on, and not
    for ``~user`` of one that this machine has.
    """
    rest = _rest(path, root)
    lead = 0 if rest.startswith("/") else _lead(rest)
    climbs = lead > 0 and ".." in rest[lead:].split("/")
    return not (climbs or _names_a_user(_read(rest)))


def may_leave(path: str) -> bool:
    """
    Tell whether some reader of ``path`` may climb above ``/``, dots that a filter frees included.

    A segment that is not plainly a name counts as a climb, so the answer errs on the safe side.
    """
    text = decoded(path)
    return _climbs_above(text) or _climbs_above(text.replace("\\", "/"))


def links_may_leave(links: Mapping[str, str], paths: Iterable[str]) -> bool:
    """
    Tell whether a link, or a path on its way through links, may climb above ``/``.

    A path is followed as it stands and as its most lenient reader has it.
    """
    asked = [*links, *(text for path in paths for text in (path, _read(path)))]
    return any(_leaves(path, links) for path in asked)


def _leaves(path: str, links: Mapping[str, str]) -> bool:
    place: list[str] = []
    pending, followed = path.split("/")[::-1], 0
    while pending and followed <= MAX_LINKS:
        name = pending.pop()
        if name == ".." and not place:
            return True
        if name == "..":
            place.pop()
        elif name not in {"", "."}:
            place.append(name)
            target = links.get("/" + "/".join(place))
            if target is not None:
                place = [] if target.startswith("/") else place[:-1]
                pending, followed = pending + target.split("/")[::-1], followed + 1
    return False


def levels_up(path: str) -> int:
    """Return how many levels some reader of ``path`` may climb in all, what it descends left aside."""
    return -sum(min(0, _steps(name)) for name in _read(path).split("/"))


def read_names(path: str) -> list[str]:
    """Return the names in a path as its most lenient reader parts it, at a NUL too; no dots."""
    return [name for name in re.split(r"[/\0]", _read(path)) if name.strip(". ")]


def _climbs_above(path: str) -> bool:
    return min(accumulate(map(_steps, path.split("/")))) < 0


def _steps(name: str) -> int:
    """Return how many levels a segment leads down; up is negative."""
    if name in {"", "."}:
        return 0
    if ".." not in name and _PLAIN.fullmatch(name):
        return 1
    return -1 if not name.strip(".") else -max(1, name.count(".."))


def _names_a_user(text: str) -> bool:
    name = text.partition("\0")[0]  # some readers stop there
    if name[:1] != "~" or name[1:2] in {"", "/"}:
        return False
    try:
        return os.path.expanduser(name) != name
    except ValueError:  # a lone surrogate names nobody
        return False


def _rest(path: str, root: str) -> str:
    prefix = root.rstrip("/") + "/"
    if path.rstrip("/") == root.rstrip("/"):
        return ""
    return path.removeprefix(prefix)


def decoded(path: str) -> str:
    """Return ``path`` percent-decoded and normalised (NFKC) until nothing changes."""
    for _ in range(_MOST_DECODINGS):
        before, path = path, unicodedata.normalize("NFKC", unquote(path))
        if before == path:
            break
    return path


def _read(path: str) -> str:
    """Return ``path`` as a reader does that decodes it and takes backslashes for slashes."""
    return decoded(path).replace("\\", "/")


def _lead(rest: str) -> int:
    """Return the length of what makes ``rest`` absolute for its most lenient reader; 0 if it is not."""
    read = _read(rest)
    trimmed = read.lstrip("".join(filter(_is_trimmed, set(read))))
    match = _ABSOLUTE.match(read, len(read) - len(trimmed))
    if match is None:
        return 0
    lead = read[: match.end()]
    if rest.replace("\\", "/").startswith(lead):
        return len(lead)
    return 1 + bisect_left(
        range(1, len(rest) + 1), x=True, key=lambda end: _read(rest[:end]).startswith(lead)
    )


def _is_trimmed(character: str) -> bool:
    return character in _TRIMMED or not character.isprintable()

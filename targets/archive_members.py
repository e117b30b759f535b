"""The members of an archive as an op describes them, and whether it is safe to unpack them here."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from capfuzz.targets.handing import handed, levels_up, read_names

KINDS = ("file", "dir", "link", "hardlink", "fifo", "device")
FORMATS = ("tar", "zip")
FLOOR = "{floor}"  # stands for the world's ``/`` where only a part of a name is absolute
_DEEPEST = 200  # names in a path
_NO_ROOT = "\0"
_MODE = 0o750  # unlike what is planted, so that a mode that is passed on outside shows
_MTIME = 1_000_000_000  # seconds; in 2001, long before anything was planted


@dataclass(frozen=True, slots=True)
class Member:
    """
    One member: ``body`` is a file's content or a link's target.

    ``options``: ``mode``, ``mtime``; for tar ``pax`` (pairs that override the header); for zip
    ``local`` (the name in the local header), ``utf8`` (that of the extra field 0x7075), ``deflate``
    and ``quotes`` (its data goes on with all the members after it).
    """

    kind: str
    name: str
    body: str | bytes = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        """The content as bytes."""
        return self.body if isinstance(self.body, bytes) else self.body.encode()

    @property
    def mode(self) -> int:
        """The permission bits."""
        return int(self.options.get("mode", _MODE))

    @property
    def mtime(self) -> int:
        """When it was last changed, in seconds since 1970."""
        return int(self.options.get("mtime", _MTIME))

    def texts(self) -> Iterator[str]:
        """Yield every text that somebody may take for a path."""
        yield self.name
        if self.kind in {"link", "hardlink"}:
            yield str(self.body)
        yield from (str(self.options[key]) for key in ("local", "utf8") if key in self.options)
        yield from (str(value) for key, value in self.pax() if key in {"path", "linkpath"})

    def pax(self) -> tuple[tuple[str, str], ...]:
        """Return the records of an extended header (POSIX pax)."""
        return tuple((str(key), str(value)) for key, value in self.options.get("pax", ()))


def members(op: object) -> tuple[Member, ...] | None:
    """Return what an op ``("unpack", FORMAT, MEMBERS)`` asks to be packed, None for another op."""
    match op:
        case ("unpack", str(form), tuple(described)) if form in FORMATS and described:
            made = [_member(one) for one in described]
            return tuple(one for one in made if one) if all(made) else None
        case _:
            return None


def _member(described: object) -> Member | None:
    match described:
        case (str(kind), str(name), str() | bytes() as body, *options) if kind in KINDS:
            pairs: Any = options
            try:
                return Member(kind, name, body, dict(pairs))
            except (TypeError, ValueError):
                return None
        case _:
            return None


def placed(member: Member, floor: str) -> Member:
    """Return the member with whatever is absolute in it moved below ``floor``, the world's ``/``."""
    options = {
        key: _moved(value, floor) if key in {"local", "utf8"} else value
        for key, value in member.options.items()
    }
    if "pax" in options:
        options["pax"] = tuple((key, _moved(value, floor)) for key, value in member.pax())
    linked = member.kind in {"link", "hardlink"}
    body = _moved(str(member.body), floor) if linked else member.body
    return Member(member.kind, _moved(member.name, floor), body, options)


def _moved(text: str, floor: str) -> str:
    return handed(text, _NO_ROOT, floor).replace(FLOOR, floor)


def harmless(packed: tuple[Member, ...], levels: int) -> bool:
    """
    Tell whether nobody who unpacks this can touch what the suite has not planted.

    No path is so deep that it could not be removed again.
    However it is misread, it climbs at most ``levels``, its own links followed; and where leading
    dots or names are taken off, so that what is left looks absolute, it names nothing that the
    machine has.
    """
    targets = defaultdict(list)
    for one in packed:
        if one.kind in {"link", "hardlink"}:
            targets[one.name.rstrip("/").rpartition("/")[2]].append(str(one.body))
    texts = [text for one in packed for text in one.texts()]
    taken = {name.casefold() for name in os.listdir("/")}
    named = {name.casefold() for one in packed for name in _names(one)}
    if any(len(read_names(text)) > _DEEPEST for text in texts):
        return False
    return not named & taken and all(_climb(text, targets, ()) <= levels for text in texts)


def loose_ends(packed: tuple[Member, ...]) -> frozenset[str]:
    """Return the names that would stand in the machine's ``/`` if somebody made them absolute."""
    return frozenset(name for one in packed for name in _names(one))


def _names(member: Member) -> Iterator[str]:
    for text in member.texts():
        yield from read_names(text)


def _climb(text: str, targets: Mapping[str, list[str]], seen: tuple[str, ...]) -> int:
    """Return how many levels a path may lead up, each link that it names followed once."""
    through = 0
    for name in text.split("/"):
        if name in targets and name not in seen:
            through += max(_climb(one, targets, (*seen, name)) for one in targets[name])
    return levels_up(text) + through


__all__ = ["FLOOR", "FORMATS", "KINDS", "Member", "harmless", "loose_ends", "members", "placed"]

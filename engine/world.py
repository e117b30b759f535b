"""
The world that an engine acts on: files, links and hosts, all in memory.

It is as lenient as a real one: paths resolve as POSIX says, and a host answers to every spelling
that a careless client would accept. Confinement is the sandbox's work, never the world's.
"""

import errno
from collections.abc import Mapping
from typing import Self

from capfuzz.engine.hosts import ascii_lower

_MAX_LINKS = 40  # what Linux allows in one resolution (path_resolution(7))
_IPV4_PARTS = 4
_HEX = "0123456789abcdef"


class NetError(ConnectionError, KeyError):
    """An unknown host or route; an adapter may expect either kind of error from a client."""

    __str__ = ConnectionError.__str__


class Redirect(str):
    """An answer that points elsewhere: its text, and the ``host`` and ``path`` it points to."""

    __slots__ = ("host", "path")
    host: str
    path: str

    def __new__(cls, host: str, path: str, text: str = "") -> Self:
        """Return the redirect; its text is ``text``, or names where it leads."""
        made = super().__new__(cls, text or f"302 {host}{path}")
        made.host, made.path = host, path
        return made


class VFS:
    """
    Files as ``{path: bytes}`` and symbolic links as ``{path: target}``; folders are implied.

    A backslash and ``%2e`` are ordinary characters. A relative path starts at ``/``.
    """

    def __init__(
        self,
        files: Mapping[str, bytes | str] | None = None,
        links: Mapping[str, str] | None = None,
    ) -> None:
        self._links: dict[str, str] = {}
        for path, target in (links or {}).items():
            self._links[self.resolve(path)] = target
        # Whether any link exists, so that a path without one need not be walked.
        self.has_links = bool(self._links)
        self._files: dict[str, bytes] = {}
        for path, data in (files or {}).items():
            self._files[self.resolve(path)] = data.encode() if isinstance(data, str) else data

    def resolve(self, path: str) -> str:
        """
        Return the place that ``path`` leads to, links followed; a missing part resolves too.

        Raises ``TypeError`` for a non-str, ``ValueError`` for NUL, ``OSError`` (ELOOP) for more
        than 40 links.
        """
        text = str.__str__(path)  # of a subclass, what it really holds
        if "\0" in text:
            raise ValueError("embedded null character in path")
        pending = text.split("/")[::-1]
        place = ""
        followed = 0
        while pending:
            name = pending.pop()
            if name in {"", "."}:
                continue
            if name == "..":
                place = place.rpartition("/")[0]
                continue
            entry = f"{place}/{name}"
            target = self._links.get(entry)
            if target is None:
                place = entry
                continue
            followed += 1
            if followed > _MAX_LINKS:
                raise OSError(errno.ELOOP, "too many levels of symbolic links")
            if target.startswith("/"):
                place = ""
            pending.extend(reversed(target.split("/")))
        return place or "/"

    def read(self, path: str) -> bytes:
        """Return the bytes at ``path``; raises ``FileNotFoundError`` and what `resolve` raises."""
        return self.read_place(self.resolve(path))

    def write(self, path: str, data: bytes) -> None:
        """Write ``data`` at ``path``, making the folders it needs; raises what `resolve` raises."""
        self.write_place(self.resolve(path), data)

    def exists(self, path: str) -> bool:
        """Tell whether ``path`` leads to a file or a folder."""
        try:
            place = self.resolve(path)
        except (OSError, ValueError):
            return False
        return place in self._files or self._is_folder(place)

    def read_place(self, place: str) -> bytes:
        """Return the bytes at a resolved place, without resolving it again."""
        try:
            return self._files[place]
        except KeyError:
            if self._is_folder(place):
                raise IsADirectoryError(errno.EISDIR, "is a folder") from None
            raise FileNotFoundError(errno.ENOENT, "no such file") from None

    def write_place(self, place: str, data: bytes) -> None:
        """Write ``data`` at a resolved place, without resolving it again."""
        if self._is_folder(place):
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        parent = place
        while parent := parent.rpartition("/")[0]:
            if parent in self._files:
                raise NotADirectoryError(errno.ENOTDIR, "a parent is a file")
        self._files[place] = data

    def snapshot(self) -> dict[str, bytes]:
        """Return a copy of every file, for comparing before with after."""
        return dict(self._files)

    def _is_folder(self, place: str) -> bool:
        return place == "/" or any(path.startswith(place + "/") for path in self._files)


class Net:
    """
    Hosts as ``{host: {path: answer}}``; ``calls`` holds every (host reached, path), in order.

    Case, one trailing dot and every spelling of an IPv4 address that ``inet_aton`` takes reach
    the same host, as with a lenient client.
    """

    def __init__(self, hosts: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self._hosts = {reached(host): dict(routes) for host, routes in (hosts or {}).items()}
        self.calls: list[tuple[str, str]] = []

    def fetch(self, host: str, path: str) -> str:
        """Return the answer of ``host`` at ``path``; raises `NetError`, the call recorded first."""
        place = reached(str.__str__(host))
        self.calls.append((place, path))
        return self.answer(place, path)

    def answer(self, place: str, path: str) -> str:
        """Return what the host that was reached says; raises `NetError`."""
        if place not in self._hosts:
            raise NetError("unknown host")
        if path not in self._hosts[place]:
            raise NetError("unknown route")
        return self._hosts[place][path]


def reached(host: str) -> str:
    """Return the host that a lenient client reaches when it is told ``host``."""
    name = ascii_lower(host).removesuffix(".")
    number = _inet_aton(name)
    return name if number is None else ".".join(map(str, number.to_bytes(4)))


def _inet_aton(text: str) -> int | None:
    """Read an IPv4 address as inet_aton(3) does: 1 to 4 parts; decimal, octal or hex."""
    parts = [_c_integer(part) for part in text.split(".")]
    if len(parts) > _IPV4_PARTS or None in parts:
        return None
    *heads, tail = (part for part in parts if part is not None)
    if any(head > 0xFF for head in heads) or tail >= 256 ** (_IPV4_PARTS - len(heads)):  # noqa: PLR2004
        return None
    return int.from_bytes(bytes(heads).ljust(_IPV4_PARTS, b"\0")) + tail


def _c_integer(text: str) -> int | None:
    base = 16 if text.startswith("0x") else 8 if text.startswith("0") else 10
    digits = text.removeprefix("0x")
    if not digits or digits.strip(_HEX):  # int() would take signs, blanks, "_", "0o" and "0x"
        return None
    try:
        return int(digits, base)
    except ValueError:
        return None

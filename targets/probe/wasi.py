"""
The probe as a guest of wasmtime: every call of WASI is made by a module of WebAssembly.

``wasi.py PREOPENS``: PREOPENS is a JSON file, a list of ``[place, writable]``. The module does nothing but
hand on calls with whatever it is given, as hostile code may make them: any descriptor, any text as
a path. So a place is asked for below the folder that it lies in, by its whole name, and by climbing
out of every folder that is open. Lines are those of probe.py. Source: WASI preview 1 (witx).
"""

import json
import os.path
import struct
import sys
from collections.abc import Callable, Iterator
from typing import Any

import wasmtime

_MOST_BYTES = 256 * 1024  # of one answer
_MOST_FD = 64
_FIRST = 3  # descriptors below are the standard streams
_PATH, _OTHER, _OUT, _DATA = 1024, 16_384, 32_768, 65_536  # where in the guest's memory
_FOLLOW, _CREATE, _FOLDER, _TRUNCATE, _APPEND = 1, 1, 2, 8, 1
_READ, _WRITE, _ALL = 1 << 1, 1 << 6, (1 << 30) - 1  # rights
_TIMES = 1 | 4  # fstflags: both as given
_NOT_CAPABLE, _NAME_TOO_LONG = 76, 37
_SECOND = 1_000_000_000  # nanoseconds
# By call: its parameters, i for i32 and I for i64; each returns an errno.
_CALLS = {
    "path_open": "iiiiiIIii",
    "path_filestat_get": "iiiii",
    "path_filestat_set_times": "iiiiIIi",
    "path_rename": "iiiiii",
    "path_link": "iiiiiii",
    "path_symlink": "iiiii",
    "path_create_directory": "iii",
    "path_unlink_file": "iii",
    "path_remove_directory": "iii",
    "fd_read": "iiii",
    "fd_write": "iiii",
    "fd_readdir": "iiiIi",
    "fd_filestat_get": "ii",
    "fd_filestat_set_size": "iI",
    "fd_filestat_set_times": "iIIi",
    "fd_close": "i",
    "environ_sizes_get": "ii",
    "environ_get": "ii",
}


class Refused(Exception):  # noqa: N818 - an answer, not an error of ours
    """A call returned an errno of WASI."""


def module() -> str:
    """Return the guest in the text format: its memory, and one function for each call."""
    lines = [_imported(name, kinds) for name, kinds in _CALLS.items()]
    lines.append('(memory (export "memory") 16)')
    lines += [_exported(name, kinds) for name, kinds in _CALLS.items()]
    return "(module\n" + "\n".join(lines) + "\n)"


def _typed(kinds: str) -> str:
    return " ".join("i64" if one == "I" else "i32" for one in kinds)


def _imported(name: str, kinds: str) -> str:
    place = f'"wasi_snapshot_preview1" "{name}"'
    return f"(import {place} (func ${name} (param {_typed(kinds)}) (result i32)))"


def _exported(name: str, kinds: str) -> str:
    given = " ".join(f"(local.get {number})" for number in range(len(kinds)))
    head = f'(func (export "{name}") (param {_typed(kinds)}) (result i32)'
    return f"{head} (call ${name} {given}))"


class Guest:
    """The module in an instance of its own, with the folders that are open to it."""

    def __init__(self, preopens: list[tuple[str, bool]]) -> None:
        engine = wasmtime.Engine()
        self._store, linker = wasmtime.Store(engine), wasmtime.Linker(engine)
        config = wasmtime.WasiConfig()
        for place, writable in preopens:
            config.preopen_dir(place, place, writable)
        self._store.set_wasi(config)
        linker.define_wasi()
        made = linker.instantiate(self._store, wasmtime.Module(engine, module()))
        self._exports: Any = made.exports(self._store)
        self._memory: Any = self._exports["memory"]
        self.open = {_FIRST + number: place for number, (place, _) in enumerate(preopens)}

    def call(self, name: str, *given: int) -> None:
        """Make a call; raises `Refused`."""
        number = self._exports[name](self._store, *given)
        if number:
            raise Refused(f"{name}: errno {number}")

    def put(self, at: int, data: bytes) -> tuple[int, int]:
        """Write to the guest's memory; returns where, and how much."""
        if len(data) > _DATA - _OUT and at != _DATA:
            raise Refused("longer than what is kept for it")
        self._memory.write(self._store, data, at)
        return at, len(data)

    def got(self, at: int, size: int) -> bytes:
        """Return what stands in the guest's memory."""
        return bytes(self._memory.read(self._store, at, at + size))

    def number(self, at: int, kind: str = "<I") -> int:
        """Return a number in the guest's memory."""
        return int(struct.unpack(kind, self.got(at, struct.calcsize(kind)))[0])

    def ways(self, path: str) -> Iterator[tuple[int, bytes]]:
        """Yield descriptors and texts by which a place may be reached, the honest one first."""
        inside = [fd for fd, place in self.open.items() if _within(path, place)]
        for fd in sorted(inside, key=lambda one: -len(self.open[one])):
            yield fd, os.fsencode(path[len(self.open[fd].rstrip("/")) :].lstrip("/") or ".")
        for fd, place in self.open.items():
            yield fd, os.fsencode(os.path.relpath(path, place))
            yield fd, os.fsencode(path)


def _within(path: str, place: str) -> bool:
    return (path.rstrip("/") + "/").startswith(place.rstrip("/") + "/")


def first(guest: Guest, path: str, act: Callable[[int, int, int], Any]) -> Any:
    """Return what comes of the first way to a place that works; raises `Refused`."""
    failed = Refused("nothing is open")
    for fd, text in guest.ways(path):
        try:
            return act(fd, *guest.put(_PATH, text))
        except Refused as error:
            failed = error
    raise failed


def opened(guest: Guest, path: str, act: Callable[[int], Any], *how: int) -> Any:
    """Open a place and do something with the descriptor; ``how`` is oflags, rights, fdflags."""
    oflags, rights, flags = how

    def with_it(fd: int, at: int, size: int) -> Any:
        guest.call("path_open", fd, _FOLLOW, at, size, oflags, rights, _ALL, flags, _OUT)
        got = guest.number(_OUT)
        try:
            return act(got)
        finally:
            guest.call("fd_close", got)

    return first(guest, path, with_it)


def both(guest: Guest, path: str, other: str, name: str, *flags: int) -> None:
    """Make a call that takes two places."""

    def to_other(fd: int, at: int, size: int) -> Any:
        def act(fd2: int, at2: int, size2: int) -> None:
            text = guest.got(at2, size2)  # `first` puts every path at the same place
            guest.put(_PATH, source)
            guest.call(name, fd, *flags, _PATH, len(source), fd2, *guest.put(_OTHER, text))

        source = guest.got(at, size)
        return first(guest, other, act)

    first(guest, path, to_other)


def read(guest: Guest, fd: int) -> bytes:
    """Read from a descriptor."""
    guest.put(_OUT, struct.pack("<II", _DATA, _MOST_BYTES))
    guest.call("fd_read", fd, _OUT, 1, _OUT + 8)
    return guest.got(_DATA, guest.number(_OUT + 8))


def write(guest: Guest, fd: int, data: str) -> None:
    """Write to a descriptor."""
    guest.put(_OUT, struct.pack("<II", *guest.put(_DATA, data.encode())))
    guest.call("fd_write", fd, _OUT, 1, _OUT + 8)


def names(guest: Guest, fd: int) -> bytes:
    """Return what is told of a folder's entries, names and all."""
    guest.call("fd_readdir", fd, _DATA, _MOST_BYTES, 0, _OUT)
    return guest.got(_DATA, guest.number(_OUT))


def attributes(guest: Guest) -> str:
    """Return time and size of what was just looked at."""
    return f"{guest.number(_OUT + 48, '<Q')} {guest.number(_OUT + 32, '<Q')}"


def _linked(guest: Guest, target: str, path: str) -> None:
    """Make a link as it is told, or with a text that leads there from where the link stands."""
    texts = (target, os.path.relpath(target, os.path.dirname(path)))

    def act(fd: int, at: int, size: int) -> None:
        place = guest.got(at, size)
        for number, text in enumerate(texts):
            try:
                link = guest.put(_OTHER, os.fsencode(text))
                guest.call("path_symlink", *link, fd, *guest.put(_PATH, place))
            except Refused:
                if number:
                    raise
            else:
                return

    first(guest, path, act)


def _removed(guest: Guest, path: str) -> None:
    try:
        first(guest, path, lambda *at: guest.call("path_unlink_file", *at))
    except Refused:
        first(guest, path, lambda *at: guest.call("path_remove_directory", *at))


def _looked_at(guest: Guest, path: str) -> str:
    first(guest, path, lambda fd, *at: guest.call("path_filestat_get", fd, _FOLLOW, *at, _OUT))
    return attributes(guest)


def _looked_through(guest: Guest, path: str) -> Any:
    def act(fd: int) -> str:
        guest.call("fd_filestat_get", fd, _OUT)
        return attributes(guest)

    return opened(guest, path, act, 0, 0, 0)


def _set_times(guest: Guest, path: str, seconds: int) -> None:
    times = (seconds * _SECOND, seconds * _SECOND, _TIMES)
    first(guest, path, lambda fd, *at: guest.call("path_filestat_set_times", fd, 1, *at, *times))


def _set_times_through(guest: Guest, path: str, seconds: int) -> None:
    times = (seconds * _SECOND, seconds * _SECOND, _TIMES)
    opened(guest, path, lambda fd: guest.call("fd_filestat_set_times", fd, *times), 0, _READ, 0)


def _truncated(guest: Guest, path: str, size: int) -> None:
    def act(fd: int) -> None:
        guest.call("fd_filestat_set_size", fd, size)

    try:
        opened(guest, path, act, 0, _READ, 0)
    except Refused:
        opened(guest, path, act, 0, _WRITE | _READ, 0)


def _inherited(guest: Guest) -> bytes:
    """Look through every descriptor that nobody has opened."""
    found = b""
    for fd in range(_FIRST, _MOST_FD):
        for look in (read, names) if fd not in guest.open else ():
            try:
                found += look(guest, fd)
            except Refused:
                continue
    return found


def _environment(guest: Guest) -> bytes:
    guest.call("environ_sizes_get", _OUT, _OUT + 4)
    size = guest.number(_OUT + 4)
    guest.call("environ_get", _PATH, _DATA)
    return guest.got(_DATA, size)


def _file(guest: Guest, path: str) -> Any:
    return opened(guest, path, lambda fd: read(guest, fd), 0, _READ, 0)


OPS: dict[str, Callable[..., Any]] = {
    "fs_read": _file,
    "fs_write": lambda guest, path, data: opened(
        guest, path, lambda fd: write(guest, fd, data), _CREATE | _TRUNCATE, _WRITE, 0
    ),
    "fs_append": lambda guest, path, data: opened(
        guest, path, lambda fd: write(guest, fd, data), _CREATE, _WRITE, _APPEND
    ),
    "fs_truncate": _truncated,
    "fs_list": lambda guest, path: opened(
        guest, path, lambda fd: names(guest, fd), _FOLDER, _ALL & ~_WRITE, 0
    ),
    "fs_stat": _looked_at,
    "fd_stat": _looked_through,
    "fs_rename": lambda guest, path, other: both(guest, path, other, "path_rename"),
    "fs_link": lambda guest, path, other: both(guest, path, other, "path_link", 0),
    "fs_symlink": _linked,
    "fs_mkdir": lambda guest, path: first(
        guest, path, lambda *at: guest.call("path_create_directory", *at)
    ),
    "fs_unlink": _removed,
    "fs_utimes": _set_times,
    "fd_utimes": _set_times_through,
    "fds_inherited": _inherited,
    "proc_environ": lambda guest, pid: _file(guest, f"/proc/{pid}/environ"),
    "proc_root": lambda guest, pid, path: _file(guest, f"/proc/{pid}/root{path}"),
    "env_read": _environment,
}


def answer(guest: Guest, line: str) -> dict[str, Any]:
    """Return the answer to one line, whatever comes of it."""
    asked = json.loads(line)
    try:
        out = OPS[asked["method"]](guest, *asked["params"]["arguments"])
    except Exception as error:
        return {"jsonrpc": "2.0", "id": asked["id"], "error": {"message": str(error)}}
    text = out.decode("latin-1") if isinstance(out, bytes) else out or ""
    return {"jsonrpc": "2.0", "id": asked["id"], "result": {"out": text}}


def main(preopens: str) -> None:
    """Answer line after line until nothing more comes."""
    with open(preopens, encoding="utf-8") as file:
        guest = Guest([(place, writable) for place, writable in json.load(file)])
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(guest, line)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""
Confines itself by Landlock as told, then becomes another program; standard library alone.

``landlock.py POLICY COMMAND...``: POLICY is a JSON object with lists of places (``run``, ``read``,
``write``), and of ports (``tcp``) that may be reached, null for every one. Source: landlock(7), up to ABI 7.
"""

import ctypes
import json
import os
import stat
import sys
from typing import Any

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every architecture
_PATH_BENEATH, _NET_PORT = 1, 2
_NO_NEW_PRIVS = 38
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_MAKE_AND_REMOVE = 0x1FF0  # directories, files, links, sockets, pipes, devices
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15  # ABI 2, 3, 5
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_TCP, _CONNECT = 3, 2  # bind and connect, ABI 4
_SCOPES = 3  # abstract sockets and signals, ABI 6
_LIBC = ctypes.CDLL(None, use_errno=True)


class _Rules(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Port(ctypes.Structure):
    _fields_ = (("allowed", ctypes.c_uint64), ("port", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def abi() -> int:
    """Return the version of Landlock that the kernel speaks; negative where it has none."""
    return int(_LIBC.syscall(_CREATE, None, ctypes.c_size_t(0), 1))


def handled(version: int) -> int:
    """Return the rights over files that a version knows, all of which are taken away."""
    rights = _EXECUTE | _WRITE_FILE | _READ_FILE | _READ_DIR | _MAKE_AND_REMOVE
    rights |= _REFER if version >= 2 else 0
    rights |= _TRUNCATE if version >= 3 else 0
    return rights | (_IOCTL if version >= 5 else 0)


def restrict(policy: dict[str, Any]) -> None:
    """Take everything away but what the policy names; raises OSError."""
    version = abi()
    everything = handled(version)
    net = _TCP if version >= 4 and policy["tcp"] is not None else 0
    rules = _Rules(everything, net, _SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    made = _done(_LIBC.syscall(_CREATE, ctypes.byref(rules), ctypes.c_size_t(size), 0))
    read = _READ_FILE | _READ_DIR
    write = everything & ~(_EXECUTE | read)
    for rights, places in ((read | _EXECUTE, "run"), (read, "read"), (read | write, "write")):
        for place in policy[places]:
            _open(made, place, rights & everything)
    for port in policy["tcp"] or ():
        rule = _Port(_CONNECT, port)
        _done(_LIBC.syscall(_ADD, made, _NET_PORT, ctypes.byref(rule), 0))
    _done(_LIBC.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
    _done(_LIBC.syscall(_RESTRICT, made, 0))
    os.close(made)


def _open(made: int, place: str, rights: int) -> None:
    folder = os.open(place, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(folder).st_mode):
            rights &= _OF_FILES
        beneath = _Beneath(rights, folder)
        _done(_LIBC.syscall(_ADD, made, _PATH_BENEATH, ctypes.byref(beneath), 0))
    finally:
        os.close(folder)


def _done(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def main(arguments: list[str]) -> None:
    """Restrict this process and run the command in its place, with an environment of its own."""
    policy, *command = arguments
    restrict(json.loads(policy))
    os.execve(command[0], command, {"PATH": "/usr/bin:/bin"})


if __name__ == "__main__":
    main(sys.argv[1:])

"""What a program inside a sandbox has made that is the kernel's, and not the sandbox's alone."""

import contextlib
import ctypes
import os
import platform
import secrets
import signal
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from capfuzz.attacks.trace import Effect
from capfuzz.targets import probe
from capfuzz.targets.outlived import marked

_LIBC = ctypes.CDLL(None, use_errno=True)
_BPF = 280 if platform.machine() == "aarch64" else 321
_NEXT, _OPEN, _INFO = 12, 14, 15  # of bpf(2): GET_NEXT_ID and GET_FD_BY_ID of maps, OBJ_GET_INFO
_NAME = slice(24, 40)  # of a map, in struct bpf_map_info
_HANDLE = 128  # bytes at most, MAX_HANDLE_SZ


_AROUND = str(Path(probe.__file__).with_name("around.py"))
_NAMED = 15  # bytes of a map's name
# What is tried in mounts and a keyring of its own, be there a sandbox around it or none.
APART = frozenset({"priv_mount", "priv_keyctl"})


class Objects:
    """Names that nothing else has: whatever bears one was made inside, or was read there."""

    def __init__(self) -> None:
        self._mark, self._secret = secrets.token_hex(16), secrets.token_hex(16)

    @property
    def around(self) -> tuple[str, ...]:
        """What a command is started by, so that mounts and keys end with it."""
        return (sys.executable, "-S", _AROUND, self._mark, self._secret)

    def arguments(self, kind: str, told: list[Any]) -> list[Any]:
        """Return what the probe is told for an op of whose arguments some are ours."""
        if kind == "fs_handle":
            return [*handle(told[0]), told[1]]
        if not kind.startswith("priv_"):
            return told
        return [*told, self._mark[:_NAMED] if kind == "priv_bpf" else self._mark]

    def shown(self, op: Any, content: bytes, process: int | None) -> tuple[Effect, ...]:
        """Return what came of an op in a sandbox that a process has started."""
        kind, *given = op
        found = {
            "priv_setuid": lambda: self._is_somebody(*given),
            "priv_bpf": lambda: self._mark[:_NAMED] in maps(),
            "priv_keyctl": lambda: self._secret.encode() in content,
            "priv_mount": lambda: process is not None and self._is_mounted(process),
        }
        made = kind in found and found[kind]()
        return (Effect("tool", _CALLED[kind]),) if made else ()

    def _is_somebody(self, uid: int) -> bool:
        """Tell whether a process of ours is another user's, and end it."""
        found = marked(self._mark)
        others = [pid for pid in found if f"Uid:\t{uid}\t" in _status(pid)]
        for pid in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(others)

    def _is_mounted(self, process: int) -> bool:
        """Tell whether something of our name is mounted where a process outside is."""
        with contextlib.suppress(OSError):  # it has ended, and its mounts with it
            return self._mark in Path(f"/proc/{process}/mountinfo").read_text(encoding="utf-8")
        return False


_CALLED = {
    "priv_setuid": "another-user",
    "priv_bpf": "kernel-map",
    "priv_keyctl": "session-key",
    "priv_mount": "mount-outside",
}


def _status(pid: int) -> str:
    with contextlib.suppress(OSError):  # ended meanwhile
        return Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return ""


def maps() -> Iterator[str]:
    """Yield the names of all BPF maps of this machine; none where whoever asks may not see them."""
    number = 0
    while True:
        asked = ctypes.create_string_buffer(struct.pack("3I", number, 0, 0))
        if _bpf(_NEXT, asked) < 0:
            return
        number = struct.unpack_from("I", asked, 4)[0]
        fd = _bpf(_OPEN, ctypes.create_string_buffer(struct.pack("3I", number, 0, 0)))
        if fd >= 0:  # not gone meanwhile
            yield _name(fd)


def _name(fd: int) -> str:
    info = ctypes.create_string_buffer(_HANDLE)
    asked = struct.pack("2IQ", fd, len(info), ctypes.addressof(info))
    _bpf(_INFO, ctypes.create_string_buffer(asked))
    os.close(fd)
    return info.raw[_NAME].rstrip(b"\0").decode("ascii", "replace")


def _bpf(command: int, asked: "ctypes.Array[ctypes.c_char]") -> int:
    return int(_LIBC.syscall(_BPF, command, asked, len(asked)))


def handle(place: str) -> tuple[int, str]:
    """Return kind and hex digits of a file's handle, which names it on its file system for good."""
    held = ctypes.create_string_buffer(struct.pack("Ii", _HANDLE, 0) + bytes(_HANDLE))
    mount = ctypes.c_int()
    if _LIBC.name_to_handle_at(-100, os.fsencode(place), held, ctypes.byref(mount), 0) < 0:
        return 0, ""
    size, kind = struct.unpack_from("Ii", held)
    return kind, held.raw[8 : 8 + size].hex()

"""
What a program finds around it that leads out of a sandbox; it looks, and changes nothing.

It stands before ``probe.py`` in the one program that runs inside; standard library alone. A file
is opened and closed, a socket connected and closed, a datagram socket pointed and nothing sent.
"""

import contextlib
import ctypes
import errno
import json
import os
import platform
import resource
import socket
import stat

_SETTINGS = ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/panic_on_oom", "/proc/sysrq-trigger")
_UNMASKED = ("/proc/kcore", "/dev/mem", "/dev/port", "/dev/kmem")
_METADATA = ("169.254.169.254", 80)
_MASK = os.makedev(1, 3)  # the null device, which engines mount over what is not to be read
_FINIT_MODULE = 273 if platform.machine() == "aarch64" else 313
_MOST = 512  # of mounts and of devices


def look_around(canaries, sockets, credentials):
    """Return all of it as JSON; the places are where something is found on most machines."""
    mounts = _mounts()
    return json.dumps(
        {
            "pid": os.getpid(),
            "space": _space(),
            "settings": [one for one in _SETTINGS if _opens(one, os.O_WRONLY)],
            "agents": [one for one in _agents(mounts) if _opens(one, os.O_WRONLY)],
            "unmasked": [one for one in _UNMASKED if _opens(one, os.O_RDONLY)],
            "devices": [one for one in _block_devices() if _opens(one, os.O_RDONLY)],
            "sockets": [_identity(one) for one in sockets if _connects(one)],
            "credentials": [
                _identity(one) for one in _here(credentials) if _opens(one, os.O_RDONLY)
            ],
            "module": _module(),
            "canaries": [text for one in canaries for text in _found(one, mounts)],
            "route": _has_route(),
        }
    )


def look_limits():
    """Return the limits of this process (getrlimit(2)) as JSON, None for what has none."""
    found = {}
    for name in ("RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_NPROC", "RLIMIT_CPU"):
        soft = resource.getrlimit(getattr(resource, name))[0]
        found[name] = None if soft == resource.RLIM_INFINITY else soft
    return json.dumps({"pid": os.getpid(), "space": _space(), "limits": found})


def _space():
    with contextlib.suppress(OSError):
        return os.readlink("/proc/self/ns/pid")
    return ""


def _mounts():
    with contextlib.suppress(OSError), open("/proc/self/mountinfo", encoding="utf-8") as file:
        return [line.split() for line in file][:_MOST]
    return []


def _agents(mounts):
    return [f"{one[4]}/release_agent" for one in mounts if "cgroup" in one[6:]]


def _block_devices():
    names = []
    with contextlib.suppress(OSError):
        names = os.listdir("/dev")[:_MOST]
    for place in (f"/dev/{name}" for name in names):
        with contextlib.suppress(OSError):
            if stat.S_ISBLK(os.lstat(place).st_mode):
                yield place


def _opens(place, how):
    try:
        opened = os.open(place, how | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return False
    seen = os.fstat(opened)
    os.close(opened)
    return not (stat.S_ISCHR(seen.st_mode) and seen.st_rdev == _MASK)


def _here(places):
    """Return the places with the home folder that is the one inside."""
    return list(dict.fromkeys(os.path.expanduser(one) for one in places))


def _connects(place):
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.settimeout(1)
            made.connect(place)
    except OSError:
        return False
    return True


def _identity(place):
    """Return what tells whether it is the same file as one of this name elsewhere."""
    seen = os.stat(place)
    return [place, seen.st_dev, seen.st_ino]


def _module():
    """Ask for no module at all: who may load one is told that it is no file, who may not, EPERM."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(_FINIT_MODULE, -1, b"", 0)
    return errno.errorcode.get(ctypes.get_errno(), "")


def _found(canary, mounts):
    """Yield what stands in a file of the machine's, by whatever way it can be reached here."""
    parts = canary.split("/")
    ends = ["/".join(parts[at:]) for at in range(1, len(parts))]
    for top in {"", *(one[4].rstrip("/") for one in mounts)}:
        for end in ends:
            with contextlib.suppress(OSError), open(f"{top}/{end}", encoding="utf-8") as file:
                yield file.read(64)


def _has_route():
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
            made.connect(_METADATA)  # of a datagram socket: where it would go, nothing is sent
    except OSError:
        return False
    return True

"""
The probe in the part of Python that Monty has: `monty.py` hands it in, and calls an op after the other.

Every op is tried by each function that does it, and each place by its whole name and by climbing
out of the working directory. A function raises where none of them works.
"""

import os
from pathlib import Path

_MOST_FD = 64


def _ways(path):
    """Return the texts by which a place may be reached, the honest one first."""
    up = "../" * os.getcwd().count("/")
    return [path, up + path[1:], "/." + path, "/dev/.." + path]


def _first(path, acts):
    """Return what comes of the first act that works, by any way to a place."""
    failed = Exception(path)
    for way in _ways(path):
        for act in acts:
            try:
                return act(way)
            except Exception as error:
                failed = error
    raise failed


def _both(path, other, acts):
    """Return what comes of the first act that works, by any ways to two places."""
    failed = Exception(path)
    for way in _ways(path):
        try:
            return _first(other, [lambda to, act=act, way=way: act(way, to) for act in acts])
        except Exception as error:
            failed = error
    raise failed


def _opened(path, mode, act):
    with open(path, mode) as file:
        return act(file)


def fs_read(path):
    return _first(
        path,
        [
            lambda way: _opened(way, "rb", lambda file: file.read()),
            lambda way: Path(way).read_bytes(),
            lambda way: Path(way).read_text().encode(),
        ],
    )


def fs_write(path, data):
    _first(
        path,
        [
            lambda way: _opened(way, "wb", lambda file: file.write(data.encode())),
            lambda way: Path(way).write_bytes(data.encode()),
            lambda way: Path(way).write_text(data),
        ],
    )


def fs_append(path, data):
    _first(
        path,
        [
            lambda way: _opened(way, "ab", lambda file: file.write(data.encode())),
            lambda way: _opened(way, "a", lambda file: file.write(data)),
        ],
    )


def fs_truncate(path, _size):
    """Open it to be written, which leaves nothing of it: there is no call that leaves a part."""
    _first(path, [lambda way: _opened(way, "wb", str), lambda way: _opened(way, "w", str)])


def fs_list(path):
    names = _first(
        path,
        [
            os.listdir,
            lambda way: [one.name for one in Path(way).iterdir()],
            lambda way: [one.name for one in os.scandir(way)],
            _globbed,
        ],
    )
    return "\n".join(sorted(names))


def _globbed(path):
    """Return names by a call that finds none where it may not look: that is no answer."""
    names = [one.name for one in Path(path).glob("*")]
    if not names:
        raise FileNotFoundError(path)
    return names


def fs_stat(path):
    seen = _first(path, [os.stat, lambda way: Path(way).stat()])
    # A float has no nanoseconds, and may be just short of the millisecond.
    times = [int(seen.st_mtime * 1000), int((seen.st_mtime + 0.000001) * 1000)]
    return "\n".join([f"{time}000000 {seen.st_size}" for time in times])


def fs_rename(path, other):
    _both(
        path,
        other,
        [
            os.rename,
            os.replace,
            lambda way, to: Path(way).rename(to),
        ],
    )


def fs_mkdir(path):
    _first(
        path,
        [
            os.mkdir,
            lambda way: Path(way).mkdir(),
            lambda way: Path(way).mkdir(parents=True),
        ],
    )


def fs_unlink(path):
    _first(
        path,
        [
            os.unlink,
            lambda way: Path(way).unlink(),
            os.rmdir,
            lambda way: Path(way).rmdir(),
        ],
    )


def fds_inherited():
    """Look through every descriptor that came from outside, by number and by name."""
    found = b""
    for number in range(3, _MOST_FD):
        found += _found([lambda number=number: _opened(number, "rb", lambda file: file.read())])
        for place in (f"/dev/fd/{number}", f"/proc/self/fd/{number}"):
            found += _found(
                [lambda place=place: fs_read(place), lambda place=place: fs_list(place).encode()]
            )
    return found


def _found(looks):
    found = b""
    for look in looks:
        try:
            found += look()
        except Exception:
            continue
    return found


def proc_environ(pid):
    return fs_read(f"/proc/{pid}/environ")


def proc_root(pid, path):
    """Read a file by way of another process's root."""
    return fs_read(f"/proc/{pid}/root{path}")


def proc_walk(path):
    """Look at every process that shows: its environment, and a file by way of its root."""
    found = b""
    for pid in fs_list("/proc").split("\n"):
        if pid.isdigit():
            found += _found(
                [lambda pid=pid: proc_environ(pid), lambda pid=pid: proc_root(pid, path)]
            )
    return found


def env_read():
    return "\n".join([f"{name}={value}" for name, value in os.environ.items()])


OPS = {
    "fs_read": fs_read,
    "fs_write": fs_write,
    "fs_append": fs_append,
    "fs_truncate": fs_truncate,
    "fs_list": fs_list,
    "fs_stat": fs_stat,
    "fs_rename": fs_rename,
    "fs_mkdir": fs_mkdir,
    "fs_unlink": fs_unlink,
    "fds_inherited": fds_inherited,
    "proc_environ": proc_environ,
    "proc_root": proc_root,
    "proc_walk": proc_walk,
    "env_read": env_read,
}

"""
Tries ops inside a sandbox and says what it saw; nothing that it says is proof by itself.

Standard library alone, Python 3.8 or newer, since it runs in whatever the sandbox holds. Each line
of standard input is a JSON object ``{"id": n, "method": kind, "params": [arguments]}``; each is
answered with ``{"id": n, "result": {"out": text}}`` or ``{"id": n, "error": {"message": errno}}``.
It touches what an op names and nothing else, and limits itself in number and time.
"""

import contextlib
import ctypes
import errno
import json
import os
import signal
import socket
import stat
import subprocess
import sys

_MOST_BYTES = 256 * 1024  # of one answer
_MOST_SECONDS = 5.0
_MOST_PROCESSES = 4096  # looked at
_MOST_FORKS = 48
_OURS = b"CAPFUZZ_"  # variables that whoever asks has planted; of others nothing is told
_CONNECTING = 1.0  # seconds
_SEIZE, _INTERRUPT, _PEEK, _DETACH = 0x4206, 0x4207, 2, 17  # ptrace(2)
_WALL = 0x40000000  # waitpid(2): __WALL
_LIBC = ctypes.CDLL(None, use_errno=True)


def fs_read(path):
    with open(path, "rb") as file:
        return file.read(_MOST_BYTES)


def fs_write(path, data):
    with open(path, "wb") as file:
        file.write(data.encode())


def fs_append(path, data):
    with open(path, "ab") as file:
        file.write(data.encode())


def fs_truncate(path, size):
    os.truncate(path, size)


def fs_list(path):
    return "\n".join(sorted(os.listdir(path)))


def fs_stat(path):
    return _attributes(os.stat(path))


def fd_stat(path):
    """Open the place and not what stands there (open(2): O_PATH)."""
    fd = os.open(path, os.O_PATH)
    try:
        return _attributes(os.fstat(fd))
    finally:
        os.close(fd)


def _attributes(seen):
    return f"{seen.st_mtime_ns} {seen.st_size}"


def fs_rename(path, other):
    os.rename(path, other)


def fs_exchange(path, other):
    """renameat2(2) with RENAME_EXCHANGE."""
    _checked(_LIBC.renameat2(-100, os.fsencode(path), -100, os.fsencode(other), 2))


def fs_link(path, other):
    os.link(path, other)


def fs_symlink(target, path):
    os.symlink(target, path)


def fs_mkdir(path):
    os.mkdir(path)


def fs_unlink(path):
    os.unlink(path)


def fs_chmod(path, mode):
    os.chmod(path, mode)


def fs_chown(path, uid, gid):
    os.chown(path, uid, gid)


def fs_utimes(path, seconds):
    os.utime(path, (seconds, seconds))


def fs_xattr(path, name, value):
    os.setxattr(path, name, value.encode())


def fd_chmod(path, mode):
    _by_descriptor(path, lambda fd: os.fchmod(fd, mode))


def fd_chown(path, uid, gid):
    _by_descriptor(path, lambda fd: os.fchown(fd, uid, gid))


def fd_utimes(path, seconds):
    _by_descriptor(path, lambda fd: os.utime(fd, (seconds, seconds)))


def fd_reopen(path, data):
    """Open to read, then to write by way of /proc/self/fd."""

    def again(fd):
        with open(f"/proc/self/fd/{fd}", "wb") as file:
            file.write(data.encode())

    _by_descriptor(path, again)


def _by_descriptor(path, act):
    fd = os.open(path, os.O_RDONLY)
    try:
        act(fd)
    finally:
        os.close(fd)


def fds_inherited():
    """Look through every descriptor that came from outside: files, and what stands in folders."""
    return b"\n".join(_descriptor(fd) for fd in range(3, 64))


def _descriptor(fd):
    try:
        kind = os.fstat(fd).st_mode
    except OSError:
        return b""
    try:
        if stat.S_ISDIR(kind):
            return b"\n".join(_tree(fd, depth=3))
        if stat.S_ISREG(kind):
            return os.pread(fd, 4096, 0)
    except OSError:
        pass
    return b""


def _tree(folder, depth):
    """Yield names and small contents below an open folder."""
    for name in sorted(os.listdir(folder))[:64]:
        yield os.fsencode(name)
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        except OSError:
            continue
        try:
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                if depth:
                    yield from _tree(fd, depth - 1)
            else:
                yield os.read(fd, 4096)
        except OSError:
            pass
        finally:
            os.close(fd)


def net_tcp(host, port, token):
    with socket.create_connection((host, port), _CONNECTING) as made:
        made.sendall(token.encode())


net_port = net_tcp


def net_udp(host, port, token):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(token.encode(), (host, port))


def net_unix(path, token):
    """Connect from its folder: the whole path may be too long for an address (unix(7))."""
    os.chdir(os.path.dirname(path))
    try:
        _unix(os.path.basename(path), token)
    finally:
        os.chdir("/")  # where it was started need not be a place that it can go back to


def net_abstract(name, token):
    _unix("\0" + name, token)


def _unix(place, token):
    with socket.socket(socket.AF_UNIX) as made:
        made.settimeout(_CONNECTING)
        made.connect(place)
        made.sendall(token.encode())


def proc_signal(pid):
    os.kill(pid, signal.SIGUSR1)


def proc_trace(pid, address, size):
    """ptrace(2): stop it, read of its memory, let it go on."""
    _LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    _LIBC.ptrace.restype = ctypes.c_long
    _checked(_LIBC.ptrace(_SEIZE, pid, None, None))
    try:
        _checked(_LIBC.ptrace(_INTERRUPT, pid, None, None))
        os.waitpid(pid, _WALL)
        words = range(address, address + size, 8)
        return b"".join(
            _LIBC.ptrace(_PEEK, pid, at, None).to_bytes(8, "little", signed=True) for at in words
        )
    finally:
        _LIBC.ptrace(_DETACH, pid, None, None)


def proc_memory(pid, address, size):
    with open(f"/proc/{pid}/mem", "rb") as file:
        file.seek(address)
        return file.read(size)


def proc_environ(pid):
    with open(f"/proc/{pid}/environ", "rb") as file:
        return file.read(_MOST_BYTES)


def proc_root(pid, path):
    """Read a file by way of another process's root."""
    return fs_read(f"/proc/{pid}/root{path}")


def proc_walk(path):
    """Look at every process that shows: planted variables, and a file by way of its root."""
    pids = [name for name in os.listdir("/proc") if name.isdigit()][:_MOST_PROCESSES]
    return b"\n".join(_walked(f"/proc/{pid}", path) for pid in pids)


def _walked(process, path):
    found = b""
    with contextlib.suppress(OSError), open(f"{process}/environ", "rb") as file:
        found += b"\n".join(one for one in file.read().split(b"\0") if one.startswith(_OURS))
    with contextlib.suppress(OSError):
        found += fs_read(f"{process}/root{path}")
    return found


def proc_background(seconds, mark):
    """Leave a process behind that no group and no session ties to this one."""
    _left_behind(f"import time; time.sleep({min(seconds, _MOST_SECONDS)})", mark)


def proc_forks(seconds, mark):
    """Leave many behind at once, as a bomb of forks does; this one stops by itself."""
    code = f"import os, time\nfor _ in range({_MOST_FORKS}):\n    if not os.fork():\n        "
    code += f"os.setsid(); time.sleep({min(seconds, _MOST_SECONDS)}); break"
    _left_behind(code, mark)


def proc_respawn(seconds, mark):
    """Leave one behind that is another process every moment, so that a list of them is stale."""
    code = f"import os, time\nend = time.monotonic() + {min(seconds, _MOST_SECONDS)}\n"
    code += "while time.monotonic() < end:\n    os.fork() and os._exit(0)\n    "
    code += "os.setsid(); time.sleep(0.05)"
    _left_behind(code, mark)


def _left_behind(code, mark):
    """Start it with nothing open that is open here; /dev/null need not be there to be opened."""
    ends = os.pipe()
    subprocess.Popen(
        [sys.executable, "-S", "-c", f"{code}\n# {mark}"],
        stdin=ends[0],
        stdout=ends[1],
        stderr=ends[1],
        start_new_session=True,
    )
    for end in ends:
        os.close(end)


def env_read():
    return "\n".join("{}={}".format(*item) for item in sorted(os.environ.items()))


def _checked(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


OPS = {
    name: one
    for name, one in list(globals().items())
    if name.startswith(("fs_", "fd_", "fds_", "net_", "proc_", "priv_", "look_", "env_", "use_"))
}


def answer(line):
    """Return the answer to one line, whatever it holds and whatever comes of it."""
    asked = json.loads(line)
    try:
        out = OPS[asked["method"]](*asked["params"]["arguments"])
    except OSError as error:
        said = errno.errorcode.get(error.errno or 0, type(error).__name__)
        return {"jsonrpc": "2.0", "id": asked["id"], "error": {"message": said}}
    except Exception as error:
        return {"jsonrpc": "2.0", "id": asked["id"], "error": {"message": type(error).__name__}}
    text = out.decode("latin-1") if isinstance(out, bytes) else out or ""
    return {"jsonrpc": "2.0", "id": asked["id"], "result": {"out": text}}


def main():
    """Answer line after line until nothing more comes."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(line)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

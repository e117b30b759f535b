"""
Runs a command in a mount namespace and a session keyring of its own; standard library alone.

``around.py KEY SECRET COMMAND...``: KEY is the name of a key that is put into the keyring. What is
mounted, were it by a program that the command runs, ends with it; this process stays outside of
whatever the command enters, so that who looks at its mounts sees what got out.
"""

import ctypes
import errno
import os
import platform
import signal
import sys

_LIBC = ctypes.CDLL(None, use_errno=True)
_NEW_MOUNTS, _PRIVATE, _RECURSIVE = 0x20000, 1 << 18, 1 << 14  # unshare(2), mount(2)
_DEATH_SIGNAL = 1  # prctl(2)
_ADD, _KEYCTL = (217, 219) if platform.machine() == "aarch64" else (248, 250)
_JOIN = 1
_SESSION = ctypes.c_long(-3)


def main(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    key, secret, *command = arguments
    _apart()
    _done(_LIBC.syscall(_KEYCTL, _JOIN, None))
    held = secret.encode()
    _done(_LIBC.syscall(_ADD, b"user", key.encode(), held, ctypes.c_size_t(len(held)), _SESSION))
    child = os.fork()
    if child == 0:
        _LIBC.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        os.execvp(command[0], command)
    for stream in (0, 1):  # its pipes are the command's alone
        os.close(stream)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _apart() -> None:
    """Leave the mounts of the machine; who may not do that may not mount anything there, either."""
    try:
        _done(_LIBC.unshare(_NEW_MOUNTS))
    except PermissionError:
        return
    _done(_LIBC.mount(b"none", b"/", None, _PRIVATE | _RECURSIVE, None))


def _done(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, errno.errorcode.get(number, str(number)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

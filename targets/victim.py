"""A process of ours outside of every sandbox, with secrets in its memory and environment."""

import os
import secrets
import select
import sys
from contextlib import ExitStack

from capfuzz.attacks.trace import Effect
from capfuzz.targets.base import TargetError
from capfuzz.targets.planted import remove, scratch
from capfuzz.targets.processes import Child

_STARTING = 10.0  # seconds
_SECRET_BYTES = 32
_CODE = """
import ctypes, os, signal, sys
secret = ctypes.create_string_buffer(sys.stdin.readline().strip().encode())
signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b"signalled\\n"))
ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)
os.write(1, b"%d\\n" % ctypes.addressof(secret))
while True:
    signal.pause()
"""


class Victim:
    """The process; what is read of it or sent to it shows, whoever did it."""

    def __init__(self) -> None:
        self._base = scratch()  # its own: what is ended with a sandbox is found by its folder
        self._memory, self._environ = secrets.token_hex(16), secrets.token_hex(16)
        with ExitStack() as undone:  # until it runs
            undone.callback(remove, self._base)
            command = [sys.executable, "-S", "-c", _CODE]
            self._child = Child(command, self._base, self._base, {"CAPFUZZ_SECRET": self._environ})
            undone.callback(self._child.close)
            self._address = self._told()
            undone.pop_all()

    def _told(self) -> int:
        """Hand over the secret, and return where in the memory of the process it stands."""
        stdin, self._out = self._child.process.stdin, self._child.process.stdout
        assert stdin is not None
        assert self._out is not None
        stdin.write(self._memory.encode() + b"\n")
        ready, _, _ = select.select([self._out], [], [], _STARTING)
        address = int(self._out.readline()) if ready else 0
        if not address:
            raise TargetError(f"the process to be attacked did not start: {self._child.drain()}")
        return address

    @property
    def pid(self) -> int:
        """Its number, as it is called outside."""
        return self._child.process.pid

    @property
    def memory(self) -> tuple[int, int, int]:
        """Its number, and where in its memory how many bytes of secret stand."""
        return self.pid, self._address, _SECRET_BYTES

    @property
    def environment(self) -> dict[str, str]:
        """The variable that a sandbox must not hand on, for whoever starts one."""
        return {"CAPFUZZ_SECRET": self._environ}

    def shown(self, content: bytes) -> tuple[Effect, ...]:
        """Return what of its secrets stands in something that came back."""
        secrets_of = {"victim-memory": self._memory, "environment": self._environ}
        found = [name for name, secret in secrets_of.items() if secret.encode() in content]
        return tuple(Effect("tool", name, _SECRET_BYTES) for name in found)

    def signalled(self, seconds: float) -> tuple[Effect, ...]:
        """Return whether it is sent a signal within so many seconds."""
        assert self._out is not None
        ready, _, _ = select.select([self._out], [], [], seconds)
        heard = bool(ready) and b"signalled" in os.read(self._out.fileno(), 4096)
        return (Effect("tool", "victim-signal"),) if heard else ()

    def close(self) -> None:
        """End it."""
        self._child.close()
        remove(self._base)

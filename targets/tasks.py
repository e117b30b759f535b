"""Processes and threads that a program inside a sandbox keeps, as they are seen outside of it."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from capfuzz.attacks.kernel import COUNTED
from capfuzz.attacks.trace import Effect

_LONGEST = 15  # bytes of a name: prctl(2), PR_SET_NAME
# What an op has started is kept until it has been looked at.
HOLDING: Final = frozenset({*COUNTED, "priv_unshare"})


class Tasks:
    """A name that tasks started inside bear, and nothing else on this machine."""

    def __init__(self) -> None:
        self.mark = secrets.token_hex(_LONGEST)[:_LONGEST]

    def shown(self, op: Any) -> tuple[Effect, ...]:
        """Return what came of an op that has started some: how many there are, or where."""
        kind = op[0]
        if kind not in HOLDING:
            return ()
        found = list(self._named())
        if kind == "priv_unshare":
            apart = any(_has_left(process) for process, _ in found)
            return (Effect("tool", "user-namespace"),) if apart else ()
        use = kind.removeprefix("use_")
        seen = found if use == "threads" else dict(found)
        return (Effect("use", use, len(seen)),) if seen else ()

    def _named(self) -> Iterator[tuple[Path, str]]:
        """Yield each task that bears the name: where /proc has its process, and its own number."""
        for name in Path("/proc").glob("[0-9]*/task/*/comm"):
            with contextlib.suppress(OSError):  # ended meanwhile
                if name.read_text(encoding="utf-8", errors="replace").strip() == self.mark:
                    yield name.parents[2], name.parent.name


def _has_left(process: Path) -> bool:
    """Tell whether a process is in another user namespace than the one that has started it."""
    with contextlib.suppress(OSError):  # either has ended meanwhile, or is somebody else's
        status = (process / "status").read_text(encoding="utf-8")
        parent = status.partition("\nPPid:")[2].split(maxsplit=1)[0]
        spaces = [os.readlink(f"/proc/{one}/ns/user") for one in (process.name, parent)]
        return len({*spaces}) > 1
    return False

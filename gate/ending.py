"""Ending a process at once and clean when it is asked to; the supervisor and all workers need it."""

import os
import signal
import tempfile

from capfuzz.targets.planted import sweep, temporary


def vanish_when_asked(found: str | None = None) -> None:
    """
    Have SIGTERM end this process at once, with all that it has planted and started.

    ``found`` is the folder for temporary files where whoever started this process has found it:
    a file is made to find it, and stays there where the process is killed meanwhile.
    """
    if found is not None:
        tempfile.tempdir = found
    temporary()  # looked up now: the lock that `tempfile` takes may be held when the signal comes
    signal.signal(signal.SIGTERM, _vanish)


def _vanish(_signal: int, _frame: object) -> None:
    """End here and now; an exception could be swallowed by code not ours."""
    sweep(os.getpid())
    os._exit(128 + signal.SIGTERM)

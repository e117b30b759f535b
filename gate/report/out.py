"""Standard output kept for the reports, while a target may print what it likes."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from capfuzz.gate.errors import UsageError


@contextmanager
def own_stdout() -> Iterator[IO[str]]:
    """
    Keep standard output for the reports: what the target prints goes to standard error.

    What is yielded raises `UsageError` where it cannot be written, as on a full disk.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with io.TextIOWrapper(io.BufferedWriter(_Out(os.dup(kept), "w")), "utf-8") as out:
            yield out
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


class _Out(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:  # whoever read the report has left, which is no error
            raise
        except OSError as error:
            said = f"standard output: cannot write the report: {error.strerror}"
            raise UsageError(said) from None

"""Report files: refused before the attack if they cannot be written, never half-written."""

import contextlib
import os
import sys
import tempfile
from pathlib import Path

from capfuzz.gate.errors import UsageError

STDOUT = "-"


def check_writable(path: str, what: str = "the report") -> None:
    """Raise `UsageError` where ``what`` could not be written to ``path`` later."""
    if path == STDOUT or _is_stream(path):
        return
    if not path:
        raise UsageError(f"cannot write {what}: the name is empty; name a file")
    folder = Path(path).parent
    if not os.path.isdir(folder):
        raise UsageError(f"{path}: cannot write {what}: {folder} is not a folder")
    if os.path.isdir(path):
        raise UsageError(f"{path}: cannot write {what}: it is a folder; name a file")
    try:
        with contextlib.suppress(FileNotFoundError):
            os.lstat(path)  # of a name that is too long
        handle, name = tempfile.mkstemp(dir=folder, prefix=".capfuzz-")
    except OSError as error:
        raise UsageError(f"{path}: cannot write {what}: {error.strerror}") from None
    os.close(handle)
    Path(name).unlink()


def write(path: str, text: str, what: str = "the report") -> None:
    """Write ``text`` whole or not at all; ``-`` is standard output. Raises `UsageError`."""
    if path == STDOUT:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        if _is_stream(path):
            Path(path).write_text(text, encoding="utf-8")
        else:
            _replace(Path(path), text)
    except OSError as error:
        raise UsageError(f"{path}: cannot write {what}: {error.strerror}") from None


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".capfuzz-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, _mode(path))
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """Return the permissions that the file has, or that a new one would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _is_stream(path: str) -> bool:
    """Tell whether ``path`` is a device or a pipe, which cannot be replaced."""
    # not Path.exists(), which raises where a folder above may not be entered
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)

"""The context manager ``tarball`` of jaraco.context, which takes the first component off names."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

import os
from contextlib import suppress
from pathlib import Path


def unpack(archive: str, dest: str) -> None:
    """Unpack a tar file into ``dest``, and keep it beyond the context."""
    from jaraco.context import tarball

    kept = f"{archive}.kept"
    os.rmdir(dest)  # it makes the folder itself, and removes it in the end
    try:
        with suppress(FileNotFoundError), tarball(Path(archive).as_uri(), dest):
            os.rename(dest, kept)
    finally:
        if os.path.lexists(kept):
            os.rename(kept, dest)
        os.makedirs(dest, exist_ok=True)

"""Django's Storage.save with a subclass that chooses its own names."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

import os
from contextlib import suppress


def save(root: str, path: str) -> str | None:
    """Return the place that ``_save`` writes to, None where ``save`` stops before that."""
    from django.core.exceptions import SuspiciousFileOperation
    from django.core.files.base import ContentFile
    from django.core.files.storage import Storage

    written: list[str] = []

    class Keeping(Storage):
        """A storage that keeps every name as it is, as one that overwrites files does."""

        def get_available_name(self, name: str, max_length: int | None = None) -> str:  # noqa: ARG002
            return name

        def _save(self, name: str, content: object) -> str:  # noqa: ARG002 - nothing is written
            written.append(os.path.join(root, name))
            return name

    # The vulnerable version raises after the write: the write is what counts.
    with suppress(SuspiciousFileOperation):
        Keeping().save(path, ContentFile(b""))
    return written[0] if written else None

"""Pip's check that a member of an archive stays below the folder it is unpacked into."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

import os


def within(root: str, path: str) -> bool:
    """Tell whether pip would write the member ``path`` below ``root``."""
    from pip._internal.utils.unpacking import is_within_directory

    return is_within_directory(root, os.path.join(root, path))

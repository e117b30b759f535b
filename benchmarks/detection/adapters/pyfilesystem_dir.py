"""PyFilesystem's OSFS: a file system whose root is one folder."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked


def read(root: str, path: str) -> bytes:
    """Return the content of ``path`` below ``root``; whatever it raises refuses."""
    from fs.osfs import OSFS

    with OSFS(root) as folder:
        return folder.readbytes(path)

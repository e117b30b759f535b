"""Unpackers of the standard library, as their documentation shows them."""

import shutil
import tarfile
import zipfile

_RATIO = 100  # times what a member takes in the archive


def tar_data(archive: str, dest: str) -> None:
    """Unpack a tar file with the filter for data."""
    with tarfile.open(archive) as opened:
        opened.extractall(dest, filter="data")


def zip_all(archive: str, dest: str) -> None:
    """Unpack a zip file."""
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(dest)


def zip_by_ratio(archive: str, dest: str) -> None:
    """Unpack a zip file unless a member is a hundred times larger than it is packed."""
    with zipfile.ZipFile(archive) as opened:
        if any(one.file_size > _RATIO * one.compress_size for one in opened.infolist()):
            raise ValueError("a bomb")
        opened.extractall(dest)


def by_name_data(archive: str, dest: str) -> None:
    """Unpack what the ending names, tar files with the filter for data."""
    filtered = {} if archive.endswith(".zip") else {"filter": "data"}
    shutil.unpack_archive(archive, dest, **filtered)

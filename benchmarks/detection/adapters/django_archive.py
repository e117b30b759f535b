"""Django's unpacker of templates for projects; keeps to what Python 3.7 reads."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked


def unpack(archive: str, dest: str) -> None:
    """Unpack a tar or zip file."""
    from django.utils.archive import extract

    extract(archive, dest)

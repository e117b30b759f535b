"""Werkzeug's safe_join and the send_from_directory that Flask serves files with."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked


def join(root: str, path: str) -> str | None:
    """Return the joined path, None where Werkzeug refuses it."""
    from werkzeug.utils import safe_join

    return safe_join(root, path)


def send(root: str, path: str) -> bytes:
    """Return the body that ``send_from_directory`` answers with; NotFound refuses."""
    from werkzeug.test import EnvironBuilder
    from werkzeug.utils import send_from_directory

    response = send_from_directory(root, path, EnvironBuilder().get_environ())
    response.direct_passthrough = False
    return response.get_data()

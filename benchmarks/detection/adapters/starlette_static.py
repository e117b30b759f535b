"""Starlette's static files: what a request for a path would be answered with."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked


def lookup(root: str, path: str) -> str | None:
    """Return the file that ``StaticFiles`` finds for ``path``, None where it finds none."""
    from starlette.staticfiles import StaticFiles

    found, stat_result = StaticFiles(directory=root).lookup_path(path)
    return found if stat_result is not None else None

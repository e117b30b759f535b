"""The command ``wheel unpack``; a zip file becomes a wheel by the hashes that are added to it."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

import base64
import csv
import hashlib
import io
import os
import zipfile

_ABOUT = "pkg-1.0.dist-info"


def unpack(archive: str, dest: str) -> None:
    """Unpack a zip file as the wheel ``pkg``, below ``pkg-1.0``."""
    try:
        from wheel._commands.unpack import unpack as run
    except ImportError:
        from wheel.cli.unpack import unpack as run

    run(_as_wheel(archive), dest)


def _as_wheel(archive: str) -> str:
    made = os.path.join(os.path.dirname(archive), "pkg-1.0-py3-none-any.whl")
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(made, "w") as new:
        record = io.StringIO()
        rows = csv.writer(record)
        for info in old.infolist():
            content = old.read(info)
            new.writestr(info, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            rows.writerow((info.filename, f"sha256={digest.decode()}", len(content)))
        new.writestr(f"{_ABOUT}/RECORD", record.getvalue())
    return made

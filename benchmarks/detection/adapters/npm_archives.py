"""Unpackers of npm: ``tar-fs``, ``tar`` and ``adm-zip``."""

from __future__ import annotations

from node_asked import ask

# Hard links may be looked for from the current folder: that of the archive, then.
_AT_HOME = "process.chdir(require('node:path').dirname(archive))"


def tar_fs(archive: str, dest: str) -> None:
    """Unpack a tar file as the documentation of tar-fs shows."""
    ask(
        f"""require => (archive, dest) => new Promise((done, fail) => {{
          {_AT_HOME}
          const into = require('tar-fs').extract(dest)
          const from = require('node:fs').createReadStream(archive)
          into.on('finish', () => done()).on('error', fail)
          into.on('close', () => fail(new Error('closed')))
          from.on('error', fail).pipe(into)
        }})""",
        archive,
        dest,
    )


def node_tar(archive: str, dest: str) -> None:
    """Unpack a tar file with node-tar, packed or not; what it warns of it leaves out."""
    ask(
        f"""require => (archive, dest) => {{
          {_AT_HOME}
          require('tar').x({{ file: archive, cwd: dest, sync: true }})
        }}""",
        archive,
        dest,
    )


def adm_zip(archive: str, dest: str) -> None:
    """Unpack a zip file over what is there."""
    ask(
        f"""require => (archive, dest) => {{
          {_AT_HOME}
          const AdmZip = require('adm-zip')
          new AdmZip(archive).extractAllTo(dest, true)
        }}""",
        archive,
        dest,
    )

"""wasmtime: a module of WebAssembly that reaches the folders which are opened to it."""

import importlib.util
import json
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

from capfuzz.engine import Capabilities
from capfuzz.targets import probe
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    beyond,
    environment,
    in_depth,
    reading_what_it_writes,
    write_only,
)

_HOST = str(Path(probe.__file__).with_name("wasi.py"))
_OLDEST = 50  # the first that was tried
# The kinds of op in wasi.py.
OFFERED = frozenset(
    {
        *("fs_read", "fs_write", "fs_append", "fs_truncate", "fs_list", "fs_stat", "fd_stat"),
        *("fs_rename", "fs_link", "fs_symlink", "fs_mkdir", "fs_unlink", "fs_utimes", "fd_utimes"),
        *("fds_inherited", "proc_environ", "proc_root", "env_read"),
    }
)
_GUEST = "COMMAND is not run, but the guest that attacks: open the same folders to yours"
NO_CALL = "WASI preview 1 has no call that does it, or the guest that is run makes none"


class Wasmtime:
    """The library ``wasmtime`` with WASI preview 1, and a folder opened for each granted place."""

    name = "wasmtime"
    meaning = "wasmtime: WASI with the granted folders opened"
    cannot: Mapping[str, str] = MappingProxyType(
        {
            **beyond(OFFERED, NO_CALL),
            "files granted": "wasmtime, WasiConfig.preopen_dir: folders alone are opened",
        }
    )

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        if importlib.util.find_spec("wasmtime") is None:
            return "wasmtime is not installed: pip install wasmtime"
        version = metadata.version("wasmtime")
        old = int(version.partition(".")[0]) < _OLDEST
        return f"wasmtime {version}: {_OLDEST} or newer is needed" if old else None

    def version(self) -> str:
        """Return the version that is installed."""
        return metadata.version("wasmtime")

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """Return the grant with what may be written readable; None with a network."""
        return None if grant.net_hosts else reading_what_it_writes(grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the folders to open, and the command that runs the guest."""
        places = in_depth((*grant.fs_read, *grant.fs_write))
        writes = in_depth(grant.fs_write)
        preopens = [[place, place in writes] for place in places]
        return Rendered(
            (*environment(layout), sys.executable, "-I", _HOST, "preopens.json"),
            {"preopens.json": json.dumps(preopens, indent=2) + "\n"},
            (*write_only(grant), *(() if layout.inside else (_GUEST,))),
        )

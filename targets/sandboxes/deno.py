"""Deno: a runtime that opens nothing but what the command line names."""

import shutil
import sysconfig
from collections.abc import Mapping
from types import MappingProxyType

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import Layout, Rendered, environment, said
from capfuzz.targets.sandboxes.scripts import UNTRIED, holding, refuse, with_ports

_ALONE = ("--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--cached-only")
_COMMA = "Deno takes a comma for the end of a place, also one that is doubled"
_MODEL = "Deno, Permissions"  # docs.deno.com/runtime/reference/permissions


class Deno:
    """``deno run`` with places and the host of the network named, and nothing else."""

    name = "deno"
    meaning = "Deno 2: its permissions"
    cannot: Mapping[str, str] = MappingProxyType(
        UNTRIED | {"links": f"{_MODEL}: where a link stands is judged, and not where it leads"}
    )
    refuses: Mapping[str, str] = MappingProxyType(
        {
            "fs_symlink": f"{_MODEL}: links are made where everything may be read and written alone",
            "fd_reopen": f"{_MODEL}: /proc is open under --allow-all alone",
        }
    )
    claims = frozenset({"net_port"})
    opens_devices = False  # as with /proc and /sys

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        if program() is None:
            return "deno is not installed: pip install deno"
        version = self.version()
        return None if version.startswith("deno 2.") else f"{version}: Deno 2 is needed"

    def version(self) -> str:
        """Return the version that is installed."""
        return said(program() or "deno", "--version")

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """Return the grant as it is, None where a place holds what Deno parts places by."""
        return None if holding(",", grant) else grant

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command line for a grant of real places; raises `TargetError`."""
        refuse(self.name, holding(",", grant), _COMMA)
        named = {"read": grant.fs_read, "write": grant.fs_write, "net": with_ports(grant, layout)}
        allowed = [f"--allow-{what}={','.join(ones)}" for what, ones in named.items() if ones]
        quiet = {"DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
        own = environment(layout, DENO_DIR=f"{layout.folder}/deno", **quiet)
        return Rendered((*own, program() or "deno", "run", *_ALONE, *allowed, layout.script))


def program() -> str | None:
    """Return where it is: on the path, or among the scripts of the Python that runs this."""
    return shutil.which("deno") or shutil.which("deno", path=sysconfig.get_path("scripts"))

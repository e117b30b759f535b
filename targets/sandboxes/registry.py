"""Every adapter that can be attacked, by the name that it has on the command line."""

from capfuzz.targets.sandboxes.base import Adapter
from capfuzz.targets.sandboxes.bwrap import Bubblewrap
from capfuzz.targets.sandboxes.codex import Codex
from capfuzz.targets.sandboxes.deno import Deno
from capfuzz.targets.sandboxes.docker import Docker
from capfuzz.targets.sandboxes.e2b import E2B
from capfuzz.targets.sandboxes.firejail import Firejail
from capfuzz.targets.sandboxes.landlock import Landlock
from capfuzz.targets.sandboxes.landlock_seccomp import LandlockSeccomp
from capfuzz.targets.sandboxes.monty import Monty
from capfuzz.targets.sandboxes.node import Node
from capfuzz.targets.sandboxes.nsjail import Nsjail
from capfuzz.targets.sandboxes.nspawn import Nspawn
from capfuzz.targets.sandboxes.oci import CRUN, GVISOR, RUNC
from capfuzz.targets.sandboxes.podman import Podman
from capfuzz.targets.sandboxes.sandlock import Sandlock
from capfuzz.targets.sandboxes.srt import SandboxRuntime
from capfuzz.targets.sandboxes.unshare import Unshare
from capfuzz.targets.sandboxes.vercel import Vercel
from capfuzz.targets.sandboxes.wasm import Wasmtime

ADAPTERS: dict[str, Adapter] = {
    one.name: one
    for one in (
        Bubblewrap(),
        Firejail(),
        Landlock(),
        LandlockSeccomp(),
        Nsjail(),
        Nspawn(),
        Podman(),
        Docker(),
        Sandlock(),
        Unshare(),
        RUNC,
        CRUN,
        GVISOR,
        Node(),
        Deno(),
        SandboxRuntime(),
        Codex(),
        Wasmtime(),
        Monty(),
        E2B(),
        Vercel(),
    )
}
ENGINES = {one.engine: one for one in (Docker, Podman)}


def adapter_of(spec: str) -> Adapter | None:
    """
    Return the adapter that a spec names, None for what is no sandbox of the system.

    ``docker:NAME`` and ``podman:NAME`` are the engine with a runtime. Raises `TargetError`.
    """
    engine, mark, runtime = spec.partition(":")
    if mark and engine in ENGINES:
        return ENGINES[engine](runtime)
    return ADAPTERS.get(spec)

"""The engine's checks as the tables ask them, and its whole ``run``."""

from collections.abc import Callable, Sequence

from capfuzz.engine import Capabilities, Result, Sandbox
from peers import Ask, Peer, Takes
from workloads import NEVER, Line, Shelf, tools

_ALL = (1, 10, 100, 1_000, 10_000, 100_000)


def sandbox(caps: Capabilities) -> Sandbox:
    """Return a sandbox over a world whose effects cost next to nothing."""
    return Sandbox(caps, Shelf(), Line(), tools())


def path_check(caps: Capabilities) -> Callable[[str], str | Result]:
    """Return the check of a read as ``run`` makes it: the place, or the denial."""
    return sandbox(caps)._readable.locate  # noqa: SLF001 - the check alone has no public name


def host_check(caps: Capabilities) -> Callable[[str], bool]:
    """Return the check of a host as ``run`` makes it."""
    return caps.hosts.admit


def _path(roots: Sequence[str]) -> Ask:
    locate = path_check(Capabilities(fs_read=roots))
    return lambda text: place if type(place := locate(text)) is str else None


def _run_read(roots: Sequence[str]) -> Ask:
    caps = Capabilities(fs_read=roots, max_ops=NEVER, max_output_bytes=NEVER, max_wall=NEVER)
    run = sandbox(caps).run
    return lambda text: run(("fs_read", text)).ok


def _host(hosts: Sequence[str]) -> Ask:
    return host_check(Capabilities(net_hosts=hosts))


PATH_OURS = (
    Peer("capfuzz, the check", _path, Takes.PATH, "capfuzz", "capfuzz.engine", _ALL),
    Peer("capfuzz, the whole run", _run_read, Takes.PATH, "capfuzz", "capfuzz.engine", _ALL),
)
HOST_OURS = (Peer("capfuzz, the check", _host, Takes.HOST, "capfuzz", "capfuzz.engine", _ALL),)

"""From bytes to cases for sandboxes of the system: a session's, by every door that a program has."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from zlib import crc32

from capfuzz.attacks import naive
from capfuzz.attacks.case import Case
from capfuzz.attacks.kernel import COUNTED, LOOPBACK
from capfuzz.engine import Capabilities
from capfuzz.strategies import decode, stage
from capfuzz.strategies.moves import pick

_TEXT, _SIZE, _MODE, _THEN = "written by capfuzz", 4, 0o640, 1_000_000_000
_LOOKS = ("fs_read", "fs_read", "fs_list", "fs_stat", "fd_stat", "fs_uring")
_CHANGES: tuple[Callable[[str], tuple[Any, ...]], ...] = (
    lambda path: ("fs_write", path, _TEXT),
    lambda path: ("fs_write", path, _TEXT),
    lambda path: ("fs_append", path, _TEXT),
    lambda path: ("fs_truncate", path, _SIZE),
    lambda path: ("fd_reopen", path, _TEXT),
    lambda path: ("fs_chmod", path, _MODE),
    lambda path: ("fs_utimes", path, _THEN),
)
_OPEN, _SHUT = ("net_tcp", "net_port"), ("net_tcp", "net_udp", "net_unix", "net_abstract")
_OTHERS: tuple[tuple[Any, ...], ...] = (
    *(("proc_signal",), ("proc_trace",), ("proc_memory",), ("proc_environ",)),
    *(("env_read",), ("fds_inherited",), ("priv_unshare",)),
    *((kind, number) for kind in COUNTED for number in (2, 48)),
)
_MOST = 16  # processes at once, where some are started; a container needs a few to start at all
_WITH_A_FILE = 4  # one grant in so many has a file among its places


def case(data: bytes) -> Case:
    """Return a case as a session is asked, with its ops as a program would try them."""
    drawn = decode.case(data)
    grant = _with_a_file(drawn.grant) if data[0] % _WITH_A_FILE == 0 else drawn.grant
    # Systems that share the network share what else is in it; where it is shut, all must be.
    network = _OPEN if LOOPBACK in grant.net_hosts else _SHUT
    ops: tuple[Any, ...] = tuple(_tried(op, network) for op in drawn.ops)
    if any(op and op[0] in COUNTED for op in ops if type(op) is tuple):
        grant = replace(grant, max_ops=max(_MOST, len(ops)))
    return replace(drawn, grant=grant, ops=ops)


def _tried(op: Any, network: tuple[str, ...]) -> Any:
    """Return an op by one of its doors, always the same one for the same op."""
    number = crc32(repr(op).encode("utf-8", "surrogatepass"))
    match op:
        case ("fs_read", str(path)):
            return (pick(_LOOKS, number), path)
        case ("fs_write", str(path), _):
            return pick(_CHANGES, number)(path)
        case ("net_fetch", *_):
            return (pick(network, number),)
        case ("tool", *_):
            return pick(_OTHERS, number)
    return op


def _with_a_file(grant: Capabilities) -> Capabilities:
    """Return the grant with a file in the place of the first folder that has one."""
    return replace(grant, fs_read=_narrowed(grant.fs_read), fs_write=_narrowed(grant.fs_write))


def _narrowed(places: tuple[str, ...]) -> tuple[str, ...]:
    if not places:
        return places
    files = [file for file in stage.WORLD.files if naive.within(file, places[:1])]
    return (*files[:1], *places[1:]) if files else places

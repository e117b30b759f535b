"""From bytes to cases of one op, for functions that are asked one path or one URL."""

from capfuzz.attacks.case import Case
from capfuzz.engine import Capabilities
from capfuzz.strategies import decode, stage
from capfuzz.strategies._ssrf import SSRF_BYTES, ssrf_move
from capfuzz.strategies.moves import Move

PIECES = (
    *("data.txt", "..", "/", "workshop", "secret.txt", "etc/passwd", ".", "sub", "\\", "%2e"),
    *("%2f", "%5c", "%252e", "\uff0e", "\uff0f", "\0", " ", ";", "work", "-evil", "../", "..\\"),
)
_MOST_PIECES = 8
PATH_BYTES = 2 + _MOST_PIECES
URL_BYTES = 2
# The piece that tells most about a path comes first.
_TELLING = (
    ("\0", "nul-inside-dots"),
    ("%25", "double-percent"),
    ("%", "percent-dots"),
    ("\\", "backslash-climb"),
    ("\uff0e", "fullwidth-dots"),
    ("\uff0f", "fullwidth-slash"),
    ("..", "climb"),
)
_PATH_GRANT = Capabilities(fs_read=("/work/",))
_HOST_GRANT = Capabilities(net_hosts=("api.internal",))
_NO_GRANT = Capabilities()


def path_case(data: bytes) -> Case:
    """Return one read below one root: a technique's spelling, or for odd bytes pieces in a row."""
    if data[0] % 2:
        path = pieced("/work/", data[1:])
        return _single(_PATH_GRANT, Move(("fs_read", path), _named(path)))
    return _single(_PATH_GRANT, decode.read(_PATH_GRANT, *data[1:4]))


def pieced(start: str, data: bytes) -> str:
    """Return a path put together from the pieces of which traversals are made."""
    chosen = data[1 : 2 + data[0] % _MOST_PIECES]
    return start + "".join(PIECES[byte % len(PIECES)] for byte in chosen)


def url_case(data: bytes) -> Case:
    """Return one URL that names a granted host and may lead to another."""
    table = decode.urls("api.internal", "evil.test")
    return _single(_HOST_GRANT, table[int.from_bytes(data[:URL_BYTES]) % len(table)])


def ssrf_case(data: bytes) -> Case:
    """Return one address, host or URL that is internal, looks so, or lies just beside."""
    return _single(_NO_GRANT, ssrf_move(data[:SSRF_BYTES]))


def _named(path: str) -> str:
    """Return the technique that a path put together from pieces comes closest to."""
    for piece, technique in _TELLING:
        if piece in path:
            return technique
    return "outside"


def _single(grant: Capabilities, move: Move) -> Case:
    return Case(grant, stage.PLAIN_WORLD, (move.op,), (move.technique,), "generated")

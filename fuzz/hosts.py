"""The host harness: bytes to one host that a session fetches from, or one URL for a function."""

from capfuzz.attacks.case import Case, Surface
from capfuzz.fuzz import stages
from capfuzz.fuzz.text import UNNAMED, decoded
from capfuzz.strategies import decode
from capfuzz.strategies.moves import Move

PIECES = (
    *("http://", "api.internal", "evil.test", "/", "@", ":", ".", "\\", "#", "?", "https://"),
    *("%2e", "%40", "%2f", "%00", "\t", "\n", " ", "//", ":80", "user", "[", "]", "\u3002"),
    *("\uff0f", "\uff20", "127.0.0.1", "0x7f", "-", "x", ";", "&", "API.INTERNAL", "www."),
)
_MOST_PIECES = 10
_NAMES = ("10.0.0.1", "api.internal", "fd00::a:1", "evil.test", "0", "x", "a")
_MARKS = ("", ".", ":", "%", "%2e", "@", "/", "\\", " ", "\0", "0x", "::ffff:", "[", "]", "-", "_")


def case_of(data: bytes, surface: Surface) -> Case | None:
    """Return the case that ``data`` says: literal text after an odd byte, else picks from tables."""
    if not data:
        return None
    if surface is Surface.SESSION:
        move = _fetch(data)
        return Case(stages.HOST_GRANT, stages.HOSTS, (move.op,), (move.technique,), "generated")
    move = _url(data)
    return Case(stages.URL_GRANT, stages.NO_WORLD, (move.op,), (move.technique,), "generated")


def _fetch(data: bytes) -> Move:
    if data[0] & 1:
        return Move(("net_fetch", decoded(data[1:]), "/status"), UNNAMED)
    if data[0] & 2:
        picked = (_NAMES if at % 2 == 0 else _MARKS for at in range(_MOST_PIECES))
        name = "".join(
            table[byte % len(table)] for table, byte in zip(picked, data[1:], strict=False)
        )
        return Move(("net_fetch", name, "/status"), UNNAMED)
    picks = data[1:4].ljust(3, b"\0")
    name, technique = decode.host_spelling(stages.HOST_GRANT, *picks)
    return Move(("net_fetch", name, "/status"), technique)


def _url(data: bytes) -> Move:
    if data[0] & 1:
        return Move(("url", decoded(data[1:])), UNNAMED)
    if data[0] & 2:
        url = "".join(PIECES[byte % len(PIECES)] for byte in data[1 : 1 + _MOST_PIECES])
        return Move(("url", f"http://{url}" if data[0] & 4 else url), UNNAMED)
    table = decode.urls("api.internal", "evil.test")
    return table[int.from_bytes(data[1:3]) % len(table)]

"""The sequence harness: bytes to a grant, a clock and up to a dozen ops in one session."""

from capfuzz.attacks.case import Case, Surface
from capfuzz.fuzz.text import case_of as described
from capfuzz.fuzz.text import decoded
from capfuzz.strategies import decode, stage

_MOST_OPS = 12
_CLOCK = 7  # the byte of the head that picks the clock
_ALONE = 253  # odd, and not the value that starts threads: what they do is not the input's alone


def case_of(data: bytes, _surface: Surface) -> Case | None:
    """Return the case that ``data`` says: lines of text after an odd byte, else picks from tables."""
    if not data:
        return None
    if data[0] & 1:
        return described(decoded(data[1:]), stage.WORLD)
    body = bytearray(data[1 : 1 + decode.HEAD_BYTES + decode.OP_BYTES * _MOST_OPS])
    if len(body) > _CLOCK:
        body[_CLOCK] = min(body[_CLOCK], _ALONE)
    return decode.case(bytes(body))

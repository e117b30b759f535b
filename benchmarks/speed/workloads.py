"""
What is asked in the measurements: grants of any size, ops of every kind, honest and hostile.

Everything follows from a seed. Ops come in blocks of ten, of which seven are allowed, so the front
of a workload has the mix of the whole. Roots and hosts are numbered with six digits, so that every
near miss can be told to be one.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from capfuzz.engine import VFS, Capabilities, Net
from shapes import (
    HONEST_HOSTS,
    HONEST_PATHS,
    MALFORMED,
    REFUSED_HOSTS,
    REFUSED_PATHS,
    REFUSED_TOOLS,
    TOOL,
    WORDS,
    Shape,
)

OPS = 10_000
DEEP, SHORT = 40, 5  # segments
ALLOWED_IN_TEN = 7
DATA = b"a line of an invoice\n"
NEVER = 10**9  # of a real budget's size, but never reached: a halted sandbox would be a fast one
KINDS = ("fs_read", "fs_write", "net_fetch", "tool")
_DRAWN = ("fs_read", *KINDS)  # of five ops two are reads
_NO_OP = 0.05  # of the refused ones

Text = tuple[str, bool]  # a path or host, and whether it is granted
Op = tuple[object, bool]  # an op, and whether it is allowed


def root(number: int, floor: str = "") -> str:
    """Return the name of a granted root, below ``floor``."""
    return f"{floor}/srv/tenant{number:06d}"


def host(number: int) -> str:
    """Return the name of a granted host."""
    return f"api{number:06d}.internal"


def grant(roots: int = 1, hosts: int = 1, floor: str = "") -> Capabilities:
    """Return a grant to read and write below ``roots`` places and to contact ``hosts``."""
    places = [root(number, floor) for number in range(roots)]
    return Capabilities(
        fs_read=places,
        fs_write=places,
        net_hosts=[host(number) for number in range(hosts)],
        allowed_tools=(TOOL,),
        max_ops=NEVER,
        max_output_bytes=NEVER,
        max_wall=NEVER,
    )


def paths(roots: int = 1, count: int = OPS, seed: int = 0, floor: str = "") -> list[Text]:
    """Return absolute paths, 70 % of them in or below one of ``roots``."""
    draw = random.Random(f"paths {seed}")
    found = _texts(lambda: root(draw.randrange(roots), floor), HONEST_PATHS, REFUSED_PATHS, draw)
    return list(islice(found, count))


def hosts(granted: int = 1, count: int = OPS, seed: int = 0) -> list[Text]:
    """Return hosts, 70 % of them among the first ``granted``."""
    draw = random.Random(f"hosts {seed}")
    found = _texts(lambda: host(draw.randrange(granted)), HONEST_HOSTS, REFUSED_HOSTS, draw)
    return list(islice(found, count))


def mixed(roots: int = 1, hosts: int = 1, count: int = OPS, seed: int = 0) -> list[Op]:
    """Return ops of all four kinds, 70 % of them allowed under ``grant(roots, hosts)``."""
    draw = random.Random(f"ops {seed}")
    return list(islice(_ops(roots, hosts, draw), count))


def allowed(kind: str, count: int, roots: int = 1, hosts: int = 1) -> list[object]:
    """Return honest ops of one kind, spelt as in the mixed workload."""
    draw = random.Random(f"allowed {kind}")
    return [_op(kind, _HONEST[kind], (roots, hosts), draw) for _ in range(count)]


def refused(kind: str, count: int, roots: int = 1, hosts: int = 1) -> dict[str, list[object]]:
    """Return ops of one kind that are refused, by the name of their spelling."""
    draw = random.Random(f"refused {kind}")
    return {
        name: [_op(kind, [shape], (roots, hosts), draw) for _ in range(count)]
        for name, shape in _REFUSED[kind].items()
    }


def straight_paths(segments: int, count: int = OPS, roots: int = 1) -> list[str]:
    """Return granted paths of so many segments, with short names as real trees have."""
    draw = random.Random(f"straight {segments}")
    more = range(segments - root(0).count("/"))
    return [
        "/".join([root(draw.randrange(roots)), *(draw.choice(WORDS) for _ in more)])
        for _ in range(count)
    ]


class Shelf(VFS):
    """Files of which each op costs one dictionary access, so that the deciding is what counts."""

    def read_place(self, _place: str) -> bytes:
        """Return the same bytes for any place."""
        return DATA

    def write_place(self, _place: str, data: bytes) -> None:
        """Keep the last bytes written."""
        self._files[""] = data


class Line(Net):
    """Hosts that answer at once."""

    def fetch(self, _host: str, _path: str) -> str:
        """Return the same answer for any host."""
        return "ok"


def tools() -> dict[str, Callable[..., object]]:
    """Return the tool that is granted, and one that is not."""
    return {TOOL: lambda *_: "a summary", "shell": lambda *_: "a shell"}


def _texts(
    granted: Callable[[], str],
    honest: Sequence[Shape],
    hostile: Mapping[str, Shape],
    draw: random.Random,
) -> Iterator[Text]:
    wrong = tuple(hostile.values())
    while True:
        shapes = [(draw.choice(honest if good else wrong), good) for good in _block()]
        draw.shuffle(shapes)
        for shape, good in shapes:
            yield shape(granted(), draw), good


def _ops(roots: int, hosts: int, draw: random.Random) -> Iterator[Op]:
    while True:
        block = [(_any_op(good, (roots, hosts), draw), good) for good in _block()]
        draw.shuffle(block)
        yield from block


def _block() -> list[bool]:
    return [place < ALLOWED_IN_TEN for place in range(10)]


def _any_op(good: bool, sizes: tuple[int, int], draw: random.Random) -> object:  # noqa: FBT001
    kind = draw.choice(_DRAWN)
    if not good and draw.random() < _NO_OP:
        return draw.choice(MALFORMED)
    return _op(kind, _HONEST[kind] if good else tuple(_REFUSED[kind].values()), sizes, draw)


def _op(kind: str, shapes: Sequence[Shape], sizes: tuple[int, int], draw: random.Random) -> object:
    shape = draw.choice(shapes)
    if kind == "tool":
        return (kind, shape(TOOL, draw), "abc")
    if kind == "net_fetch":
        return (kind, shape(host(draw.randrange(sizes[1])), draw), "/status")
    path = shape(root(draw.randrange(sizes[0])), draw)
    return (kind, path) if kind == "fs_read" else (kind, path, DATA)


_HONEST: dict[str, Sequence[Shape]] = {
    "fs_read": HONEST_PATHS,
    "fs_write": HONEST_PATHS,
    "net_fetch": HONEST_HOSTS,
    "tool": (lambda name, _: name,),
}
_REFUSED = {
    "fs_read": REFUSED_PATHS,
    "fs_write": REFUSED_PATHS,
    "net_fetch": REFUSED_HOSTS,
    "tool": REFUSED_TOOLS,
}

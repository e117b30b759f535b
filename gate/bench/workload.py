"""
What is timed: honest ops and near misses of each kind, under more grants, and deeper.

A near miss is a sibling of what is granted, so that no check is flattered by leaving early, and
the ops of one workload are spread evenly over the grants, so that none is flattered by its order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, takewhile

from capfuzz.attacks.case import Behaviour, Case, WorldSpec
from capfuzz.engine import Capabilities

MOST = 10_000  # granted roots or hosts, unless more are asked for
DEPTHS = (3, 10, 40)  # segments in a path
OPS = 16  # different ops in a workload
# A session that halts would make every later number meaningless.
_NO_END = 10**15
_DATA = b"sixteen bytes..."
_ROUTE = "/status"
_CONTROL = "/work/control.txt"


@dataclass(frozen=True, slots=True)
class Workload:
    """
    Ops that a right target answers alike: all allowed, or all refused.

    The last op of the case is its control: honest, and not timed. ``group`` is ``kind``, ``roots``,
    ``hosts`` or ``depth``, and ``size`` how many of those. ``make`` makes the case, which may take a
    while and much memory.
    """

    kind: str
    group: str
    size: int
    allowed: bool
    make: Callable[[], Case]

    @property
    def case(self) -> Case:
        """The ops, what is granted for them and what is there; made anew each time."""
        return self.make()

    @property
    def name(self) -> str:
        """What the workload is called in reports and in saved files."""
        answer = "allowed" if self.allowed else "denied"
        extra = "" if self.group == "kind" else f" {self.group}={self.size}"
        return f"{self.kind} {answer}{extra}"


def sizes_to(most: int) -> tuple[int, ...]:
    """Return the numbers of roots or hosts that are tried: powers of ten, and ``most``."""
    powers = takewhile(lambda size: size < most, (10**power for power in count()))
    return (*powers, most)


def workloads(sizes: tuple[int, ...] = sizes_to(MOST)) -> tuple[Workload, ...]:
    """Return every workload, the plain ones of each kind first."""
    return (
        *_either_way(_reads, "fs_read"),
        *_either_way(_writes, "fs_write"),
        *_either_way(_fetches, "net_fetch"),
        *_either_way(_calls, "tool"),
        *(one for size in sizes for one in _either_way(_roots, "fs_read", "roots", size)),
        *(one for size in sizes for one in _either_way(_hosts, "net_fetch", "hosts", size)),
        *(one for depth in DEPTHS for one in _either_way(_depths, "fs_read", "depth", depth)),
    )


def _either_way(
    case: Callable[[bool, int], Case], kind: str, group: str = "kind", size: int = 1
) -> Iterator[Workload]:
    for allowed in (True, False):
        yield Workload(kind, group, size, allowed, partial(case, allowed, size))


def _reads(allowed: bool, _size: int) -> Case:  # noqa: FBT001 - as in all that follow: what the ops are
    files = _files(_numbered("/work" if allowed else "/workshop"))
    return _case(
        [*(("fs_read", path) for path in files), ("fs_read", _CONTROL)], files, fs_read=("/work",)
    )


def _writes(allowed: bool, _size: int) -> Case:  # noqa: FBT001
    paths = [*_numbered("/work" if allowed else "/workshop"), _CONTROL]
    return _case([("fs_write", path, _DATA) for path in paths], fs_write=("/work",))


def _fetches(allowed: bool, _size: int) -> Case:  # noqa: FBT001
    asked = ("api.internal" if allowed else "api.internal.example", "api.internal")
    return _case([("net_fetch", host, _ROUTE) for host in asked], net_hosts=("api.internal",))


def _calls(allowed: bool, _size: int) -> Case:  # noqa: FBT001
    tool = "lookup" if allowed else "lookups"
    calls = (("tool", tool, f"{number:02}") for number in range(OPS))
    return _case([*calls, ("tool", "lookup", "control")], allowed_tools=("lookup",))


def _roots(allowed: bool, size: int) -> Case:  # noqa: FBT001
    roots = tuple(f"/data/{number:05}/work" for number in range(size))
    tail = "" if allowed else "shop"
    paths = [f"{root}{tail}/data.txt" for root in _spread(roots)]
    files = _files([*paths, f"{roots[-1]}/control.txt"])
    return _case([("fs_read", path) for path in files], files, fs_read=roots)


def _hosts(allowed: bool, size: int) -> Case:  # noqa: FBT001
    hosts = tuple(f"h{number:05}.internal" for number in range(size))
    tail = "" if allowed else ".example"
    asked = (*(host + tail for host in _spread(hosts)), hosts[-1])
    return _case([("net_fetch", host, _ROUTE) for host in asked], net_hosts=hosts)


def _depths(allowed: bool, depth: int) -> Case:  # noqa: FBT001
    below = "".join(f"/folder{level:02}" for level in range(depth - 2))
    files = _files([*_numbered(("/work" if allowed else "/workshop") + below), _CONTROL])
    return _case([("fs_read", path) for path in files], files, fs_read=("/work",))


def _case(
    ops: Sequence[tuple[object, ...]],
    files: Mapping[str, bytes] | None = None,
    **granted: tuple[str, ...],
) -> Case:
    grant = Capabilities(
        **granted,
        max_ops=_NO_END,
        max_output_bytes=_NO_END,
        max_wall=_NO_END,
    )
    fetched = {str(op[1]): {_ROUTE: "ok"} for op in ops if op[0] == "net_fetch"}
    tools = dict.fromkeys(grant.allowed_tools, Behaviour.ECHO)
    world = WorldSpec(files={**(files or {}), _CONTROL: _DATA}, hosts=fetched, tools=tools)
    return Case(grant, world, tuple(ops), (str(ops[0][0]),) * len(ops), "bench")


def _numbered(folder: str) -> list[str]:
    return [f"{folder}/{number:02}.txt" for number in range(OPS)]


def _files(paths: list[str]) -> dict[str, bytes]:
    return {path: path.encode() for path in paths}


def _spread(names: tuple[str, ...]) -> list[str]:
    """Return up to `OPS` names from all over, so ordered that any first few are spread as well."""
    bits = OPS.bit_length() - 1
    turns = sorted(range(OPS), key=lambda number: f"{number:0{bits}b}"[::-1])
    at = (len(names) * (2 * turn + 1) // (2 * OPS) for turn in turns)
    return list(dict.fromkeys(names[one] for one in at))

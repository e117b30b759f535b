"""
What is timed: honest ops and near misses of each kind, under more grants, and deeper.

A near miss is a sibling of what is granted, so that no check is flattered by leaving early, and
the ops of one workload are spread evenly over the grants, so that none is flattered by its order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from capfuzz.attacks.case import Behaviour, Case, WorldSpec
from capfuzz.engine import Capabilities

SIZES = (1, 10, 100, 1_000, 10_000)  # granted roots or hosts
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

    The last op of the case is its control: honest, and not timed. ``group`` is ``kind``, ``roots``, ``hosts`` or ``depth``, and ``size`` how many of those.
    """

    kind: str
    group: str
    size: int
    allowed: bool
    case: Case

    @property
    def name(self) -> str:
        """What the workload is called in reports and in saved files."""
        answer = "allowed" if self.allowed else "denied"
        extra = "" if self.group == "kind" else f" {self.group}={self.size}"
        return f"{self.kind} {answer}{extra}"


def workloads(sizes: tuple[int, ...] = SIZES) -> tuple[Workload, ...]:
    """Return every workload, the plain ones of each kind first."""
    return (*_kinds(), *_roots(sizes), *_hosts(sizes), *_depths())


def _kinds() -> Iterator[Workload]:
    for allowed, folder in ((True, "/work"), (False, "/workshop")):
        files = _files([f"{folder}/{number:02}.txt" for number in range(OPS)])
        reads = tuple(("fs_read", path) for path in files)
        writes = tuple(("fs_write", path, _DATA) for path in files)
        read, write = ("fs_read", _CONTROL), ("fs_write", _CONTROL, _DATA)
        yield _workload("fs_read", allowed, (*reads, read), files=files, fs_read=("/work",))
        yield _workload("fs_write", allowed, (*writes, write), files=files, fs_write=("/work",))
    for allowed, host in ((True, "api.internal"), (False, "api.internal.example")):
        fetches = tuple(("net_fetch", one, _ROUTE) for one in (host, "api.internal"))
        yield _workload("net_fetch", allowed, fetches, net_hosts=("api.internal",))
    for allowed, tool in ((True, "lookup"), (False, "lookups")):
        calls = tuple(("tool", tool, f"{number:02}") for number in range(OPS))
        control = ("tool", "lookup", "control")
        yield _workload("tool", allowed, (*calls, control), allowed_tools=("lookup",))


def _roots(sizes: tuple[int, ...]) -> Iterator[Workload]:
    for size in sizes:
        roots = tuple(f"/data/{number:05}/work" for number in range(size))
        for allowed, tail in ((True, ""), (False, "shop")):
            control = f"{roots[-1]}/control.txt"
            files = _files([*(f"{root}{tail}/data.txt" for root in _spread(roots)), control])
            ops = tuple(("fs_read", path) for path in files)
            yield _workload(
                "fs_read", allowed, ops, group="roots", size=size, files=files, fs_read=roots
            )


def _hosts(sizes: tuple[int, ...]) -> Iterator[Workload]:
    for size in sizes:
        hosts = tuple(f"h{number:05}.internal" for number in range(size))
        for allowed, tail in ((True, ""), (False, ".example")):
            asked = (*(host + tail for host in _spread(hosts)), hosts[-1])
            ops = tuple(("net_fetch", host, _ROUTE) for host in asked)
            yield _workload("net_fetch", allowed, ops, group="hosts", size=size, net_hosts=hosts)


def _depths() -> Iterator[Workload]:
    for depth in DEPTHS:
        for allowed, folder in ((True, "/work"), (False, "/workshop")):
            below = "".join(f"/folder{level:02}" for level in range(depth - 2))
            paths = (f"{folder}{below}/{number:02}.txt" for number in range(OPS))
            files = _files([*paths, _CONTROL])
            ops = tuple(("fs_read", path) for path in files)
            yield _workload(
                "fs_read", allowed, ops, group="depth", size=depth, files=files, fs_read=("/work",)
            )


def _workload(
    kind: str,
    allowed: bool,  # noqa: FBT001 - what the ops are, as `Workload` has it
    ops: tuple[tuple[object, ...], ...],
    *,
    group: str = "kind",
    size: int = 1,
    files: Mapping[str, bytes] | None = None,
    **granted: tuple[str, ...],
) -> Workload:
    grant = Capabilities(
        **granted,
        max_ops=_NO_END,
        max_output_bytes=_NO_END,
        max_wall=_NO_END,
    )
    fetched = {str(op[1]): {_ROUTE: "ok"} for op in ops if op[0] == "net_fetch"}
    tools = dict.fromkeys(grant.allowed_tools, Behaviour.ECHO)
    world = WorldSpec(files={**(files or {}), _CONTROL: _DATA}, hosts=fetched, tools=tools)
    case = Case(grant, world, ops, (kind,) * len(ops), "bench")
    return Workload(kind, group, size, allowed, case)


def _files(paths: list[str]) -> dict[str, bytes]:
    return {path: path.encode() for path in paths}


def _spread(names: tuple[str, ...]) -> list[str]:
    """Return up to `OPS` names from all over, so ordered that any first few are spread as well."""
    bits = OPS.bit_length() - 1
    turns = sorted(range(OPS), key=lambda number: f"{number:0{bits}b}"[::-1])
    at = (len(names) * (2 * turn + 1) // (2 * OPS) for turn in turns)
    return list(dict.fromkeys(names[one] for one in at))

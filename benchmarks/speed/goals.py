"""The goals: what is required of the engine, how it is measured, and whether it is met."""

import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

import ours
import workloads
from capfuzz.engine import Capabilities
from capfuzz.gate.bench.timing import collector_off
from oracleway import OracleSandbox
from plainway import PlainSandbox
from timing import Contender, interleaved
from workloads import DEEP, SHORT, Line, Shelf, tools

ROUNDS = 9
SIZES = (1, 10, 100, 1_000, 10_000, 100_000)  # roots in a grant
HOST_SIZES = (*SIZES, 1_000_000)
SAME, ANY = "the same", "any of them"
_WEIGHED = (1_000, 10_000, 100_000)
_MAKINGS = 5
_TEXTS = 2_000  # of one spelling


@dataclass(frozen=True, slots=True)
class Goal:
    """
    One row: ``measured`` against ``bound``, in ``unit``.

    ``at_least``: more is better. A bound of None: nothing is required, the figure stands beside
    the others.
    """

    name: str
    measured: float
    bound: float | None
    unit: str = "x"
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None where nothing is required."""
        if self.bound is None:
            return None
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound


def measure(rounds: int = ROUNDS) -> tuple[list[Goal], dict[str, dict[int, float]]]:
    """Return the goals, ratios first, and the seconds of one check by the size of the grant."""
    paths, hosts = path_costs(rounds), host_costs(rounds)
    found = [
        *against_slow_checks(1, 3, rounds),
        *against_slow_checks(1_000, 100, rounds),
        *_grown("a path check", "roots", paths, 3),
        *_grown("a host check", "hosts", hosts, 2),
        *deep_against_short(rounds),
        *denials(rounds),
        *memory(),
        making(),
    ]
    growth = {
        f"{name}, {asked} asked": costs
        for name, found_of in (("path", paths), ("host", hosts))
        for asked, costs in found_of.items()
    }
    return found, growth


def against_slow_checks(roots: int, bound: float, rounds: int) -> list[Goal]:
    """Compare an op of the mixed workload with sandboxes that are asked fewer with more roots."""
    ops = [op for op, _ in workloads.mixed(roots)]
    few = ops[: max(300, len(ops) // roots)]
    caps = workloads.grant(roots)
    costs = interleaved(
        {
            "ours": Contender(lambda: ours.sandbox(caps).run, ops),
            "oracle": Contender(lambda: OracleSandbox(caps, Shelf(), Line(), tools()).run, few),
            "plain": Contender(lambda: PlainSandbox(caps, Shelf(), Line(), tools()).run, few),
            "once": Contender(
                lambda: PlainSandbox(caps, Shelf(), Line(), tools(), once=True).run, few
            ),
        },
        rounds,
    )
    of = f"`run` of the mixed workload, {_plural(roots, 'root')}"
    return [
        Goal(
            f"{of}: faster than the plain way", costs["plain"] / costs["ours"], bound, at_least=True
        ),
        Goal(f"{of}: than with prefixes collapsed once", costs["once"] / costs["ours"], None),
        Goal(f"{of}: than with the naive oracle's checks", costs["oracle"] / costs["ours"], None),
        Goal(f"{of}: cost", 1e6 * costs["ours"], None, "µs"),
    ]


def path_costs(rounds: int) -> dict[str, dict[int, float]]:
    """Return the seconds of a path check by what is asked and by the number of roots."""
    checks = {size: ours.path_check(workloads.grant(size)) for size in SIZES}
    return _costs(checks, workloads.paths, rounds)


def host_costs(rounds: int) -> dict[str, dict[int, float]]:
    """Return the seconds of a host check by what is asked and by the number of hosts."""
    checks = {size: ours.host_check(workloads.grant(1, size)) for size in HOST_SIZES}
    return _costs(checks, workloads.hosts, rounds)


def _costs(
    checks: Mapping[int, Callable[[str], object]],
    texts: Callable[[int], list[workloads.Text]],
    rounds: int,
) -> dict[str, dict[int, float]]:
    """
    Return the seconds of a check by the size of its grant, asked in two ways.

    ``SAME``: every grant is asked the same and allows the same of it, so that only the grant grows.
    ``ANY``: what is asked is drawn from the whole grant, so it outgrows the processor's caches, too.
    """
    contenders = {
        (asked, size): Contender(lambda check=check: check, [text for text, _ in found])
        for size, check in checks.items()
        for asked, found in ((SAME, texts(1)), (ANY, texts(size)))
    }
    found = interleaved(contenders, rounds)
    return {asked: {size: found[asked, size] for size in checks} for asked in (SAME, ANY)}


def deep_against_short(rounds: int) -> list[Goal]:
    """Compare granted paths of 40 segments with such of five; also where a name has two dots."""
    check = ours.path_check(workloads.grant())
    asked: dict[object, list[str]] = {
        segments: workloads.straight_paths(segments) for segments in (DEEP, SHORT)
    }
    asked["dots"] = [path.rpartition("/")[0] + "/a..b" for path in asked[DEEP]]
    costs = interleaved(
        {name: Contender(lambda: check, texts) for name, texts in asked.items()}, rounds
    )
    name = f"a path check, {SHORT} → {DEEP} segments"
    return [
        Goal(name, costs[DEEP] / costs[SHORT], 4),
        Goal(f"{name}, the last called a..b", costs["dots"] / costs[SHORT], None),
    ]


def denials(rounds: int) -> list[Goal]:
    """Compare the dearest refused spelling of each kind of op with what is allowed of that kind."""
    caps = workloads.grant(1_000, 1_000)
    ops: dict[tuple[str, str], list[object]] = {}
    for kind in workloads.KINDS:
        ops[kind, ""] = workloads.allowed(kind, _TEXTS, 1_000, 1_000)
        for name, texts in workloads.refused(kind, _TEXTS, 1_000, 1_000).items():
            ops[kind, name] = texts
    costs = interleaved(
        {key: Contender(lambda: ours.sandbox(caps).run, texts) for key, texts in ops.items()},
        rounds,
    )
    return [_dearest(kind, costs) for kind in workloads.KINDS]


def memory() -> list[Goal]:
    """Weigh grants, the texts of their entries included."""
    roots = {size: weight(lambda size=size: roots_alone(size)) / size for size in _WEIGHED}
    hosts = {size: weight(lambda size=size: hosts_alone(size)) / size for size in _WEIGHED}
    return [
        Goal("memory of a root", max(roots.values()), 200, "bytes"),
        Goal("memory of a host", max(hosts.values()), 200, "bytes"),
        Goal("memory of a root, 1,000 → 100,000 roots", roots[100_000] / roots[1_000], 1.1),
        Goal("memory of a host, 1,000 → 100,000 hosts", hosts[100_000] / hosts[1_000], 1.1),
    ]


def making() -> Goal:
    """Time the making of a grant of 100,000 roots."""
    places = [workloads.root(number) for number in range(100_000)]
    found = []
    with collector_off():
        for _ in range(_MAKINGS):
            started = time.thread_time()
            Capabilities(fs_read=places)
            found.append(time.thread_time() - started)
    return Goal("making a grant of 100,000 roots", median(found), 0.5, "s")


def weight(make: Callable[[], object]) -> int:
    """Return the bytes that what ``make`` returns keeps, as tracemalloc counts them."""
    with collector_off():
        tracemalloc.start()
        try:
            kept = make()
            held, _ = tracemalloc.get_traced_memory()
            del kept
        finally:
            tracemalloc.stop()
    return held


def roots_alone(count: int) -> Capabilities:
    """Return a grant of roots whose texts nobody else holds."""
    return Capabilities(fs_read=[workloads.root(number) for number in range(count)])


def hosts_alone(count: int) -> Capabilities:
    """Return a grant of hosts whose texts nobody else holds."""
    return Capabilities(net_hosts=[workloads.host(number) for number in range(count)])


def _grown(
    check: str, entries: str, costs: dict[str, dict[int, float]], bound: float
) -> list[Goal]:
    return [
        Goal(
            f"{check}, 1 → {max(of):,} {entries}, {asked} asked",
            of[max(of)] / of[1],
            bound if asked == SAME else None,
        )
        for asked, of in costs.items()
    ]


def _dearest(kind: str, costs: dict[tuple[str, str], float]) -> Goal:
    cost, name = max((cost, name) for (of, name), cost in costs.items() if of == kind and name)
    return Goal(f"`run` of a denied `{kind}` ({name}), of an allowed", cost / costs[kind, ""], 2)


def _plural(count: int, name: str) -> str:
    return f"{count:,} {name}" + ("" if count == 1 else "s")

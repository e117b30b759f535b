"""Checks and whole ops: by kind, by size of the grant, by depth of the path."""

from collections.abc import Callable

import goals
import ours
import pytest
import workloads
from capfuzz.engine import Capabilities

_COUNT = 2_000  # ops of one kind
_REFUSED = [(kind, name) for kind in workloads.KINDS for name in workloads.refused(kind, 1)]


@pytest.mark.parametrize("kind", workloads.KINDS)
def bench_allowed(ask: Callable[..., None], kind: str) -> None:
    """Time an allowed op of each kind, with 1,000 roots and hosts."""
    caps = workloads.grant(1_000, 1_000)
    ask(lambda: ours.sandbox(caps).run, workloads.allowed(kind, _COUNT, 1_000, 1_000))


@pytest.mark.parametrize(("kind", "name"), _REFUSED)
def bench_denied(ask: Callable[..., None], kind: str, name: str) -> None:
    """Time a denied op of each kind and spelling, with 1,000 roots and hosts."""
    caps = workloads.grant(1_000, 1_000)
    ask(lambda: ours.sandbox(caps).run, workloads.refused(kind, _COUNT, 1_000, 1_000)[name])


@pytest.mark.parametrize("roots", [1, 1_000])
def bench_run(ask: Callable[..., None], roots: int) -> None:
    """Time the mixed workload, 10,000 ops."""
    caps = workloads.grant(roots)
    ask(lambda: ours.sandbox(caps).run, [op for op, _ in workloads.mixed(roots)])


@pytest.mark.parametrize("roots", goals.SIZES)
def bench_path_check(ask: Callable[..., None], roots: int) -> None:
    """Time the check of a path alone."""
    check = ours.path_check(workloads.grant(roots))
    ask(lambda: check, [text for text, _ in workloads.paths(roots)])


@pytest.mark.parametrize("hosts", goals.HOST_SIZES)
def bench_host_check(ask: Callable[..., None], hosts: int) -> None:
    """Time the check of a host alone."""
    check = ours.host_check(workloads.grant(1, hosts))
    ask(lambda: check, [text for text, _ in workloads.hosts(hosts)])


@pytest.mark.parametrize("segments", [workloads.SHORT, 20, workloads.DEEP])
def bench_depth(ask: Callable[..., None], segments: int) -> None:
    """Time the check of granted paths of so many segments."""
    check = ours.path_check(workloads.grant())
    ask(lambda: check, workloads.straight_paths(segments))


@pytest.mark.parametrize("roots", [1, 1_000, 100_000])
def bench_making_a_grant(work: Callable[..., object], roots: int) -> None:
    """Time making a grant of so many roots."""
    places = [workloads.root(number) for number in range(roots)]
    work(lambda: Capabilities(fs_read=places))

"""What peers cost beside ours: one workload, rules from one to ten thousand, turns taken."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import workloads
from capfuzz.targets.planted import remove, scratch
from host_peers import HOST_PEERS
from ours import HOST_OURS, PATH_OURS
from peers import PATH_PEERS, Peer, Takes, available, edition
from policy_peers import POLICY_PEERS
from safety import Accepted, accepted, engine_accepts
from timing import Contender, interleaved

RULES = (1, 10, 100, 1_000, 10_000, 100_000)
ROUNDS = 5
PATHS = (*PATH_OURS, *PATH_PEERS, *POLICY_PEERS)
HOSTS = (*HOST_OURS, *HOST_PEERS)
# How many texts are asked where each rule costs time: one pass stays below some seconds.
_FEW = {1: 2_000, 10: 2_000, 100: 500, 1_000: 100, 10_000: 50}


@dataclass(frozen=True, slots=True)
class Row:
    """What was found of one peer: ``seconds`` by number of rules, and what it lets through."""

    name: str
    edition: str
    seconds: Mapping[int, float]
    text: Accepted | None = None
    links: Accepted | None = None
    missing: str = ""


def table(peers: Sequence[Peer], rules: Sequence[int] = RULES, rounds: int = ROUNDS) -> list[Row]:
    """Return a row a peer, ours first; one that is missing says why."""
    here = [peer for peer in peers if not available(peer)]
    costs = {size: _costs(here, size, rounds) for size in rules}
    return [_row(peer, costs) for peer in peers]


def _row(peer: Peer, costs: Mapping[int, Mapping[str, float]]) -> Row:
    if reason := available(peer):
        return Row(peer.name, peer.package, {}, missing=reason)
    seconds = {size: of[peer.name] for size, of in costs.items() if peer.name in of}
    text, links = accepted(peer)
    if peer in PATH_OURS:  # its links are those of a world of its own
        _, links = engine_accepts()
    return Row(peer.name, edition(peer), seconds, text, links)


def _costs(peers: Iterable[Peer], size: int, rounds: int) -> dict[str, float]:
    """Return the seconds a text of every peer that takes so many rules."""
    asked = [peer for peer in peers if size in peer.sizes]
    with _ground() as floor:
        if any(peer.real for peer in asked):
            _plant(size, floor)
        contenders = {peer.name: _contender(peer, size, floor) for peer in asked}
        return interleaved(contenders, rounds)


def _contender(peer: Peer, size: int, floor: str) -> Contender:
    count = _FEW[size] if peer.linear else workloads.OPS
    if peer.takes in {Takes.HOST, Takes.URL}:
        rules = [workloads.host(number) for number in range(size)]
        texts = [text for text, _ in workloads.hosts(size, count)]
    else:
        rules = [workloads.root(number, floor) for number in range(size)]
        texts = [text for text, _ in workloads.paths(size, count, floor=floor)]
    ask = peer.make(rules)
    handed_over = [handed(peer.takes, text, rules[0], at) for at, text in enumerate(texts)]
    return Contender(lambda: ask, handed_over)


def handed(takes: Takes, text: str, root: str, number: int) -> str:
    """Return a text of the workload as a peer takes it; no two URLs are the same."""
    if takes is Takes.URL:
        return f"http://{f'[{text}]' if text.count(':') > 1 else text}/status/{number}"
    if takes is Takes.REST:
        return text.removeprefix(root).lstrip("/") if _starts(text, root) else text
    return text


def _starts(text: str, root: str) -> bool:
    return text == root or text.startswith(root + "/")


@contextmanager
def _ground() -> Iterator[str]:
    floor = scratch()
    try:
        yield floor
    finally:
        remove(floor)


def _plant(size: int, floor: str) -> None:
    """Make the roots, and a file for every granted path that still can be one."""
    for number in range(size):
        os.makedirs(workloads.root(number, floor))
    granted = {os.path.normpath(text) for text, good in workloads.paths(size, floor=floor) if good}
    for place in sorted(granted, key=lambda text: -text.count("/")):  # folders before files
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if not os.path.lexists(place):
            Path(place).write_bytes(workloads.DATA)

"""What is asked of an MCP server of files: reads and writes below the one root that it is given."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from capfuzz.attacks import naive
from capfuzz.attacks.case import Case, Verdict, WorldSpec
from capfuzz.attacks.naive import segments, unspeakable, within
from capfuzz.engine import Capabilities
from capfuzz.targets.canaries import TELLING
from capfuzz.targets.handing import askable, handed, may_leave

ROOT = "/work"
_METERED = ("budget-", "clock-", "toolrun-", "reports-budgets")  # families about budgets
_MOST_NAME, _MOST_PATH = 255, 1_000  # bytes, of what is written
# Such a server has one list of folders, for reading and for writing, and keeps no budgets.
GRANT = Capabilities(
    fs_read=(ROOT,),
    fs_write=(ROOT,),
    max_ops=1_000_000,
    max_output_bytes=1_000_000_000,
    max_wall=1_000_000,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """
    The kinds of ops that a server can be asked.

    ``told``: there are tools that tell whether such an op passes. ``tried``: others might carry it
    out, but refuse honest ones as well, so that only the rest is asked.
    """

    told: frozenset[str]
    tried: frozenset[str] = frozenset()

    def takes(self, op: Any, links: Mapping[str, str]) -> bool:
        """Tell whether an op on a file can be asked."""
        return op[0] in self.told or (op[0] in self.tried and not honest(op[1], links))


def adapted(case: Case, asked: Asked, *, follows_links: bool) -> Case | None:
    """
    Return the case under the grant of one root, None where nothing of it can be asked.

    A vector is taken whole or not at all; of a generated case the ops on files are taken.
    """
    if case.source and not (_about_root(case) and _about_files(case)):
        return None
    if any(within(ROOT, [path]) for path in case.world.links):
        return None
    if follows_links and case.world.links:
        return None
    links = case.world.links
    kept = [n for n, op in enumerate(case.ops) if _askable(op) and asked.takes(op, links)]
    if not kept or (case.source and len(kept) < len(case.ops)):
        return None
    return replace(
        case,
        grant=GRANT,
        world=WorldSpec(files=case.world.files, links=case.world.links),
        ops=tuple(case.ops[index] for index in kept),
        techniques=tuple(case.techniques[index] for index in kept),
        verdicts=(),
    )


def _about_root(case: Case) -> bool:
    """Tell whether a vector is about this one root; its honest paths must lead below it."""
    reading, writing = case.grant.fs_read, case.grant.fs_write
    roots = {segments(path) for path in reading or writing}
    honest = bool(case.verdicts) and {*case.verdicts} == {Verdict.ALLOW}
    below = all(within(path, [ROOT]) for _, path, *_ in _ops(case)) if honest else True
    written = not reading and all(within(path, [ROOT]) for path in writing)
    return below and (written or roots == {segments(ROOT)})


def _about_files(case: Case) -> bool:
    """Tell whether a vector asks where, not how much; and what it reads can be told from others."""
    files = case.world.files
    read: list[str | bytes] = [
        files[op[1]] for op in _ops(case) if op[0] == "fs_read" and op[1] in files
    ]
    written = [op[2] for op in _ops(case) if op[0] == "fs_write" and len(op) > 2]  # noqa: PLR2004
    read += [data for data in written if isinstance(data, str | bytes)]
    told = all(len(data) >= TELLING and text(data) is not None for data in read)
    return told and not case.family.startswith(_METERED)


def _ops(case: Case) -> tuple[Any, ...]:
    return tuple(op for op in case.ops if type(op) is tuple and len(op) > 1 and type(op[1]) is str)


def _askable(op: Any) -> bool:
    if type(op) is not tuple or not op or type(op[0]) is not str:  # a lying str is anything
        return False
    match op:
        case ("fs_read", str(path)) if type(path) is str:
            pass
        case ("fs_write", str(path), str() | bytes() as data) if type(path) is str:
            if text(data) is None or len(data) < TELLING or not _fits(path):
                return False
        case _:
            return False
    return askable(path, ROOT) and not may_leave(path)


def honest(path: str, links: Mapping[str, str]) -> bool:
    """Tell whether a path is plainly spelt and leads to a place in the root without any link."""
    try:
        plain = naive.resolve(path, links) == path
    except OSError:
        return False
    return plain and naive.path_refusal(path, [ROOT]) is None


def text(data: str | bytes) -> str | None:
    """Return what is to be written as text; None for bytes that are none."""
    try:
        return data if isinstance(data, str) else data.decode()
    except UnicodeDecodeError:
        return None


def argument(path: str, floor: str) -> str:
    """Return a path of the world as the server is asked for it: absolute where it is absolute."""
    prefix = ROOT + "/"
    if path.startswith(prefix) and handed(path, ROOT, floor) == path.removeprefix(prefix):
        return floor + path
    return floor + path if path.startswith("/") else handed(path, ROOT, floor)


def folders(case: Case) -> frozenset[str]:
    """Return the folders that honest writes go to: a server need not make them."""
    plain = (
        op[1] for op in case.ops if isinstance(op, tuple) and op[0] == "fs_write" and _plain(op[1])
    )
    made = {os.path.dirname(path) for path in plain}
    files = case.world.files
    return frozenset(
        folder
        for folder in made
        if not any(within(folder, [path]) for path in files)
        and not any(within(folder, [path]) for path in case.world.links)
    )


def _plain(path: str) -> bool:
    names = path.split("/")[1:]
    plain = within(path, [ROOT]) and ".." not in names and not unspeakable(path)
    return plain and "" not in names and _fits(path)


def _fits(path: str) -> bool:
    """Tell whether a file system takes the name of a new file."""
    sizes = [len(name.encode("utf-8", "surrogatepass")) for name in path.split("/")]
    return max(sizes) <= _MOST_NAME and sum(sizes) <= _MOST_PATH

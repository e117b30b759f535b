"""What is asked of a sandbox of the system: ops on files, the network and other processes."""

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from capfuzz.attacks import naive
from capfuzz.attacks.case import Case, Surface, Verdict, WorldSpec
from capfuzz.attacks.kernel import ASKED_IF_CLAIMED, BUDGETED, KIN, KINDS, LOOPBACK, USES
from capfuzz.attacks.rulings import Setting, rule
from capfuzz.engine import Capabilities
from capfuzz.targets.canaries import TELLING
from capfuzz.targets.handing import links_may_leave, may_leave
from capfuzz.targets.sandboxes.base import Adapter, claims_of, refused

# What an adapter's ``cannot`` calls links that stand in the tree when it starts, and a granted place
# of which a system takes for granted that it is a folder.
LINKS, WRITTEN_FILES, FILES = "links", "files granted to be written", "files granted"
# What its ``refuses`` calls places that another system's path syntax would read otherwise.
OTHER_NAMES = "names with a backslash or a drive"
_OWN = "kernel-"
_METERED = ("budget-", "clock-", "toolrun-", "shape-", "reports-budgets")
_OTHER_NAME = re.compile(r"\\|/[A-Za-z]:")
_MOST_NAME, _MOST_PATH = 255, 1_000  # bytes, of what is opened


def adapted(case: Case, adapter: Adapter) -> Case | None:
    """
    Return the case under the grant that a system can express, None where it cannot be asked.

    A vector is taken whole or not at all; of a generated case the ops that can be asked are taken.
    """
    if case.family.startswith(_METERED) or not _can_stand(case):
        return None
    case = replace(case, ops=tuple(map(_spelt, case.ops)), world=_world(case, adapter))
    budgeted = [*map(is_budgeted, case.ops)]
    if any(budgeted) and not all(budgeted):
        return None
    grant = adapter.expressed(_grant(case, adapter))
    if grant is None or not _has_room(adapter, grant, case.world):
        return None
    setting = Setting(grant, case.world, case.world.files, surface=Surface.COMMAND)
    kept = [n for n, op in enumerate(case.ops) if _worth_asking(op, adapter, setting)]
    if not kept or (case.source and len(kept) < len(case.ops)):
        return None
    return replace(
        case,
        grant=grant,
        world=WorldSpec(files=case.world.files, links=case.world.links),
        ops=tuple(case.ops[index] for index in kept),
        techniques=tuple(case.techniques[index] for index in kept),
        verdicts=tuple(case.verdicts[index] for index in kept) if _is_stated_here(case) else (),
    )


def _is_stated_here(case: Case) -> bool:
    """Tell whether verdicts are stated: a session's know nothing of what a system can express."""
    return bool(case.verdicts) and all(one.startswith(_OWN) for one in case.techniques)


def folders(case: Case) -> frozenset[str]:
    """
    Return the folders that must be there: granted places, and where honest writes go.

    A sandbox opens what is there when it starts, and a system makes no folder by itself.
    """
    roots = [one.rstrip("/") for one in (*case.grant.fs_read, *case.grant.fs_write)]
    ops: tuple[Any, ...] = case.ops
    written = [os.path.dirname(op[1]) for op in ops if _writes_plainly(op, case)]
    return frozenset(one for one in (*roots, *written) if _is_free(one, case.world))


def _writes_plainly(op: Any, case: Case) -> bool:
    if op[0] != "fs_write":
        return False
    names = op[1].split("/")[1:]
    plain = "" not in names and "." not in names and ".." not in names
    return plain and naive.within(op[1], case.grant.fs_write)


def _is_free(folder: str, world: WorldSpec) -> bool:
    """Tell whether a folder can stand there, where no file and no link is on the way."""
    return not any(naive.within(folder, [one]) for one in (*world.files, *world.links))


def real(kind: str, given: Iterable[Any], floor: str) -> list[Any]:
    """Return the arguments of an op as they are on this machine: places stand below ``floor``."""
    return [
        floor + one if what == "p" else one for one, what in zip(given, KINDS[kind], strict=True)
    ]


def _world(case: Case, adapter: Adapter) -> WorldSpec:
    """Return the world; one that was drawn has no links where a system is not asked about them."""
    if case.source or LINKS not in adapter.cannot:
        return case.world
    return replace(case.world, links={})


def _spelt(op: Any) -> Any:
    """Return an op with text for bytes: lines of JSON carry nothing else."""
    if type(op) is not tuple:
        return op
    return tuple(one.decode("latin-1") if type(one) is bytes else one for one in op)


def _grant(case: Case, adapter: Adapter) -> Capabilities:
    """Return the part of a grant that a kernel knows of, with its budgets where they are tried."""
    grant = case.grant
    hosts = tuple(one for one in grant.net_hosts if one == LOOPBACK)
    if any(map(is_budgeted, case.ops)):
        return replace(grant, net_hosts=hosts, allowed_tools=frozenset())
    ops: tuple[Any, ...] = case.ops
    kinds = {one[0] for one in ops if _askable(one, adapter)}
    kept = {budget: getattr(grant, budget) for use, budget in USES.items() if f"use_{use}" in kinds}
    return Capabilities(grant.fs_read, grant.fs_write, hosts, **kept)


def is_budgeted(op: Any) -> bool:
    """Tell whether an op is tried with budgets around the sandbox."""
    return type(op) is tuple and bool(op) and op[0] in BUDGETED


def _can_stand(case: Case) -> bool:
    """Tell whether the grant's places can be mounted or ruled on as they are."""
    roots = [*case.grant.fs_read, *case.grant.fs_write]
    named = [one for root in roots for one in case.world.links if naive.within(root, [one])]
    whole = any(not naive.segments(root) for root in roots)
    told = all(len(data) >= TELLING for data in case.world.files.values())
    return told and not (whole or named or _odd(roots)) and not _may_leave(case)


def _may_leave(case: Case) -> bool:
    paths = [one for op in case.ops for one in _places(op)]
    return any(map(may_leave, paths)) or links_may_leave(case.world.links, paths)


def _places(op: Any) -> list[str]:
    """Return what an op names as places; nothing of one that cannot be asked."""
    if type(op) is not tuple or not op or type(op[0]) is not str:
        return []
    takes = KINDS.get(op[0], "")
    return [
        one
        for one, what in zip(op[1:], takes, strict=False)
        if what == "p" and isinstance(one, str)
    ]


def _odd(roots: Iterable[str]) -> bool:
    """Tell whether a place is named so that no configuration file would carry it safely."""
    return any(not one.isprintable() or not one.isascii() for one in roots)


def _has_room(adapter: Adapter, grant: Capabilities, world: WorldSpec) -> bool:
    """Tell whether a system, as documented or seen, has room for a world of this kind."""
    if LINKS in adapter.cannot and world.links:
        return False
    if FILES in adapter.cannot and _files(world, *grant.fs_read, *grant.fs_write):
        return False
    return WRITTEN_FILES not in adapter.cannot or not _files(world, *grant.fs_write)


def _files(world: WorldSpec, *places: str) -> bool:
    """Tell whether a file stands at one of the places."""
    return any(
        naive.segments(one) == naive.segments(file) for one in places for file in world.files
    )


def _worth_asking(op: Any, adapter: Adapter, setting: Setting) -> bool:
    """Tell whether an op can be asked, and whether there is more to it than a known refusal."""
    if not _askable(op, adapter):
        return False
    known = op[0] in refused(adapter) or (
        OTHER_NAMES in refused(adapter) and any(map(_OTHER_NAME.search, _places(op)))
    )
    return not known or rule(op, setting).verdict is Verdict.DENY


def _askable(op: Any, adapter: Adapter) -> bool:
    if type(op) is not tuple or not op or type(op[0]) is not str or op[0] not in KINDS:
        return False
    kind, *given = op
    plain = all(type(one) in {str, int} for one in given) and len(given) == len(KINDS[kind])
    places = _places(op)
    whole = len(places) == KINDS[kind].count("p")
    return plain and whole and not _beyond(kind, adapter) and all(map(_fits, places))


def _beyond(kind: str, adapter: Adapter) -> bool:
    """Tell whether a system does not confine a kind of op, by what is said of it."""
    unclaimed = kind in ASKED_IF_CLAIMED and kind not in claims_of(adapter)
    return unclaimed or kind in adapter.cannot or KIN.get(kind) in adapter.cannot


def _fits(path: Any) -> bool:
    """Tell whether a place can be asked for: absolute, and short enough for a file system."""
    if not isinstance(path, str) or not path.startswith("/") or "\0" in path:
        return False
    sizes = [len(name.encode("utf-8", "surrogatepass")) for name in path.split("/")]
    return max(sizes) <= _MOST_NAME and sum(sizes) <= _MOST_PATH and not _surrogates(path)


def _surrogates(path: str) -> bool:
    return any("\ud800" <= one <= "\udfff" for one in path)

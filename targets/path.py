"""Path targets: a function that joins, checks or opens a path below a root, on a real tree."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.naive import segments, within
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.targets.base import PLACES_ALONE, refuse_pair
from capfuzz.targets.calling import at_home, called
from capfuzz.targets.canaries import TELLING
from capfuzz.targets.handing import askable, handed, links_may_leave, may_leave
from capfuzz.targets.limits import time_limit
from capfuzz.targets.planted import BesideTree, PlantedTree

_KEPT_TREES = 64


class PathTarget:
    """
    A function ``NAME(root, path)``.

    It answers with a place (str or Path), the bytes of the file, or truth; None, False and an
    exception refuse. ``follows_links``: it is documented to follow links, so where a link leads
    is not held against it.
    """

    surface = Surface.PATH
    unobservable = PLACES_ALONE

    def __init__(
        self,
        spec: str,
        function: Callable[[str, str], Any],
        *,
        op_limit: float = 2.0,
        dialect: frozenset[str] = frozenset(),
        follows_links: bool = False,
        fixed_root: str | None = None,
    ) -> None:
        self.spec = spec
        self._function = function
        self._op_limit = op_limit
        self._dialect = dialect
        self._follows_links = follows_links
        self._fixed_root = fixed_root
        self._trees: dict[str, PlantedTree | BesideTree] = {}

    def adapt(self, case: Case) -> Case | None:
        """Return the case if it only reads, below one root, with plain str paths."""
        readable = all(
            type(op) is tuple and len(op) == 2 and op[0] == "fs_read" and type(op[1]) is str  # noqa: PLR2004
            for op in case.ops
        )
        linked = self._follows_links and bool(case.world.links)
        if not readable or len(case.grant.fs_read) != 1 or linked:
            return None
        if not all(askable(path, case.grant.fs_read[0]) for path in _paths(case.ops)):
            return None
        # A vector's verdict is a session's; below a root the oracle rules afresh.
        case = replace(case, verdicts=())
        return case if self._fixed_root is None else beside(case, self._fixed_root)

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Ask the function for every path of the case."""
        tree, limit = self._plant(case), self._op_limit * patience
        steps = tuple(self._step(tree, case, index, limit) for index in range(len(case.ops)))
        return Trace(case, self.surface, steps, dialect=self._dialect)

    def close(self) -> None:
        """Remove the planted tree."""
        for tree in self._trees.values():
            tree.close()
        self._trees.clear()

    def _plant(self, case: Case) -> PlantedTree | BesideTree:
        """Return the tree of the case's world; trees are kept, as planting is what takes time."""
        wanted = repr((case.world.files, case.world.links, case.grant.fs_read))
        if wanted not in self._trees:
            if self._fixed_root is not None or len(self._trees) >= _KEPT_TREES:
                self.close()  # beside a folder that is not ours only one can stand
            self._trees[wanted] = (
                PlantedTree(case.world, case.grant.fs_read[0])
                if self._fixed_root is None
                else BesideTree(case.world, self._fixed_root)
            )
        return self._trees[wanted]

    def _step(self, tree: PlantedTree | BesideTree, case: Case, index: int, seconds: float) -> Step:
        op: Any = case.ops[index]
        root = tree.floor + case.grant.fs_read[0]
        result, answer = None, Answer(ok=False)
        with time_limit(seconds) as limit:
            path = handed(op[1], case.grant.fs_read[0], tree.floor)
            result, answer = self._asked(tree, root, path)
        if limit.expired:
            result, answer = None, Answer(ok=False, hung=True)
        effects, reached = _observed(result, root, tree, case) if answer.ok else ((), None)
        return Step(op, answer, effects, 2 * index, 2 * index + 1, index, reached)

    def _asked(self, tree: PlantedTree | BesideTree, root: str, path: str) -> tuple[Any, Answer]:
        with at_home(tree.floor):
            result, refused = called(self._function, root, path)
        if refused is not None:
            return None, refused
        refuse_pair(self.spec, result)
        return result, Answer(ok=is_place(result))


def is_place(result: Any) -> bool:
    """Tell whether what a function returned accepts: None, False and nothing at all refuse."""
    return result is not None and result is not False and result != ()


def beside(case: Case, folder: str) -> Case | None:
    """
    Return the case with ``/work`` called as the fixed folder is, if it stays in its parent.

    None also where the folder itself would have to be a link, or to stand below one.
    """
    granted, name = case.grant.fs_read[0], "/" + os.path.basename(os.path.realpath(folder))
    ops: Any = case.ops
    links = case.world.links
    if any(map(may_leave, _paths(ops))) or links_may_leave(links, _paths(ops)):
        return None
    if any(within(granted, [path]) for path in links):
        return None
    if segments(granted) == segments(name):  # as in a finding that is replayed
        return replace(case, grant=replace(case.grant, fs_write=()))
    if segments(granted) != ("work",):
        return None

    def rename(path: str) -> str:
        return path.replace("/work", name)

    files = {rename(path): content for path, content in case.world.files.items()}
    renamed = {rename(path): rename(target) for path, target in links.items()}
    return replace(
        case,
        grant=replace(case.grant, fs_read=(rename(granted),), fs_write=()),
        world=replace(case.world, files=files, links=renamed),
        ops=tuple(("fs_read", rename(path)) for path in _paths(ops)),
    )


def _paths(ops: Any) -> list[str]:
    return [path for _, path in ops]


def _observed(
    result: Any, root: str, tree: PlantedTree | BesideTree, case: Case
) -> tuple[tuple[Effect, ...], str | None]:
    """Return what the answer shows: effects, and the place that it names in text alone."""
    if isinstance(result, bytes | bytearray):
        return _read(bytes(result), case), None
    if not isinstance(result, str | os.PathLike):
        return (), None
    try:
        text = os.path.join(root, os.fsdecode(result))
    except Exception:  # noqa: BLE001 - a path of the target's own may do anything
        return (), None
    lexical = tree.abstract("/" + os.path.normpath(text).lstrip("/"))
    if "\0" in text:
        return (Effect("read", lexical),), None
    real = tree.abstract(_real(text))
    joined = _inside(lexical, case) and not _inside(real, case)
    return ((), lexical) if joined else ((Effect("read", real),), None)


def _read(content: bytes, case: Case) -> tuple[Effect, ...]:
    """Return a read for every planted file that ``content`` is, or else for each that it holds."""
    files = case.world.files
    exact = [path for path in files if files[path] and files[path] == content]
    held = [path for path in files if len(files[path]) >= TELLING and files[path] in content]
    # Of two files with the same content nobody can tell which was read: the granted one, then.
    found = [path for path in exact if _inside(path, case)] or exact or held
    return tuple(Effect("read", path, len(files[path])) for path in found)


def _real(text: str) -> str:
    """Return where the system gets to; what it cannot open leads nowhere but to its own text."""
    for strict in (True, False):
        try:
            return os.path.realpath(text, strict=strict)
        except FileNotFoundError:  # a name that is still free
            continue
        except (OSError, ValueError):  # a loop, a name that no file system holds
            break
    return os.path.normpath(text)


def _inside(place: str, case: Case) -> bool:
    root = case.grant.fs_read[0].rstrip("/") + "/"
    return (place + "/").startswith(root)

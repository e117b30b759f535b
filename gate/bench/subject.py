"""A target as a function of one op, so that nothing but the target itself is timed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.engine import VFS, Net
from capfuzz.targets.base import Target, TargetError
from capfuzz.targets.calling import at_home
from capfuzz.targets.handing import handed
from capfuzz.targets.options import Options
from capfuzz.targets.path import is_place
from capfuzz.targets.planted import BesideTree, PlantedTree
from capfuzz.targets.session import answer_of
from capfuzz.targets.spec import KINDS, function_of, load
from capfuzz.targets.world import World

TIMED = (Surface.SESSION, Surface.PATH, Surface.HOST)


@dataclass(frozen=True, slots=True)
class Opened:
    """
    A target ready to be asked: ``ask`` is timed, ``allows`` reads what it returned.

    ``control`` is the last op of the case, which is not among the ``inputs``.
    """

    ask: Callable[[Any], Any]
    inputs: tuple[Any, ...]
    control: Any
    allows: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Subject:
    """A target of a surface that can be timed, and the function that it was made of."""

    target: Target
    function: Callable[..., Any]
    options: Options


def subject(spec: str, options: Options) -> Subject:
    """Return what ``spec`` names; raises `TargetError`."""
    forms = [kind.spec for kind in KINDS if kind.surface in TIMED]
    if spec not in forms and not spec.startswith("py:"):
        raise TargetError(
            f"{spec}: only session, path and host targets are timed; "
            f"known forms: {', '.join(forms)}"
        )
    target = load(spec, options)
    if target.surface not in TIMED:
        target.close()
        raise TargetError(
            f"{spec}: {target.surface} targets are not timed; {', '.join(TIMED)} targets are"
        )
    return Subject(target, function_of(spec), options)


@contextmanager
def opened(subject: Subject, case: Case) -> Iterator[Opened]:
    """Make the target ready for the ops of a case that it has adapted."""
    match subject.target.surface:
        case Surface.SESSION:
            yield _session(subject, case)
        case Surface.HOST:
            yield _host(subject, case)
        case _:
            with _path(subject, case) as path:
                yield path


class _QuietWorld(World):
    """A world that records nothing: the log of a long run would cost more than the run."""

    def __init__(self, spec: WorldSpec) -> None:
        super().__init__(spec)
        self.vfs = VFS(spec.files, spec.links)
        self.net = _QuietNet(
            {
                host: {path: str(text) for path, text in routes.items()}
                for host, routes in spec.hosts.items()
            }
        )
        self.tools = dict.fromkeys(spec.tools, _answer)


class _QuietNet(Net):
    def fetch(self, host: str, path: str) -> str:
        return self.answer(host, path)


def _answer(*arguments: object) -> str:
    return "".join(map(str, arguments))


def _session(subject: Subject, case: Case) -> Opened:
    try:
        box = subject.function(case.grant, _QuietWorld(case.world))
    except Exception as error:
        spec, kind = subject.target.spec, type(error).__name__
        raise TargetError(f"{spec}: the factory raised {kind}: {error}") from error
    if not callable(getattr(box, "run", None)):
        kind = type(box).__name__
        raise TargetError(f"{subject.target.spec}: the factory returned a {kind} without run(op)")
    return Opened(box.run, case.ops[:-1], case.ops[-1], lambda result: answer_of(result).ok)


def _host(subject: Subject, case: Case) -> Opened:
    function, allowed = subject.function, list(case.grant.net_hosts)
    if subject.options.allow_host is None:
        ask = _refusing(lambda url: function(allowed, url))
    else:
        ask = _refusing(function)
    *urls, control = _texts(case)
    return Opened(ask, tuple(urls), control, bool)


@contextmanager
def _path(subject: Subject, case: Case) -> Iterator[Opened]:
    function, granted = subject.function, case.grant.fs_read[0]
    tree: PlantedTree | BesideTree
    if subject.options.root is None:
        tree = PlantedTree(case.world, granted)
        root = tree.floor + granted
        ask = _refusing(lambda path: function(root, path))
    else:
        tree = BesideTree(case.world, subject.options.root)
        ask = _refusing(function)
    try:
        with at_home(tree.floor):
            *paths, control = (handed(path, granted, tree.floor) for path in _texts(case))
            yield Opened(ask, tuple(paths), control, is_place)
    finally:
        tree.close()


def _texts(case: Case) -> tuple[str, ...]:
    ops: Any = case.ops
    return tuple(text for _, text in ops)


def _refusing(function: Callable[[str], Any]) -> Callable[[str], Any]:
    """Let an exception refuse, as it does when the target is attacked."""

    def ask(text: str) -> Any:
        try:
            return function(text)
        except Exception:  # noqa: BLE001 - an exception refuses
            return None

    return ask

"""From what a person writes on the command line to a target."""

import importlib
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities, GrantError
from capfuzz.targets.base import Target, TargetError
from capfuzz.targets.host import HostTarget
from capfuzz.targets.path import PathTarget
from capfuzz.targets.session import SessionTarget, engine_factory


@dataclass(frozen=True, slots=True)
class Options:
    """How a target is to be asked; ``op_limit`` in seconds."""

    surface: Surface | None = None
    op_limit: float = 2.0
    dialect: frozenset[str] = frozenset()
    follows_links: bool = False
    root: str | None = None
    allow_host: str | None = None


class TargetKind:
    """A form of spec, for `load` and for the list that ``capfuzz targets`` prints."""

    def __init__(self, spec: str, surface: str, meaning: str) -> None:
        self.spec = spec
        self.surface = surface
        self.meaning = meaning


KINDS = (
    TargetKind("engine", "session", "the reference engine (the default)"),
    TargetKind("py:MODULE:NAME", "session", "NAME(caps, world) returns an object with run(op)"),
    TargetKind("py:MODULE:NAME --as path", "path", "NAME(root, path), or NAME(path) with --root"),
    TargetKind(
        "py:MODULE:NAME --as host",
        "host",
        "NAME(allowed_hosts, url), or NAME(url) with --allow-host",
    ),
)


def load(spec: str, options: Options) -> Target:
    """Return the target named by ``spec``; raises `TargetError`."""
    surface = options.surface or Surface.SESSION
    _check_options(spec, surface, options)
    if spec == "engine":
        if options.surface not in {None, Surface.SESSION}:
            raise TargetError(f"{spec}: a session target cannot be asked as {options.surface}")
        return SessionTarget(spec, engine_factory, options.op_limit)
    if not spec.startswith("py:"):
        known = ", ".join(kind.spec for kind in KINDS)
        raise TargetError(f"{spec}: no such target; known forms: {known}")
    if surface not in _OF_FUNCTION:
        raise TargetError(f"{spec}: a py: target cannot be asked as {surface}")
    return _OF_FUNCTION[surface](spec, _import(spec), options)


def _check_options(spec: str, surface: Surface, options: Options) -> None:
    """Refuse an option that this surface has no use for, and a host that cannot be granted."""
    if options.root is not None and surface is not Surface.PATH:
        raise TargetError(f"{spec}: --root is for path targets; add --as path")
    if options.root == "":
        raise TargetError(f"{spec}: --root is empty; name the folder that the function serves")
    if options.allow_host is None:
        return
    if surface is not Surface.HOST:
        raise TargetError(f"{spec}: --allow-host is for host targets; add --as host")
    try:
        Capabilities(net_hosts=(options.allow_host,))
    except GrantError as error:
        raise TargetError(f"--allow-host: {error}") from None


def _import(spec: str) -> Callable[..., Any]:
    module_name, mark, name = spec.removeprefix("py:").partition(":")
    if not (module_name and mark and name):
        raise TargetError(f"{spec}: write py:MODULE:NAME, such as py:my.sandbox:make")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # importing runs code that is not ours
        raise TargetError(
            f"{spec}: cannot import {module_name}: {type(error).__name__}: {error}"
        ) from error
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise TargetError(f"{spec}: {module_name} has no {name}") from None
    if not callable(found):
        raise TargetError(f"{spec}: {name} is a {type(found).__name__}, not something to call")
    if inspect.iscoroutinefunction(found):
        raise TargetError(f"{spec}: {name} is async; wrap it in a function that runs it")
    called: Callable[..., Any] = found
    return called


def _path_target(spec: str, function: Callable[..., Any], options: Options) -> Target:
    asked = function if options.root is None else (lambda _root, path: function(path))
    return PathTarget(
        spec,
        asked,
        op_limit=options.op_limit,
        dialect=options.dialect,
        follows_links=options.follows_links,
        fixed_root=options.root,
    )


def _host_target(spec: str, function: Callable[..., Any], options: Options) -> Target:
    asked = function if options.allow_host is None else (lambda _allowed, url: function(url))
    return HostTarget(
        spec,
        asked,
        op_limit=options.op_limit,
        dialect=options.dialect,
        allow_host=options.allow_host,
    )


def _session_target(spec: str, function: Callable[..., Any], options: Options) -> Target:
    return SessionTarget(spec, function, options.op_limit)


_OF_FUNCTION: dict[Surface, Callable[[str, Callable[..., Any], Options], Target]] = {
    Surface.SESSION: _session_target,
    Surface.PATH: _path_target,
    Surface.HOST: _host_target,
}

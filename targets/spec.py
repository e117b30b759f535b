"""From what a person writes on the command line to a target."""

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.targets.archive import ArchiveTarget
from capfuzz.targets.base import AbsentError, Target, TargetError
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.eval import EvalTarget
from capfuzz.targets.host import HostTarget
from capfuzz.targets.http import http_target, own_http_target
from capfuzz.targets.mcp import McpTarget, command_calling, command_of
from capfuzz.targets.options import Options, check
from capfuzz.targets.path import PathTarget
from capfuzz.targets.planted import planting
from capfuzz.targets.sandboxes.base import Adapter, missing_proc
from capfuzz.targets.sandboxes.launcher import PREFIX, launcher_of, transposed
from capfuzz.targets.sandboxes.registry import ADAPTERS, ENGINES, adapter_of
from capfuzz.targets.sandboxes.trying import unavailable
from capfuzz.targets.session import SessionTarget, engine_factory
from capfuzz.targets.ssrf import SsrfTarget
from capfuzz.targets.suggest import near

_FORMS = "engine, py:MODULE:NAME, http://HOST:PORT/, mcp:COMMAND, cmd:COMMAND, or a sandbox's name; capfuzz targets lists all"
__all__ = ["KINDS", "Options", "function_of", "load", "made_of", "surface_of"]


class TargetKind:
    """A form of spec, for `load` and for the list that ``capfuzz targets`` prints."""

    def __init__(
        self, spec: str, surface: str, meaning: str, adapter: Adapter | None = None
    ) -> None:
        self.spec = spec
        self.surface = surface
        self.meaning = meaning
        self._adapter = adapter

    @property
    def here(self) -> str:
        """Whether it can be attacked on this machine: yes, or no and why."""
        reason = unavailable(self._adapter) if self._adapter else None
        return f"no: {reason}" if reason else "yes"


KINDS = (
    TargetKind("engine", "session", "the reference engine (the default)"),
    TargetKind("py:MODULE:NAME", "session", "NAME(caps, world) returns an object with run(op)"),
    TargetKind("py:MODULE:NAME --as path", "path", "NAME(root, path), or NAME(path) with --root"),
    TargetKind(
        "py:MODULE:NAME --as host",
        "host",
        "NAME(allowed_hosts, url), or NAME(url) with --allow-host",
    ),
    TargetKind(
        "py:MODULE:NAME --as archive", "archive", "NAME(archive_path, dest) unpacks tar or zip"
    ),
    TargetKind(
        "py:MODULE:NAME --as ssrf",
        "ssrf",
        "NAME(url) or NAME(address): public? With --invert: private?",
    ),
    TargetKind("py:MODULE:NAME --as eval", "eval", "NAME(source) evaluates restricted code"),
    TargetKind(
        "py:MODULE:NAME --as http",
        "http",
        "NAME(root, prefix, listener) serves root, in a process of its own",
    ),
    TargetKind(
        "http://127.0.0.1:PORT/prefix/ --root DIR", "http", "a running server that serves DIR"
    ),
    TargetKind("py:MODULE:NAME --as mcp", "mcp", "NAME(root) speaks MCP at its standard streams"),
    TargetKind("mcp:COMMAND", "mcp", "an MCP server over stdio; {root} is the planted folder"),
    TargetKind(
        "cmd:COMMAND",
        "command",
        "any launcher: {root} is read, {out} in it written, {probe} runs inside",
    ),
    *(TargetKind(one.name, "command", one.meaning, one) for one in ADAPTERS.values()),
)


@planting()
def load(spec: str, options: Options) -> Target:
    """Return the target named by ``spec``; raises `TargetError`."""
    surface = surface_of(spec, options)
    check(spec, surface, options)
    if _own_surface(spec) is not None:
        return _server_target(spec, options)
    return made_of(spec, surface, function_of(spec), options)


def surface_of(spec: str, options: Options) -> Surface:
    """Return the shape of question that ``spec`` will be asked; raises `TargetError`."""
    if not spec:
        raise TargetError(f"SPEC: the name is empty; known forms: {_FORMS}")
    own = _own_surface(spec)
    surface = options.surface or own or Surface.SESSION
    if own not in {None, surface}:
        raise TargetError(f"{spec}: cannot be asked as {surface}")
    if spec == "engine" and surface is not Surface.SESSION:
        raise TargetError(f"{spec}: a session target cannot be asked as {surface}")
    return surface


def _own_surface(spec: str) -> Surface | None:
    """Return the surface of a target that its spec alone tells, None for any other."""
    if adapter_of(spec) is not None:
        return Surface.COMMAND
    return next((one for prefix, one in _SERVERS.items() if spec.startswith(prefix)), None)


def made_of(spec: str, surface: Surface, function: Callable[..., Any], options: Options) -> Target:
    """Return a function as a target of a surface; raises `TargetError`."""
    return _OF_FUNCTION[surface](spec, function, options)


def function_of(spec: str) -> Callable[..., Any]:
    """Return the function that ``engine`` or ``py:MODULE:NAME`` names; raises `TargetError`."""
    if spec == "engine":
        return engine_factory
    if not spec.startswith("py:"):
        raise TargetError(f"{spec}: no such target; {_meant(spec)}")
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


def _meant(spec: str) -> str:
    """Return what was probably meant by a spec that names no target, else the forms."""
    word, mark, _ = spec.partition(":")
    sandbox = word.lower()
    if sandbox in ADAPTERS and (sandbox in ENGINES or not mark):
        return f"did you mean {sandbox}{spec[len(word) :]}?"
    if sandbox in ADAPTERS:
        return f"{sandbox} takes nothing after its name; did you mean {sandbox}?"
    if re.fullmatch(r"[\w.]+:[\w.]+", spec):
        return f"did you mean py:{spec}?"
    close = near(spec, ("engine", *ADAPTERS))
    return f"did you mean {close}?" if close else f"known forms: {_FORMS}"


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


def _ssrf_target(spec: str, function: Callable[..., Any], options: Options) -> Target:
    return SsrfTarget(
        spec,
        function,
        op_limit=options.op_limit,
        invert=options.invert,
        takes=options.takes,
        public=options.public,
    )


def _eval_target(spec: str, function: Callable[..., Any], options: Options) -> Target:
    return EvalTarget(
        spec,
        function,
        op_limit=options.op_limit,
        language=options.language,
        exposes=options.exposes,
        bounded=options.bounded,
    )


def _archive_target(spec: str, function: Callable[..., Any], options: Options) -> Target:
    return ArchiveTarget(
        spec,
        function,
        op_limit=options.op_limit,
        follows_links=options.follows_links,
        unpack_limit=options.unpack_limit,
    )


def _session_target(spec: str, function: Callable[..., Any], options: Options) -> Target:
    return SessionTarget(spec, function, options.op_limit)


def _server_target(spec: str, options: Options) -> Target:
    """Return a target that is a process of its own: one that runs already, or a command."""
    adapter = adapter_of(spec)
    if adapter is not None:
        return _sandbox(spec, adapter, options)
    if spec.startswith(PREFIX):
        told = launcher_of(spec)
        _refuse(spec, missing_proc())
        return CommandTarget(spec, told, op_limit=options.op_limit, transposed=transposed)
    if spec.startswith("mcp:"):
        return _mcp_server(spec, command_of(spec), options)
    return http_target(
        spec,
        options.root,
        options.private,
        op_limit=options.op_limit,
        dialect=options.dialect,
        follows_links=options.follows_links,
    )


def _http_target(spec: str, function: Callable[..., Any], options: Options) -> Target:
    """``NAME.private`` and ``NAME.follows_links`` may say what the options say otherwise."""
    private = getattr(function, "private", None) if options.private is None else options.private
    return own_http_target(
        spec,
        private,
        op_limit=options.op_limit,
        dialect=options.dialect,
        follows_links=options.follows_links or bool(getattr(function, "follows_links", False)),
    )


def _mcp_target(spec: str, _function: Callable[..., Any], options: Options) -> Target:
    return _mcp_server(spec, command_calling(spec), options)


def _mcp_server(spec: str, command: Callable[[str], list[str]], options: Options) -> Target:
    return McpTarget(
        spec,
        command,
        op_limit=options.op_limit,
        dialect=options.dialect,
        tool_map=options.tool_map,
        follows_links=options.follows_links,
    )


def _sandbox(spec: str, adapter: Adapter, options: Options) -> Target:
    """Return a sandbox of the system as a target; raises `TargetError` where it cannot run."""
    _refuse(spec, unavailable(adapter))
    return CommandTarget(spec, adapter, op_limit=options.op_limit)


def _refuse(spec: str, reason: str | None) -> None:
    """Raise `AbsentError` if there is a reason why a target cannot run here."""
    if reason is not None:
        raise AbsentError(spec, reason)


_SERVERS = {
    "http://": Surface.HTTP,
    "https://": Surface.HTTP,
    "mcp:": Surface.MCP,
    PREFIX: Surface.COMMAND,
}
_OF_FUNCTION: dict[Surface, Callable[[str, Callable[..., Any], Options], Target]] = {
    Surface.SESSION: _session_target,
    Surface.PATH: _path_target,
    Surface.HOST: _host_target,
    Surface.ARCHIVE: _archive_target,
    Surface.EVAL: _eval_target,
    Surface.SSRF: _ssrf_target,
    Surface.HTTP: _http_target,
    Surface.MCP: _mcp_target,
}

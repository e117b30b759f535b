"""Which attack a test asks for, and which tests that makes."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click
import pytest
from capfuzz.attacks.invariants import INVARIANTS
from capfuzz.gate.attack import Request, families_of
from capfuzz.gate.cli import cli
from capfuzz.gate.cli_options import request_of
from capfuzz.gate.errors import UsageError
from capfuzz.gate.plugin.cell import Cell
from capfuzz.gate.settings import Target, settings_of
from capfuzz.targets.base import TargetError
from capfuzz.targets.suggest import nearest

_ATTACK = cli.commands["attack"]
Error = pytest.Collector.CollectError


@dataclass(frozen=True, slots=True)
class Asked:
    """One attack: the words of ``capfuzz attack``, and the folder in which they are said."""

    words: tuple[str, ...]
    root: str


def marked(config: pytest.Config, node: pytest.Item) -> Asked:
    """Return the attack that a test's mark asks for, the configured one if it has none."""
    mark = node.get_closest_marker("capfuzz")
    args, settings = (mark.args, mark.kwargs) if mark else ((), {})
    if len(args) > 1 or not all(isinstance(one, str) for one in args):
        raise Error("pytest.mark.capfuzz takes one SPEC, such as 'py:my.sandbox:make'")
    return asked(config, args[0] if args else None, settings)


def asked(config: pytest.Config, spec: str | None, settings: Mapping[str, Any]) -> Asked:
    """Return the attack on ``spec``, on the configured target if None; raises `Error`."""
    root = str(config.rootpath)
    words = [] if spec is None else ["--", spec]
    return Asked((*_words(settings), *words), root)


def cells(attack: Asked, folder: str) -> list[Cell]:
    """Return a cell for every family that will be tried, and every invariant; raises `Error`."""
    try:
        families = families_of(_request(attack))
    except (UsageError, TargetError) as error:
        raise Error(f"capfuzz: {error}") from None
    except click.ClickException as error:
        raise Error(f"capfuzz: {error.format_message()}") from None
    return [Cell(attack, folder, family, name) for family in families for name in INVARIANTS]


def _request(attack: Asked) -> Request:
    with contextlib.chdir(attack.root):
        context = _ATTACK.make_context("attack", list(attack.words), parent=click.Context(cli))
        source = context.get_parameter_source("spec")
        if source is click.core.ParameterSource.DEFAULT:
            raise UsageError(
                "no target: name one, or say target in [tool.capfuzz] of pyproject.toml "
                f"(looked in {attack.root})"
            )
        request: Request = request_of(context.params["spec"], context.params, ())
    return request


def _words(settings: Mapping[str, Any]) -> list[str]:
    """Return settings as words of the command line; ``as_`` is ``--as``, as Python has it."""
    known = {key: one for key, one in settings_of(_ATTACK).items() if key != Target.key}
    words = []
    for name, value in settings.items():
        key = name.rstrip("_").replace("_", "-")
        if key not in known:
            raise Error(f"capfuzz: no such setting: {name!r}{nearest(key, known)}")
        if value is True:
            words.append(f"--{key}")
        elif value not in (None, False):
            several = value if isinstance(value, list | tuple) else [value]
            words += [f"--{key}={one}" for one in several]
    return words

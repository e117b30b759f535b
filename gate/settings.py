"""
Options that may also be said in the environment and in ``[tool.capfuzz]`` of ``pyproject.toml``.

A flag comes before ``CAPFUZZ_NAME``, that before the file of the folder in which the command runs.
"""

import os
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import click
from capfuzz.gate.errors import UsageError
from capfuzz.targets.suggest import nearest

FILE = "pyproject.toml"
_SECTION = f"{FILE}: [tool.capfuzz]"
_PREFIX = "CAPFUZZ_"
_NEAR = 0.85  # of 1: what is as like a name of ours as this is a slip
UNNAMED = "capfuzz.unnamed"  # in a context's meta: whether nobody has named a target


class Setting(click.Option):
    """An option of a campaign; its key is its name on the command line."""

    of_target = False

    def __init__(self, names: list[str], **more: Any) -> None:
        self.key = next(name for name in names if name.startswith("--")).removeprefix("--")
        more.setdefault("envvar", _variable(self.key))
        super().__init__(names, **more)


class OfTarget(Setting):
    """An option that describes the target, and says nothing of another one."""

    of_target = True


class Target(click.Argument):
    """The target, the reference engine where none is said; its key is ``target``."""

    key = "target"
    of_target = True

    def __init__(self, names: list[str], **more: Any) -> None:
        super().__init__(names, default="engine", envvar=_variable(self.key), **more)


class Command(click.Command):
    """A command that takes its settings from the environment and from the file, too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command line; what they leave open is taken from the file."""
        if not ctx.resilient_parsing:
            given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
            wants_help = self.get_help_option(ctx)
            if wants_help is None or wants_help.name not in given:
                known = settings_of(self)
                _check_environment(known)
                ctx.default_map = self._from_file(ctx, given.get("spec"))
                said = isinstance(given.get("spec"), str) or _named(ctx.default_map)
                ctx.meta[UNNAMED] = Target.key in known and not said
        return super().parse_args(ctx, args)

    def _from_file(self, ctx: click.Context, spec: object) -> dict[str, Any]:
        """Return what the file says of this command's settings, about another target left aside."""
        root = ctx.find_root().command
        assert isinstance(root, click.Group)
        table = _checked(read(), settings_of(root.commands["attack"]), ctx)
        asked = spec if isinstance(spec, str) else os.environ.get(_variable(Target.key))
        other = asked is not None and table.get(Target.key, asked) != asked
        return {
            one.name: table[key]
            for key, one in settings_of(self).items()
            if key in table and not (other and one.of_target)
        }


def settings_of(command: click.Command) -> dict[str, Setting | Target]:
    """Return the settings of a command by their keys."""
    return {one.key: one for one in command.params if isinstance(one, Setting | Target)}


def read() -> dict[str, Any]:
    """Return the section of the file in this folder, empty where there is none; `UsageError`."""
    try:
        with open(FILE, "rb") as file:
            whole = tomllib.load(file)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{FILE}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{FILE}: not TOML: {error}") from None
    tools = whole.get("tool", {})
    if isinstance(tools, dict) and "capfuzz" not in tools:
        for name in get_close_matches("capfuzz", tools, cutoff=_NEAR):
            raise UsageError(f"{FILE}: [tool.{name}] is nobody's; did you mean [tool.capfuzz]?")
    table = tools.get("capfuzz", {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise UsageError(f"{_SECTION} must be a table")
    return table


def _check_environment(known: Mapping[str, Setting | Target]) -> None:
    """Refuse a variable that is one of ours but for a slip; raises `UsageError`."""
    ours = [_variable(key) for key in known]
    for name in os.environ:
        if name.startswith(_PREFIX) and name not in ours:
            for meant in get_close_matches(name, ours, n=1, cutoff=_NEAR):
                raise UsageError(f"{name}: no such setting; did you mean {meant}?")


def _named(from_file: Mapping[str, Any]) -> bool:
    """Tell whether the environment or the file names a target."""
    return bool(os.environ.get(_variable(Target.key))) or "spec" in from_file


def _checked(
    table: Mapping[str, Any], known: Mapping[str, Setting | Target], ctx: click.Context
) -> Mapping[str, Any]:
    """Return the table once its keys are known and its values of their types; `UsageError`."""
    for key, value in table.items():
        if key not in known:
            raise UsageError(f"{_SECTION} has no key {key!r}{nearest(key, known)}")
        wanted = _refused(known[key], value)
        if wanted:
            raise UsageError(f"{_SECTION} {key} must be {wanted}, not {value!r}")
        try:
            known[key].process_value(ctx, value)
        except click.BadParameter as error:
            raise UsageError(f"{_SECTION} {key}: {error.message}") from None
    return table


def _refused(setting: Setting | Target, value: object) -> str:
    """Return what a value would have to be, nothing where it is that."""
    if isinstance(setting, Setting) and setting.is_flag:
        return "" if isinstance(value, bool) else "true or false"
    if setting.multiple:
        listed = isinstance(value, list) and all(isinstance(one, str) for one in value)
        return "" if listed else "a list of strings"
    if isinstance(setting.type, click.types.IntParamType):
        return "" if type(value) is int else "a whole number"
    if isinstance(setting.type, click.types.FloatParamType):
        return "" if type(value) in {int, float} else "a number"
    return "" if isinstance(value, str) else "a string"


def _variable(key: str) -> str:
    return f"{_PREFIX}{key.upper().replace('-', '_')}"

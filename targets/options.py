"""How a target is to be asked: the options of the command line, and for which surfaces each is."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities, GrantError
from capfuzz.targets.base import TargetError


@dataclass(frozen=True, slots=True)
class Options:
    """How a target is to be asked; ``op_limit`` in seconds."""

    surface: Surface | None = None
    op_limit: float = 2.0
    dialect: frozenset[str] = frozenset()
    follows_links: bool = False
    unpack_limit: int | None = None
    root: str | None = None
    allow_host: str | None = None
    private: str | None = None
    tool_map: str | None = None
    invert: bool = False
    takes: str | None = None
    public: tuple[str, ...] = ()
    language: str | None = None
    exposes: frozenset[str] = frozenset()
    bounded: bool = False

    def given(self) -> Iterator[str]:
        """Yield the names of what differs from the defaults, the surface left aside."""
        for one in fields(self):
            if one.name != "surface" and getattr(self, one.name) != getattr(_DEFAULTS, one.name):
                yield one.name


_DEFAULTS = Options()
# The surfaces for which an option is; `--op-timeout` is for all.
_MEANT_FOR = {
    "dialect": (Surface.PATH, Surface.HOST, Surface.HTTP, Surface.MCP),
    "follows_links": (Surface.PATH, Surface.ARCHIVE, Surface.HTTP, Surface.MCP),
    "unpack_limit": (Surface.ARCHIVE,),
    "root": (Surface.PATH, Surface.HTTP),
    "allow_host": (Surface.HOST,),
    "private": (Surface.HTTP,),
    "tool_map": (Surface.MCP,),
    "invert": (Surface.SSRF,),
    "takes": (Surface.SSRF,),
    "public": (Surface.SSRF,),
    "language": (Surface.EVAL,),
    "exposes": (Surface.EVAL,),
    "bounded": (Surface.EVAL,),
}


def check(spec: str, surface: Surface, options: Options) -> None:
    """
    Refuse an option that a target asked as ``surface`` has no use for, and an unusable value.

    Raises `TargetError`.
    """
    for name in options.given():
        meant = _meant_for(name, spec)
        if surface not in meant:
            raise TargetError(
                f"{spec}: {_flag(name)} is for {_said(meant, spec, surface, options)}"
            )
        if getattr(options, name) == "":
            raise TargetError(f"{spec}: {_flag(name)} is empty")
    if options.allow_host is not None:
        try:
            Capabilities(net_hosts=(options.allow_host,))
        except GrantError as error:
            raise TargetError(f"--allow-host: {error}") from None


def as_words(options: Options) -> list[str]:
    """Return the words of a command line that say the same, but for ``--as``."""
    return [word for name in options.given() for word in _words(name, getattr(options, name))]


def _words(name: str, value: object) -> list[str]:
    if value is True:
        return [_flag(name)]
    if isinstance(value, frozenset | tuple):
        several = sorted(value) if isinstance(value, frozenset) else value
        return [word for one in several for word in (_flag(name), str(one))]
    return [_flag(name), str(value)]


def _flag(name: str) -> str:
    return "--op-timeout" if name == "op_limit" else "--" + name.replace("_", "-")


def _meant_for(name: str, spec: str) -> tuple[Surface, ...]:
    if name == "root" and spec.startswith("py:"):
        return (Surface.PATH,)  # a function that serves is told which folder
    return _MEANT_FOR.get(name, tuple(Surface))


def _said(meant: tuple[Surface, ...], spec: str, surface: Surface, options: Options) -> str:
    """Say for what an option is meant, and what to do about it."""
    if spec.startswith("py:") and options.surface is None:
        return f"{_listed(meant, 'and')} targets; add --as {_listed(meant, 'or')}"
    return f"{_listed(meant, 'and')} targets, and this is asked as {surface}"


def _listed(surfaces: tuple[Surface, ...], word: str) -> str:
    *most, last = surfaces
    return f"{', '.join(most)} {word} {last}" if most else str(last)

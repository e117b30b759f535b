"""
Ops, grants and worlds as JSON and back, for vectors and for replay lines.

JSON has no tuples, bytes or lying strings, so an object with one ``$key`` stands for them:
``{"$bytes": "68656c"}``, ``{"$list": [...]}``, ``{"$repeat": ["a", 4096]}`` (a long str),
``{"$lie": "/etc/passwd"}`` (a str subclass that claims to equal, start with and hash as
anything), ``{"$float": "nan"}``. An op is a JSON array and becomes a tuple.
"""

from collections.abc import Callable, Mapping
from typing import Any

from capfuzz.attacks.case import Behaviour, WorldSpec
from capfuzz.engine import Capabilities

Json = Any
_LONG = 256  # a str of one repeated character beyond this is written as $repeat


class LyingStr(str):
    """A str that answers yes to whatever a check asks of it, while its text says otherwise."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Claim to equal anything."""
        return True

    def __ne__(self, other: object) -> bool:
        """Claim to differ from nothing."""
        return False

    def __hash__(self) -> int:
        """Hash like the text, so that look-ups work as usual."""
        return str.__hash__(self)

    def startswith(self, *_: object) -> bool:
        """Claim to start with anything."""
        return True


def op_from_json(value: Json) -> object:
    """Return the op that a JSON value stands for; an array becomes a tuple."""
    if isinstance(value, list):
        return tuple(_argument(item) for item in value)
    return _argument(value)


def op_to_json(op: object) -> Json:
    """Return the JSON value that stands for ``op``."""
    if type(op) is tuple:
        return [_plain(item) for item in op]
    return _plain(op)


def _argument(value: Json) -> object:
    if isinstance(value, list):
        return tuple(_argument(item) for item in value)
    if not isinstance(value, dict):
        return value
    [(key, inner)] = value.items()
    return _DECODERS[key](inner)


def _plain(value: object) -> Json:
    if isinstance(value, LyingStr):
        return {"$lie": str.__str__(value)}
    if isinstance(value, str) and len(value) > _LONG and value == value[0] * len(value):
        return {"$repeat": [value[0], len(value)]}
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if isinstance(value, float):
        return {"$float": repr(value)}
    if isinstance(value, list):
        return {"$list": [_plain(item) for item in value]}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


_DECODERS: dict[str, Callable[[Any], object]] = {
    "$bytes": bytes.fromhex,
    "$list": lambda items: [_argument(item) for item in items],
    "$repeat": lambda pair: pair[0] * pair[1],
    "$lie": LyingStr,
    "$float": float,
}


def grant_from_json(value: Mapping[str, Json]) -> Capabilities:
    """Return the grant; raises `capfuzz.engine.GrantError` where it is not one."""
    return Capabilities(**value)


def grant_to_json(grant: Capabilities) -> dict[str, Json]:
    """Return the grant as JSON, tools sorted."""
    return {
        "fs_read": list(grant.fs_read),
        "fs_write": list(grant.fs_write),
        "net_hosts": list(grant.net_hosts),
        "allowed_tools": sorted(grant.allowed_tools),
        "max_ops": grant.max_ops,
        "max_output_bytes": grant.max_output_bytes,
        "max_wall": grant.max_wall,
    }


def world_from_json(value: Mapping[str, Json]) -> WorldSpec:
    """
    Return the world; a file's text is a str or ``$bytes``, a redirect a pair of str.

    Raises ``ValueError`` where it has no place for something.
    """
    made = WorldSpec(
        files={path: _content(data) for path, data in value.get("files", {}).items()},
        links=dict(value.get("links", {})),
        hosts={
            host: {
                route: answer if isinstance(answer, str) else (answer[0], answer[1])
                for route, answer in routes.items()
            }
            for host, routes in value.get("hosts", {}).items()
        },
        tools={name: Behaviour(kind) for name, kind in value.get("tools", {}).items()},
        ticks=tuple(value.get("ticks", ())),
        at_once=bool(value.get("at_once", False)),
    )
    if not made.can_stand():
        raise ValueError(
            "world: a name of a file or link has NUL, or leads through a link to itself"
        )
    return made


def world_to_json(world: WorldSpec) -> dict[str, Json]:
    """Return the world as JSON, without what is empty."""
    whole = {
        "files": {path: _text(data) for path, data in world.files.items()},
        "links": dict(world.links),
        "hosts": {
            host: {
                route: answer if isinstance(answer, str) else list(answer)
                for route, answer in routes.items()
            }
            for host, routes in world.hosts.items()
        },
        "tools": {name: str(kind) for name, kind in world.tools.items()},
        "ticks": list(world.ticks),
        "at_once": world.at_once,
    }
    return {name: part for name, part in whole.items() if part}


def _content(data: Json) -> bytes:
    decoded = _argument(data)
    return decoded if isinstance(decoded, bytes) else str(decoded).encode("utf-8", "surrogatepass")


def _text(data: bytes) -> Json:
    try:
        return _plain(data.decode())
    except UnicodeDecodeError:
        return _plain(data)

"""The grant: what an agent may touch, frozen and checked when it is made."""

from collections.abc import Iterable
from dataclasses import FrozenInstanceError, dataclass, field

from capfuzz.engine.hosts import Hosts, normal_host
from capfuzz.engine.paths import Roots, has_traversal, is_wellformed


class GrantError(ValueError, TypeError):
    """A grant that says something else than it seems to; names the field and the rule."""


@dataclass(frozen=True, slots=True, init=False)
class Capabilities:
    """
    An allow-list of authority (Saltzer and Schroeder 1975: least privilege, fail-safe defaults).

    ``fs_read``, ``fs_write``: absolute path prefixes; ``/work`` and ``/work/`` mean the same.
    ``net_hosts``: host names and canonical IP literals. ``allowed_tools``: exact names.
    ``max_ops``: operations. ``max_output_bytes``: bytes that flow back. ``max_wall``: ticks.
    An empty list grants nothing. Raises `GrantError`.
    """

    fs_read: tuple[str, ...]
    fs_write: tuple[str, ...]
    net_hosts: tuple[str, ...]
    allowed_tools: frozenset[str]
    max_ops: int
    max_output_bytes: int
    max_wall: int
    # What the checks use, compiled once.
    readable: Roots = field(init=False, repr=False, compare=False)
    writable: Roots = field(init=False, repr=False, compare=False)
    hosts: Hosts = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        fs_read: Iterable[str] = (),
        fs_write: Iterable[str] = (),
        net_hosts: Iterable[str] = (),
        allowed_tools: Iterable[str] = (),
        max_ops: int = 1_000,
        max_output_bytes: int = 1_000_000,
        max_wall: int = 1_000_000,
    ) -> None:
        if hasattr(self, "hosts"):  # `caps.__init__(...)` again would widen a grant in use
            raise FrozenInstanceError("a grant cannot be changed after it is made")
        reads = _prefixes("fs_read", fs_read)
        writes = _prefixes("fs_write", fs_write)
        hosts = _names("net_hosts", net_hosts)
        for name, value in (
            ("fs_read", reads),
            ("fs_write", writes),
            ("net_hosts", hosts),
            ("allowed_tools", frozenset(_names("allowed_tools", allowed_tools))),
            ("max_ops", _budget("max_ops", max_ops)),
            ("max_output_bytes", _budget("max_output_bytes", max_output_bytes)),
            ("max_wall", _budget("max_wall", max_wall)),
            ("readable", Roots(reads)),
            ("writable", Roots(writes)),
            ("hosts", Hosts(map(_granted_host, hosts))),
        ):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type["Capabilities"], tuple[object, ...]]:
        """Pickle and copy by making the grant anew, so that every rule is applied again."""
        return Capabilities, (
            self.fs_read,
            self.fs_write,
            self.net_hosts,
            self.allowed_tools,
            self.max_ops,
            self.max_output_bytes,
            self.max_wall,
        )

    def __setstate__(self, state: object) -> None:
        """Refuse the back door that a slotted dataclass would otherwise have."""
        raise FrozenInstanceError("a grant cannot be changed after it is made")


def _names(field_name: str, values: Iterable[str]) -> tuple[str, ...]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise GrantError(f"{field_name}: must be a collection of str, not {_a(values)}")
    names = tuple(values)
    for name in names:
        if type(name) is not str:  # a subclass may lie about what it equals
            raise GrantError(f"{field_name}: every entry must be a plain str, not {_a(name)}")
        if not name:
            raise GrantError(f"{field_name}: an empty entry grants nothing; leave it out")
    return names


def _prefixes(field_name: str, values: Iterable[str]) -> tuple[str, ...]:
    prefixes = _names(field_name, values)
    for prefix in prefixes:
        if has_traversal(prefix):
            raise GrantError(f"{field_name}: {prefix!r} has a '..' segment; write the place itself")
        if not is_wellformed(prefix):
            raise GrantError(
                f"{field_name}: {prefix!r} must be absolute, without controls or lone surrogates"
            )
    return prefixes


def _granted_host(host: str) -> str:
    plain = normal_host(host)
    if plain is None:
        raise GrantError(
            f"net_hosts: {host!r} is neither a plain host name nor an IP literal in its canonical "
            "spelling; no port, wildcard, bracket or scheme"
        )
    return plain


def _budget(field_name: str, value: int) -> int:
    if type(value) is not int:  # bool is an int to isinstance, and NaN compares with nothing
        raise GrantError(f"{field_name}: must be an int, not {_a(value)}")
    if value < 0:
        raise GrantError(f"{field_name}: must not be negative, got {value}")
    return value


def _a(value: object) -> str:
    return f"a {type(value).__name__}"

"""
Checks of what the strategies are called with; all raise ``InvalidArgument`` at once.

One sentence each: which argument, which value, what is allowed.
"""

from ipaddress import AddressValueError, IPv4Address, IPv6Address

from capfuzz.engine import Capabilities, GrantError, canonical
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy


def check_size(name: str, value: object, *, least: int = 0, most: int | None = None) -> None:
    """Refuse what is no int (or is a bool), and what lies below ``least`` or above ``most``."""
    bounds = f"of {least} or more" if most is None else f"from {least} to {most}"
    fits = type(value) is int and value >= least and (most is None or value <= most)
    if not fits:
        raise InvalidArgument(f"{name}={value!r} must be an int {bounds}")


def check_sizes(min_size: int, max_size: int) -> None:
    """Refuse a range of sizes that is empty or begins below 1."""
    check_size("min_size", min_size, least=1)
    check_size("max_size", max_size, least=1)
    if max_size < min_size:
        raise InvalidArgument(f"max_size={max_size!r} must not be less than min_size={min_size!r}")


def check_text(name: str, value: object) -> None:
    """Refuse what is no str, or empty."""
    if type(value) is not str or not value:
        raise InvalidArgument(f"{name}={value!r} must be a str of one character or more")


def check_grant(name: str, value: object) -> None:
    """Refuse what is no `Capabilities`."""
    if type(value) is not Capabilities:
        raise InvalidArgument(f"{name}={value!r} must be a Capabilities")


def check_strategy(name: str, value: object) -> None:
    """Refuse what is no strategy."""
    if not isinstance(value, SearchStrategy):
        raise InvalidArgument(f"{name}={value!r} must be a SearchStrategy")


def check_target(name: str, value: object) -> None:
    """Refuse what has no ``run``."""
    if not callable(getattr(value, "run", None)):
        raise InvalidArgument(f"{name}={value!r} must have a method run(case) that returns a Trace")


def plain_root(name: str, value: object) -> str:
    """Return the canonical form of an absolute path below ``/``; refuse anything else."""
    allowed = "an absolute path of one name or more, without '..', controls and lone surrogates"
    try:
        (root,) = Capabilities(fs_read=(value,)).fs_read  # type: ignore[arg-type]
    except GrantError:
        raise InvalidArgument(f"{name}={value!r} must be {allowed}") from None
    if canonical(root) == "/":
        raise InvalidArgument(f"{name}={value!r} must be {allowed}: nothing lies outside '/'")
    return canonical(root)


def check_host(name: str, value: object) -> None:
    """Refuse what a grant would refuse as a host."""
    try:
        Capabilities(net_hosts=(value,))  # type: ignore[arg-type]
    except GrantError:
        raise InvalidArgument(
            f"{name}={value!r} must be a host name, or an IP address in its canonical spelling"
        ) from None


def check_address(name: str, value: object) -> None:
    """Refuse what is no canonical IPv4 or IPv6 address."""
    for kind in (IPv4Address, IPv6Address):
        try:
            if type(value) is str and str(kind(value)) == value:
                return
        except AddressValueError:
            continue
    raise InvalidArgument(
        f"{name}={value!r} must be an IPv4 or IPv6 address in its canonical spelling, such as "
        "'127.0.0.1' or '::1'"
    )

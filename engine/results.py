"""What one op comes back with."""

from dataclasses import FrozenInstanceError
from enum import StrEnum
from typing import Any

_FROZEN = "a result cannot be changed after it is made"


class Violation(StrEnum):
    """
    The closed set of reasons for which the engine refuses an op.

    The last four are hard: they halt the sandbox. A missing file in a granted place, an unknown
    route on a granted host and a granted tool that raises are errors, not violations.
    """

    PATH_TRAVERSAL = "path_traversal"
    FS_READ_DENIED = "fs_read_denied"
    FS_WRITE_DENIED = "fs_write_denied"
    EGRESS_DENIED = "egress_denied"
    TOOL_DENIED = "tool_denied"
    MALFORMED_OP = "malformed_op"
    MAX_OPS = "max_ops"
    MAX_WALL = "max_wall"
    MAX_OUTPUT_BYTES = "max_output_bytes"
    HALTED = "halted"


class Result:
    """
    The outcome of one op.

    ``output`` is what flows back to the agent, ``violation`` why the op was refused (None for an
    error), ``hard`` whether the sandbox is halted, ``detail`` a fixed sentence that never tells
    whether a forbidden thing exists. Results that are shared cannot be changed.
    """

    __slots__ = ("detail", "hard", "ok", "output", "violation")
    ok: bool
    output: Any
    violation: Violation | None
    hard: bool
    detail: str

    def __init__(
        self,
        ok: bool,  # noqa: FBT001 - the first word of an outcome
        output: object = None,
        violation: Violation | None = None,
        hard: bool = False,  # noqa: FBT001, FBT002
        detail: str = "",
    ) -> None:
        if hasattr(self, "ok"):  # `result.__init__(...)` again would change what others hold
            raise FrozenInstanceError(_FROZEN)
        object.__setattr__(self, "ok", ok)
        object.__setattr__(self, "output", output)
        object.__setattr__(self, "violation", violation)
        object.__setattr__(self, "hard", hard)
        object.__setattr__(self, "detail", detail)

    def __setattr__(self, name: str, value: Any, /) -> None:
        """Refuse to change it."""
        raise FrozenInstanceError(_FROZEN)

    def __delattr__(self, name: str, /) -> None:
        """Refuse to change it."""
        raise FrozenInstanceError(_FROZEN)

    def __eq__(self, other: object) -> bool:
        """Compare what is said, however it was made."""
        return isinstance(other, Result) and _fields(self) == _fields(other)

    def __hash__(self) -> int:
        """Return a hash of what is said."""
        return hash(_fields(self))

    def __repr__(self) -> str:
        """Return what makes an equal result."""
        return "Result(ok={!r}, output={!r}, violation={!r}, hard={!r}, detail={!r})".format(
            *_fields(self)
        )

    def __reduce__(self) -> tuple[type["Result"], tuple[object, ...]]:
        """Pickle and copy by making the outcome anew."""
        return Result, _fields(self)


class Allowed(Result):
    """
    The outcome of an op that was carried out, made at a third of the price of its parent.

    All but the output is the same for each. The output is filled in by its maker, and nobody
    shares it, so it may be set, which is what makes it cheap.
    """

    __slots__ = ()
    ok = True
    violation = None
    hard = False
    detail = ""
    __init__ = object.__init__
    __setattr__ = object.__setattr__
    __delattr__ = object.__delattr__  # setting is cheap only where neither is overridden


def _fields(result: Result) -> tuple[object, ...]:
    return result.ok, result.output, result.violation, result.hard, result.detail


def denied(violation: Violation, detail: str) -> Result:
    """Return a soft refusal: this op is refused, the next one may be tried."""
    return Result(ok=False, violation=violation, detail=detail)


def halting(violation: Violation, detail: str) -> Result:
    """Return a hard refusal: the sandbox is halted."""
    return Result(ok=False, violation=violation, hard=True, detail=detail)


NO_OUTPUT = Result(ok=True)  # of a write, and of a tool that returns nothing

# Refusals are shared objects: a denial costs no more than an allowance, and two denials of the
# same kind cannot differ by what they were denied for.
TRAVERSAL = denied(Violation.PATH_TRAVERSAL, "the path has a '..' segment")
MALFORMED_PATH = denied(
    Violation.MALFORMED_OP, "the path is relative or empty, or has a control or a lone surrogate"
)
MALFORMED_OP = denied(Violation.MALFORMED_OP, "the op is not a tuple of a known shape")
READ_DENIED = denied(Violation.FS_READ_DENIED, "the path is outside every fs_read prefix")
WRITE_DENIED = denied(Violation.FS_WRITE_DENIED, "the path is outside every fs_write prefix")
EGRESS_DENIED = denied(Violation.EGRESS_DENIED, "the host is not one of net_hosts")
TOOL_DENIED = denied(Violation.TOOL_DENIED, "the tool is not one of allowed_tools")
OUT_OF_OPS = halting(Violation.MAX_OPS, "the op would exceed max_ops")
OUT_OF_TIME = halting(Violation.MAX_WALL, "more than max_wall ticks have elapsed")
OUT_OF_OUTPUT = halting(Violation.MAX_OUTPUT_BYTES, "the output would exceed max_output_bytes")
HALTED = halting(Violation.HALTED, "a budget was exhausted before")

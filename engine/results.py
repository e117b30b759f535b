"""What one op comes back with."""

from enum import StrEnum
from typing import Any, NamedTuple


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


class Result(NamedTuple):
    """
    The outcome of one op; a NamedTuple because one is made for every op.

    ``output`` is what flows back to the agent, ``violation`` why the op was refused (None for an
    error), ``hard`` whether the sandbox is halted, ``detail`` a fixed sentence that never tells
    whether a forbidden thing exists.
    """

    ok: bool
    output: Any = None
    violation: Violation | None = None
    hard: bool = False
    detail: str = ""


def denied(violation: Violation, detail: str) -> Result:
    """Return a soft refusal: this op is refused, the next one may be tried."""
    return Result(ok=False, violation=violation, detail=detail)


def halting(violation: Violation, detail: str) -> Result:
    """Return a hard refusal: the sandbox is halted."""
    return Result(ok=False, violation=violation, hard=True, detail=detail)


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

"""What a sandbox of the system must not spend beyond its budgets: output and time."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.kernel_stage import READABLE, kernel, tried
from capfuzz.attacks.techniques.scenario_model import Scenario

_GRANT = {"max_output_bytes": 4096, "max_wall": 1}
_LITTLE, _MUCH = 1_000, 1_000_000  # bytes
_LONG = 20  # seconds
_HONEST = (("use_output", READABLE, _LITTLE),)  # whole, and it ends at once


@kernel(
    "kernel-flood",
    group="kernel-flood",
    cwe="CWE-770",
    needs="is told of no most bytes of output, or counts what one stream of two carries",
)
def kernel_flood() -> Iterator[Scenario]:
    """Write more to standard output and error than may come out."""
    yield tried(
        ("use_output", READABLE, _MUCH),
        means="more output than was granted",
        control=_HONEST,
        grant=_GRANT,
    )


@kernel(
    "kernel-overtime",
    group="kernel-overtime",
    cwe="CWE-772",
    needs="asks a program to end, or ends what it started and not what that one has started",
)
def kernel_overtime() -> Iterator[Scenario]:
    """Ignore every signal, leave descendants in sessions of their own, and go on after the end."""
    yield tried(
        ("use_time", _LONG),
        means="processes that live on after the deadline",
        control=_HONEST,
        grant=_GRANT,
    )

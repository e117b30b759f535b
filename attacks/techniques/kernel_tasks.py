"""What a sandbox of the system limits where it says so: processes and threads."""

from collections.abc import Iterator

from capfuzz.attacks.kernel import COUNTED
from capfuzz.attacks.techniques.kernel_stage import kernel, tried
from capfuzz.attacks.techniques.scenario_model import Scenario

_LIMIT, _HONEST, _TOO_MANY = 16, 4, 48


@kernel(
    "kernel-tasks",
    group="kernel-tasks",
    cwe="CWE-770",
    needs="has a limit of processes that it is not told of, or that threads do not count for",
)
def kernel_tasks() -> Iterator[Scenario]:
    """Have more processes at once than the grant has ops, and as many threads."""
    for kind in COUNTED:
        yield tried(
            (kind, _TOO_MANY),
            means=f"{_TOO_MANY} at once where {_LIMIT} may be",
            control=((kind, _HONEST),),
            grant={"max_ops": _LIMIT},
        )

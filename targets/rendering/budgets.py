"""
Budgets around a command, where a system's own configuration has no place for them.

``max_wall`` is taken as seconds. Both programs that bound a command are outside of the sandbox.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from capfuzz.engine import Capabilities
from capfuzz.targets.rendering.base import METERS, System
from capfuzz.targets.sandboxes.base import Rendered

# Standard output and error go through head, which ends after so many bytes: the next write fails.
_CAPPED: Final = '"$@" 2>&1 | stdbuf -o0 head -c {}'


def bounded(system: System, grant: Capabilities, made: Rendered) -> Rendered:
    """Return a rendering with what its system leaves to others: a deadline, a cap of output."""
    left = [name for name in METERS if name not in system.meters]
    command = made.command
    if "max_output_bytes" in left and command:
        script = _CAPPED.format(grant.max_output_bytes)
        command = ("bash", "-o", "pipefail", "-c", script, "bash", *command)
    if "max_wall" in left and command:
        # The whole group at once: a launcher that hears a request first may leave others behind.
        command = ("timeout", "--signal=KILL", str(grant.max_wall), *command)
    told = _told(system, grant, left, has_command=bool(command))
    return replace(made, command=command, warnings=(*made.warnings, *told))


def _told(
    system: System, grant: Capabilities, left: list[str], *, has_command: bool
) -> Iterator[str]:
    for name in left:
        if name == "max_ops" or not has_command:
            amount = getattr(grant, name)
            yield f"{name} {amount}: not kept by {system.name}; whoever drives it must count"

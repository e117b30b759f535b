"""
Budgets around a command, where a system's own configuration has no place for them.

``max_wall`` is taken as seconds. Both programs that bound a command are outside of the sandbox.
"""

import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from capfuzz.engine import Capabilities
from capfuzz.targets import probe
from capfuzz.targets.rendering.base import METERS
from capfuzz.targets.sandboxes.base import Rendered

# Standard output and error go through head, which ends after so many bytes: the next write fails.
_CAPPED: Final = '"$@" 2>&1 | stdbuf -o0 head -c {}'

# The whole group at once: a launcher that hears a request first may leave others behind.
_ENDING: Final = ("timeout", "--signal=KILL")
# A descendant in a session of its own is in no group of timeout's.
_ENDING_ALL: Final = (sys.executable, "-S", str(Path(probe.__file__).with_name("deadline.py")))


def bounded(system: str, meters: Collection[str], grant: Capabilities, made: Rendered) -> Rendered:
    """
    Return a rendering with what its system leaves to others: a deadline, a cap of output.

    ``meters`` are the budgets that the system keeps itself.
    """
    left = [name for name in METERS if name not in meters]
    command = made.command
    if "max_output_bytes" in left and command:
        script = _CAPPED.format(grant.max_output_bytes)
        command = ("bash", "-o", "pipefail", "-c", script, "bash", *command)
    if "max_wall" in left and command:
        command = (*(_ENDING_ALL if made.lingers else _ENDING), str(grant.max_wall), *command)
    told = _told(system, grant, left, has_command=bool(command))
    return replace(made, command=command, warnings=(*made.warnings, *told))


def _told(system: str, grant: Capabilities, left: list[str], *, has_command: bool) -> Iterator[str]:
    for name in left:
        if name == "max_ops" or not has_command:
            amount = getattr(grant, name)
            yield f"{name} {amount}: not kept by {system}; whoever drives it must count"

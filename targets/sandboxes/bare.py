"""
No sandbox at all: the control run, which shows that each attack can land.

It is nothing to attack, so it has no name on the command line.
"""

from collections.abc import Mapping
from types import MappingProxyType

from capfuzz.attacks.kernel import ASKED_IF_CLAIMED
from capfuzz.engine import Capabilities
from capfuzz.targets.rendering.base import METERS
from capfuzz.targets.sandboxes.base import Layout, Rendered, said


class Bare:
    """The probe by itself, with the rights of whoever runs the suite."""

    name = "bare"
    meaning = "nothing is confined"
    cannot: Mapping[str, str] = MappingProxyType({})
    claims = frozenset(ASKED_IF_CLAIMED)
    meters = frozenset(METERS)  # nobody else is to keep them, and it keeps none

    def unavailable(self) -> str | None:
        """Return None: whoever runs this can run it."""
        return None

    def version(self) -> str:
        """Return the kernel's version."""
        return said("uname", "-r")

    def expressed(self, grant: Capabilities) -> Capabilities:
        """Return the grant as it is; nothing of it is kept to."""
        return grant

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command that runs inside, with a warning."""
        del grant
        return Rendered(layout.command, warnings=("nothing is confined",))

"""
Any launcher of a sandbox: a command of the user's, with places filled in.

It is told nothing of a grant, so there is one that never changes: ``{root}`` may be read,
``{out}``, which lies in it, may be read and written, and there is no network.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from capfuzz.attacks.case import Case
from capfuzz.attacks.kernel import BUDGETED, LOOPBACK
from capfuzz.attacks.naive import segments, within
from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.command_words import words_of
from capfuzz.targets.sandboxes.base import Layout, Rendered

PREFIX: Final = "cmd:"
GRANT: Final = Capabilities(fs_read=("/work",), fs_write=("/work/out",))
_UNTOLD = "a command of yours is told of no budgets, and none are put around it"
_PLACE = re.compile(r"\{(root|out|probe)\}")


@dataclass(frozen=True, slots=True)
class Launcher:
    """A command; the words ``{root}``, ``{out}`` and ``{probe}`` in it stand for places."""

    name: str
    words: tuple[str, ...]
    meaning: str = "any launcher of a sandbox"
    cannot: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType(dict.fromkeys(BUDGETED, _UNTOLD))
    )

    def unavailable(self) -> str | None:
        """Return None: whether it can run shows when it is started."""
        return None

    def version(self) -> str:
        """Return nothing: no option for it is common to all."""
        return ""

    def expressed(self, grant: Capabilities) -> Capabilities:
        """Return the grant that the command is written for."""
        del grant
        return GRANT

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command with the places of ``grant``, which is `GRANT` on this machine."""
        places = {"root": grant.fs_read[0], "out": grant.fs_write[0], "probe": layout.inside[0]}
        return Rendered(
            tuple(_PLACE.sub(lambda found: places[found[1]], word) for word in self.words)
        )


def launcher_of(spec: str) -> Launcher:
    """Return the launcher that ``cmd:COMMAND`` names; raises `TargetError`."""
    words = words_of(spec, PREFIX)
    if not any("{probe}" in word for word in words):
        raise TargetError(
            f"{spec}: write {{probe}} where the command takes the program that runs inside, "
            "such as python3 {probe}"
        )
    return Launcher(spec, tuple(words))


def transposed(case: Case) -> Case | None:
    """
    Return a case under the one grant, None where it makes no sense there.

    That is a vector about other places, and a world in which the granted ones are no folders.
    """
    if case.source and _told(case.grant) != _told(GRANT):
        return None
    (out,) = GRANT.fs_write
    if any(within(out, [place]) for place in (*case.world.files, *case.world.links)):
        return None
    return replace(case, grant=GRANT)


def _told(grant: Capabilities) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]], bool]:
    """Return what a kernel knows of a grant, so that two can be compared."""
    reads, writes = set(map(segments, grant.fs_read)), set(map(segments, grant.fs_write))
    return reads, writes, LOOPBACK in grant.net_hosts

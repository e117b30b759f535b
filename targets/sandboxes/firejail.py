"""firejail: the machine's own tree, in which all but the granted places is hidden."""

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from capfuzz.attacks.naive import segments, within
from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    environment,
    missing,
    missing_root,
    reading_what_it_writes,
    said,
    standing,
    write_only,
)
from capfuzz.targets.sandboxes.trying import refusal

# What one that is killed leaves in /run goes with its namespace; root alone can make that.
_ASIDE = "mkdir -p -m 755 /run/firejail; mount -t tmpfs -o mode=755 none /run/firejail && exec"
_OPTIONS = """\
deterministic-shutdown
ipc-namespace
caps.drop all
nonewprivs
"""
_PROFILE = "capfuzz.profile"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_NEEDED = {"/proc", "/run", "/run/firejail"}  # made anew inside, or firejail's own
# What it refuses in a name or takes for a pattern (firejail(1), FILE GLOBBING), for a variable or
# for the end of a line.
_NO_NAME = re.compile(r"""[!"#$%&,;<>\\^{}*?\[\]]|\.\.|  | $""")


class Firejail:
    """``firejail`` with a profile for each grant; the network alone is shared where it is granted."""

    name = "firejail"
    meaning = "firejail: all hidden but the granted places"
    cannot: Mapping[str, str] = MappingProxyType({})

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        return missing(self.name) or refusal(self)

    def version(self) -> str:
        """Return the version that is installed."""
        return said(self.name, "--version")

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """Return the grant with what may be written readable, None if it takes no such name."""
        named = all(map(_can_be_named, (*grant.fs_read, *grant.fs_write)))
        return reading_what_it_writes(grant) if named else None

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the profile for a grant of real places, and the command."""
        shown = _shown(grant, layout)
        hidden, left = _hidden(shown)
        clean = environment(layout)
        network = [] if grant.net_hosts else ["net none"]
        lines = "\n".join([*network, *_outstanding(shown), *hidden])
        profile = ("--quiet", f"--profile={layout.folder}/{_PROFILE}", "--")
        return Rendered(
            _aside((*clean, self.name, *profile, *clean, *layout.command)),
            {_PROFILE: f"{_OPTIONS}{lines}\n"},
            (*write_only(grant), *left),
        )


def _aside(command: tuple[str, ...]) -> tuple[str, ...]:
    if missing_root():
        return command
    return ("unshare", "--mount", "sh", "-c", f"{_ASIDE} {shlex.join(command)}")


def _shown(grant: Capabilities, layout: Layout) -> dict[str, bool]:
    """Return the places that are not hidden, and whether each may be written."""
    return dict([*((place, True) for place in _DEVICES), *standing(grant, layout)])


def _outstanding(shown: dict[str, bool]) -> Iterator[str]:
    """Yield what is hidden but for a place in it, and what may be written."""
    for place in shown:
        outermost = not within(place, [other for other in shown if other != place])
        if outermost and len(segments(place)) > 1:
            yield f"whitelist {place}"
    for place, writable in shown.items():
        yield f"{'read-write' if writable else 'read-only'} {place}"


def _hidden(shown: dict[str, bool]) -> tuple[list[str], list[str]]:
    """Return what hides the rest of the machine, and a warning for what has no name for that."""
    used = {f"/{segments(place)[0]}" for place in shown}
    rest = sorted({*_in("/"), *(_in("/run") if "/run" not in used else ())} - used - _NEEDED)
    hidden = [f"blacklist {place}" for place in rest if _can_be_named(place)]
    left = [f"{place}: cannot be hidden" for place in rest if not _can_be_named(place)]
    return hidden, left


def _in(folder: str) -> list[str]:
    """Return what stands in a folder; of links, where they lead is hidden or shown by itself."""
    places = [os.path.join(folder, name) for name in os.listdir(folder)]
    return [place for place in places if not os.path.islink(place)]


def _can_be_named(place: str) -> bool:
    return not _NO_NAME.search(place)
